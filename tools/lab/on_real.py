"""A run on this machine, with two adapters of its own: the same scripts are the hardware test."""
import os
import pathlib
import subprocess
import time

import prepare
import processes
import results
from terminal import LabError, say

ADAPTERS = pathlib.Path("/sys/class/bluetooth")


def check(first, second):
    """Installs what is missing, and throws LabError unless these are two adapters that can be used."""
    prepare.install(prepare.PACKAGES_ON_REAL)
    for adapter in (first, second):
        if not (ADAPTERS / adapter).exists():
            known = sorted(path.name for path in ADAPTERS.glob("hci*") if ":" not in path.name)
            raise LabError(f"no adapter {adapter}", f"adapters here: {' '.join(known) or 'none'}")
    if first == second:
        raise LabError("both adapters are the same", "two are needed, to hear each other")
    if os.geteuid() != 0:
        raise LabError("real adapters need root", "run this with sudo: btmon and the management socket ask for it")


def run(options):
    """Runs the script here; returns its exit code."""
    check(*options.real)
    folder = results.make(options.results)
    environment = dict(os.environ, LAB_KIND="real", LAB_ADAPTER_1=options.real[0], LAB_ADAPTER_2=options.real[1],
                       LAB_RESULTS=str(folder), LAB_FOLDER=str(prepare.FOLDER), LAB_POWER=options.power,
                       LAB_CONTROLLERS="real", LAB_BLUETOOTHD="yes" if options.bluetoothd else "no",
                       **dict(setting.split("=", 1) for setting in options.environment))
    say(f"running on this machine with {options.real[0]} and {options.real[1]}")
    began = time.monotonic()
    terminal = processes.Terminal()
    trace = processes.start(["btmon", "-w", str(folder / "btmon.btsnoop")], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    script = None
    try:
        script = processes.start(["bash", *options.command], env=environment)
        terminal.give(script)
        code = script.wait(timeout=options.time_limit)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"the time limit of {options.time_limit:g} s was reached") from None
    finally:
        if script is not None:
            processes.end(script)
        terminal.take_back()
        processes.end(trace)
        results.decode_trace(folder)
    code = code if code >= 0 else 128 - code
    say(f"exit code {code} after {time.monotonic() - began:.1f} s; results in {folder}")
    return code
