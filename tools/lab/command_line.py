"""The lab's command line."""
import argparse
import os
import pathlib
import signal

import on_guest
import on_real
from soak import options as soak_options
from soak import supervisor
from terminal import LabError, say, say_error

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_TIME_LIMIT = 124
EXIT_LAB_FAILED = 125
EXIT_USAGE = 64
EXIT_INTERRUPTED = 130
CHECKS = pathlib.Path(__file__).resolve().parent / "checks"

USAGE = """tools/lab/run [options] SCRIPT [ARGUMENT…]
       tools/lab/run [options] --bus -- COMMAND [ARGUMENT…]
       tools/lab/run [options] shell
       tools/lab/run [options] --real hci0 hci1 SCRIPT [ARGUMENT…]
       tools/lab/run soak --help"""
EPILOG = """SCRIPT is a bash script, or the name of one in tools/lab/checks. It is run as root with LAB_ADAPTER_1,
LAB_ADAPTER_2 and LAB_RESULTS set; its exit code is the lab's. 124: the time limit was reached. 125: the lab itself
failed. 130: interrupted. The results folder keeps btmon's trace and the logs of bluetoothd, kernel and emulator."""


class Interrupted(Exception):
    """The lab was told to end."""


def _parser():
    parser = argparse.ArgumentParser(prog="tools/lab/run", usage=USAGE, epilog=EPILOG, add_help=True, allow_abbrev=False,
                                     description="Runs a script where there are two Bluetooth adapters: in a small "
                                     "guest with Debian's kernel, BlueZ and two emulated controllers, or here.")
    parser.add_argument("--time-limit", type=float, default=600, metavar="S",
                        help="seconds for the whole run after preparation (600)")
    parser.add_argument("--results", metavar="DIR", help="folder for traces and logs "
                        "(a new one in .build-lab/results; latest points to it)")
    parser.add_argument("--env", action="append", default=[], metavar="K=V", help="environment of the script; K passes "
                        "this shell's K on")
    parser.add_argument("--controllers", choices=["dual", "le"], default="dual",
                        help="dual: extended advertising, 251 bytes, 3 instances; le: legacy, 31 bytes, 5 instances")
    parser.add_argument("--duplicates", choices=["all", "filtered"], default="all", help="what a scan hears of an "
                        "unchanged advert: every repetition, or the first three as with a controller's filter")
    parser.add_argument("--bluetoothd", action=argparse.BooleanOptionalAction, default=True,
                        help="with bluetoothd and a system bus, or with the management socket alone")
    parser.add_argument("--bluetoothd-debug", action="store_true", help="make bluetoothd's log verbose")
    parser.add_argument("--power", choices=["on", "off"], default="on",
                        help="the adapters' power when the script starts")
    parser.add_argument("--memory", type=int, default=1024, metavar="MIB", help="the guest's memory (1024)")
    parser.add_argument("--accelerator", choices=["auto", "kvm", "tcg"], default="auto")
    parser.add_argument("--bus", action="store_true",
                        help="run COMMAND on this machine, with the guest's BlueZ as its system bus")
    parser.add_argument("--real", nargs=2, metavar=("ADAPTER", "ADAPTER"),
                        help="run SCRIPT on this machine, with two adapters of its own")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="SCRIPT", help=argparse.SUPPRESS)
    return parser


def _read(arguments):
    parser = _parser()
    parser.error = lambda message: parser.exit(EXIT_USAGE, f"lab: error: {message}. hint: tools/lab/run --help\n")
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        parser.error("nothing to run")
    options.mode = "bus" if options.bus else "script"
    if options.command == ["shell"] and not options.bus:
        options.mode = "shell"
    if options.bus and (options.real or not options.bluetoothd):
        parser.error("--bus needs the guest and its bluetoothd")
    if options.mode == "script":
        script = pathlib.Path(options.command[0])
        if not script.is_file() and "/" not in options.command[0]:
            script = CHECKS / options.command[0]
        if not script.is_file():
            parser.error(f"no script {options.command[0]}, nor a check of that name")
        options.command[0] = str(script.resolve())
    options.environment = []
    for setting in options.env:
        name, equals, _ = setting.partition("=")
        if not equals:
            if name not in os.environ:
                continue
            setting = f"{name}={os.environ[name]}"
        options.environment.append(setting)
    return options


def _interrupt(number, _frame):
    # What is tidied up from here on is not to be interrupted again.
    for every in ENDING_SIGNALS:
        signal.signal(every, signal.SIG_IGN)
    raise Interrupted(signal.Signals(number).name)


def main(arguments):
    if arguments[:1] == ["soak"]:
        return _run(0, lambda read=soak_options.read(arguments[1:]): supervisor.run(*read))
    options = _read(arguments)
    return _run(options.time_limit, lambda: (on_real if options.real else on_guest).run(options))


def _run(time_limit, work):
    for number in ENDING_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        return work()
    except TimeoutError as error:
        say(f"error: {error}. hint: --time-limit {2 * time_limit:g} gives it more")
        return EXIT_TIME_LIMIT
    except LabError as error:
        say_error(error)
        return EXIT_LAB_FAILED
    except Interrupted as signal_name:
        say(f"ended by {signal_name}")
        return EXIT_INTERRUPTED
