"""Where a soak's worker runs: in a guest, or on this machine. Both are started, watched and ended in the same way."""
import os
import pathlib
import signal
import subprocess
import time
import types

import guest as guests
import on_guest
import on_real
import prepare
import processes
from terminal import LabError, say

START_SECONDS = 600
ENDING_SECONDS = 45
SCRIPT = pathlib.Path(__file__).resolve().parent / "start-worker"


class Died(Exception):
    """The guest or the worker did not end normally: it can be started again."""


class GuestPlace:
    """A guest with two emulated adapters."""

    def __init__(self, state, folder):
        self._state = state
        self._folder = folder
        self._guest = None

    def start(self):
        guests.remove_abandoned_folders()
        parts = prepare.prepare()
        wanted = self._state["guest"]
        accelerator = guests.choose_accelerator(parts, wanted["accelerator"])
        self._guest = guests.Guest(parts, accelerator, self._folder, wanted["memory"])
        options = types.SimpleNamespace(
            mode="script", controllers=wanted["controllers"], duplicates=wanted["duplicates"],
            bluetoothd=wanted["bluetoothd"], bluetoothd_debug=False, power="on", command=[str(SCRIPT)], environment=[])
        say(f"starting a guest ({accelerator}, controllers {wanted['controllers']})")
        began = time.monotonic()
        job = on_guest.job(options, parts, self._guest, self._folder, trace=False, grace=ENDING_SECONDS - 10)
        self._guest.start(job, self._folder / "console.log")
        try:
            for stage in on_guest.STAGES:
                if self._guest.follow({stage}, began + START_SECONDS) is None:
                    raise Died(f"the guest was not {stage} within {START_SECONDS} s")
        except LabError as error:
            raise Died(error.reason) from error
        say(f"the guest is ready after {time.monotonic() - began:.1f} s")

    def poll(self, seconds):
        """Waits for the worker's end for some seconds; its exit code, or None."""
        try:
            report = self._guest.follow({"exit"}, time.monotonic() + seconds)
            if report is None:
                return None
            self._guest.wait_for_end()
        except LabError as error:
            raise Died(error.reason) from error
        return int(report.split()[1])

    def ask_to_end(self):
        """Asks the worker to end, and waits for it."""
        if self._guest is None:
            return
        self._guest.ask_to_end()
        until = time.monotonic() + ENDING_SECONDS
        try:
            while time.monotonic() < until and self.poll(0.5) is None:
                pass
        except Died:
            pass

    def end(self):
        if self._guest is not None:
            self._guest.end()
            self._guest = None


class LocalPlace:
    """This machine: the simulated radio, or two real adapters."""

    def __init__(self, state, folder):
        self._state = state
        self._folder = folder
        self._process = None

    def start(self):
        environment = dict(os.environ, LAB_RESULTS=str(self._folder), LAB_FOLDER=str(prepare.FOLDER))
        if self._state["place"] == "real":
            first, second = self._state["adapters"]
            on_real.check(first, second)
            environment |= {"LAB_KIND": "real", "LAB_ADAPTER_1": first, "LAB_ADAPTER_2": second,
                            "LAB_BLUETOOTHD": "yes" if self._state["guest"]["bluetoothd"] else "no"}
        else:
            environment["LAB_KIND"] = "simulated"
        self._process = processes.start([str(SCRIPT)], env=environment, stdin=subprocess.DEVNULL)

    def poll(self, seconds):
        try:
            code = self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        return code if code >= 0 else 128 - code

    def ask_to_end(self):
        if self._process is not None and self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(timeout=ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                pass

    def end(self):
        if self._process is not None:
            processes.kill(self._process)
            self._process = None


def place(state, folder):
    return (GuestPlace if state["place"] == "guest" else LocalPlace)(state, folder)


def owner_of(adapter):
    """The path of an adapter's lock: one soak at a time, no matter who runs it."""
    folder = pathlib.Path("/run/lock" if os.access("/run/lock", os.W_OK) else "/tmp")
    return folder / f"hybrid-soak-{adapter}.lock"


