"""A run in a guest."""
import os
import shutil
import time

import guest as guests
import prepare
import processes
import results
from terminal import LabError, say

STAGES = ("controllers", "adapters", "ready")
# An emulated guest on a busy machine reports its init after 4 to 15 s. Once in hundreds of starts its kernel never comes so far, and
# spins before its first word, under emulation: then another guest is started.
INIT_SECONDS = 180
STARTS = 3


def run(options):
    """Runs the script, the shell or the host's command; returns its exit code."""
    guests.remove_abandoned_folders()
    parts = prepare.prepare()
    accelerator = guests.choose_accelerator(parts, options.accelerator)
    folder = results.make(options.results)
    deadline = time.monotonic() + options.time_limit
    say(f"starting a guest ({accelerator}, controllers {options.controllers}, "
        f"{'bluetoothd' if options.bluetoothd else 'no bluetoothd'})")
    guest = None
    try:
        for start in range(1, STARTS + 1):
            guest = guests.Guest(parts, accelerator, folder, options.memory)
            if options.mode == "bus":
                guest.reserve_port()
            began = time.monotonic()
            guest.start(job(options, parts, guest, folder), folder / "console.log", options.mode == "shell")
            if guest.follow({"init"}, min(deadline, began + INIT_SECONDS)):
                break
            if start == STARTS or time.monotonic() >= deadline:
                raise TimeoutError(f"the guest's kernel did not start, in the last of {start} starts, "
                                   f"within {time.monotonic() - began:.0f} s")
            guest.end()
            say(f"the guest's kernel did not start within {INIT_SECONDS} s: starting another guest")
        say(f"init after {time.monotonic() - began:.1f} s")
        for stage in STAGES:
            if guest.follow({stage}, deadline) is None:
                raise TimeoutError(f"the guest was not ready within the time limit of {options.time_limit:g} s")
        say(f"ready after {time.monotonic() - began:.1f} s")
        if options.mode == "bus":
            return _run_here(options, guest, deadline)
        report = guest.follow({"exit"}, deadline)
        if report is None:
            raise TimeoutError(f"the time limit of {options.time_limit:g} s was reached")
        guest.wait_for_end()
        code = int(report.split()[1])
        say(f"exit code {code} after {time.monotonic() - began:.1f} s; results in {folder}")
        return code
    except TimeoutError:
        # The logs of what took too long are wanted.
        guest.ask_to_end()
        guest.wait_for_end()
        raise
    finally:
        if guest:
            guest.end()
        results.decode_trace(folder)


def job(options, parts, guest, folder, trace=True, grace=3):
    """The shell variables for the guest: whether it keeps a trace, and the seconds that the script gets to end."""
    terminal = shutil.get_terminal_size()
    return guests.shell_variables({
        "LAB_MODE": options.mode,
        "LAB_FOLDER": prepare.FOLDER,
        "LAB_RESULTS": folder,
        "LAB_MODULES": parts.modules,
        "LAB_EMULATOR": parts.emulator,
        "LAB_CONTROLLERS": options.controllers,
        "LAB_DUPLICATES": options.duplicates,
        "LAB_BLUETOOTHD": "yes" if options.bluetoothd else "no",
        "LAB_BLUETOOTHD_DEBUG": "yes" if options.bluetoothd_debug else "",
        "LAB_POWER": options.power,
        "LAB_TRACE": "yes" if trace else "no",
        "LAB_GRACE": grace,
        "LAB_PORT": guest.port,
        "LAB_USER": os.getuid(),
        "LAB_ROWS": terminal.lines,
        "LAB_COLUMNS": terminal.columns,
        "LAB_DIRECTORY": os.getcwd(),
        "LAB_COMMAND": options.command,
        "LAB_ENVIRONMENT": options.environment,
    })


def _run_here(options, guest, deadline):
    address = f"tcp:host=127.0.0.1,port={guest.port}"
    environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=address, HYBRID_BLUETOOTH_BUS=address, LAB_KIND="bus",
                       LAB_ADAPTER_1="hci0", LAB_ADAPTER_2="hci1", LAB_RESULTS=str(guest.results),
                       **dict(setting.split("=", 1) for setting in options.environment))
    terminal = processes.Terminal()
    try:
        command = processes.start(options.command, env=environment)
    except OSError as error:
        raise LabError(f"{options.command[0]} cannot be run: {error.strerror}") from error
    try:
        terminal.give(command)
        while (code := command.poll()) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"the time limit of {options.time_limit:g} s was reached")
            if guest.follow({"exit"}, time.monotonic() + 0.1):
                raise LabError("the guest ended before the command did")
        say(f"exit code {code}; results in {guest.results}")
        guest.ask_to_end()
        guest.wait_for_end()
        return code if code >= 0 else 128 - code
    finally:
        processes.end(command)
        terminal.take_back()
