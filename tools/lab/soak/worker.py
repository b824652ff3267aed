"""Does the ceremonies, one after another: in the guest, or on this machine. What it finds goes to the results folder.

It is started by the supervisor with the results folder, and takes everything else from the state file there.
"""
import errno
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

from soak import adapters, air as airs
from soak import ceremony as ceremonies
from soak import journal, measures, plan as plans, site as sites
from soak.programs import warn

EXIT_FINISHED, EXIT_SET_UP, EXIT_DISK, EXIT_INTERRUPTED = 0, 1, 74, 130
SAMPLE_SECONDS = 15
# The capture begins a little before the ceremony.
CAPTURE_SECONDS_BEFORE = 2
# So many failures to do anything at all, one after another, and the place is broken rather than a ceremony.
LONGEST_TROUBLE = 5
LONGEST_CAUSE = 300


class Interrupted(Exception):
    """Told to end."""


class DiskFull(Exception):
    """Nothing more can be written."""


class Worker:
    """A soak's ceremonies between two starts."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.state = journal.read_state(folder)
        self.choice = plans.Choice(**{name: tuple(value) if isinstance(value, list) else value
                                      for name, value in self.state["choice"].items()})
        self.lines = journal.Journal(folder, journal.CEREMONIES)
        self.memory = journal.Journal(folder, journal.MEMORY)
        for file in (self.lines, self.memory):
            file.mend()
        self.captures = self.folder / journal.CAPTURES
        self.captures.mkdir(exist_ok=True)
        self.began = time.monotonic()
        self.before = self.state["elapsed_s"]
        self.sampled = None
        self.trouble = 0
        self.site = self.air = self.work = None

    def elapsed(self):
        """Seconds of the whole soak, without the pauses: by a clock that does not jump."""
        return self.before + time.monotonic() - self.began

    def run(self):
        number = self.state["next"]
        numbers = self.state["only"]
        self._open()
        try:
            while True:
                if numbers is not None:
                    if not numbers:
                        return EXIT_FINISHED
                    number = numbers.pop(0)
                elif self.elapsed() >= self.state["seconds"] or number >= (self.state["until"] or number + 1):
                    return EXIT_FINISHED
                self._check_disk()
                self._one(number)
                number += 1
        finally:
            self._close()

    def _open(self):
        kind = os.environ.get("LAB_KIND", "simulated")
        if kind != "simulated":
            names = (os.environ["LAB_ADAPTER_1"], os.environ["LAB_ADAPTER_2"])
            self.air = airs.BluetoothAir(names, os.environ.get("LAB_BLUETOOTHD") == "yes", kind == "guest", self.folder)
        else:
            names = ()
            self.air = airs.SimulatedAir(lambda: self.site.radio_port)
        self.work = tempfile.mkdtemp(prefix="hybrid-soak-")
        # A copy: what is built in the meantime changes nothing.
        program = shutil.copy(self.state["program"], os.path.join(self.work, "hybrid"))
        service = "hybrid-tunnel-service"  # It is run in the place of hybrid, from beside it.
        shutil.copy(os.path.join(os.path.dirname(self.state["program"]), service), self.work)
        self.site = sites.Site(program, self.work, self.choice.radios, names, self.state["timeout"])
        self._sample()

    def _close(self):
        if self.site:
            self.site.close()
        if self.air:
            self.air.close()
        if self.work:
            shutil.rmtree(self.work, ignore_errors=True)

    def _check_disk(self):
        room = os.statvfs(self.folder)
        free = room.f_bavail * room.f_frsize
        if free < self.state["keep_free"]:
            raise DiskFull(f"{free >> 20} MiB are free where the results are, and {self.state['keep_free'] >> 20} are "
                           "to stay")
        journal.trim_captures(self.folder, self.state["capture_bytes"])
        size = journal.size_of(self.folder)
        if size > self.state["result_bytes"]:
            raise DiskFull(f"the results have reached {size >> 20} MiB, which is their limit")

    def _one(self, number):
        plan = plans.draw(self.state["seed"], number, self.choice)
        begun, wall = time.monotonic(), journal.stamp()
        (self.folder / "current").write_text(f"{number}\n", encoding="ascii")
        self.air.forget(begun - CAPTURE_SECONDS_BEFORE)
        ceremony = ceremonies.Ceremony(self.site, plan, self.air)
        try:
            line = ceremony.run()
            self.trouble = 0
        except (sites.SiteError, adapters.AdapterError) as error:
            line = broken(plan, f"set-up: {error}", time.monotonic() - begun)
            self.trouble += 1
        line = {"number": number, "seed": self.state["seed"], "time": wall,
                "elapsed_s": round(self.elapsed(), 3), **line}
        if died := self._revive():
            line |= {"outcome": "failure", "cause": died}
        if line["outcome"] == "failure" or self.state["captures"] == "all":
            line["capture"] = self._keep(number, ceremony, begun)
        self.lines.append(line)
        self._sample()
        self.site.trim()
        if self.trouble >= LONGEST_TROUBLE:
            raise sites.SiteError(f"{self.trouble} ceremonies in a row could not even begin: {line['cause']}")

    def _keep(self, number, ceremony, begun):
        """Keeps what was on the air and what the programs said; the names of the files."""
        kept = []
        try:
            text = self.captures / f"{number:08}.txt"
            text.write_text(ceremony.transcript(), encoding="utf-8")
            kept.append(text.name)
            trace = self.captures / f"{number:08}.btsnoop"
            if self.air.cut(trace, begun - CAPTURE_SECONDS_BEFORE):
                kept.append(trace.name)
        except OSError as error:
            warn(f"the capture of ceremony {number} could not be kept: {error.strerror}")
        return kept

    def _revive(self):
        """Starts each long-lived process again that has ended, which none should; says what the last of them said."""
        died = None
        for lived in (self.site.service, *self.site.listeners.values()):
            if not lived.program.is_running():
                _, last = (lived.program.lines or [(0, "nothing")])[-1]
                died = f"{lived.name}: ended by itself ({lived.program.process.returncode}): {last}"[:LONGEST_CAUSE]
                lived.start()
        return died

    def _sample(self):
        now = time.monotonic()
        if self.sampled is not None and now - self.sampled < SAMPLE_SECONDS:
            return
        self.sampled = now
        found = {"soak": os.getpid(), **self.site.long_lived(), **self.air.processes()}
        for name, pid in found.items():
            sample = measures.sample(pid)
            if sample:
                self.memory.append({"elapsed_s": round(self.elapsed(), 1), "process": name,
                                    "life": f"{self.state['session']}/{pid}", **sample})


def broken(plan, cause, took):
    """The line of a ceremony that could not even begin."""
    return {"kind": plan.kind, "radio": plan.radio, "channel": plan.channel,
            "fault": plan.fault and {"kind": plan.fault.kind}, "outcome": "failure", "cause": cause[:LONGEST_CAUSE],
            "took_ms": round(1000 * took, 1), "exit": {}, "errors": {}, "stages": {}, "recovery_ms": 0}


def _interrupt(_number, _frame):
    for every in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(every, signal.SIG_IGN)
    raise Interrupted


def main(arguments):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        return Worker(arguments[0]).run()
    except Interrupted:
        return EXIT_INTERRUPTED
    except (sites.SiteError, adapters.AdapterError) as error:
        warn(f"error: {error}")
        return EXIT_SET_UP
    except DiskFull as error:
        warn(f"stopped: {error}. hint: make room, then go on with --resume")
        return EXIT_DISK
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        warn("stopped: the disk is full. hint: make room, then go on with --resume")
        return EXIT_DISK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
