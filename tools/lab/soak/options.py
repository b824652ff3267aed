"""The command line of a soak."""
import argparse
import dataclasses
import os
import pathlib
import re
import secrets

import prepare
from soak import journal, plan as plans

EXIT_USAGE = 64
MIB = 1 << 20
SEED = re.compile(r"[A-Za-z0-9._-]{1,40}")

USAGE = """tools/lab/run soak [options]
       tools/lab/run soak --real hci0 hci1 [options]
       tools/lab/run soak --simulated [options]
       tools/lab/run soak --resume DIR [options]
       tools/lab/run soak --page DIR
       tools/lab/run soak --seed SEED --only NUMBER[,NUMBER…] [options]"""
EPILOG = """examples:
  tools/lab/run soak --hours 8 --alert 'mail -s soak me@example.org'
  tools/lab/run soak --resume .build-lab/soaks/latest          goes on where it was stopped, by Ctrl-C too
  tools/lab/run soak --simulated --minutes 1 --seed 7          a minute on this machine, without Bluetooth
  tools/lab/run soak --seed 7 --only 123                       ceremony 123 of the soak with seed 7 once more

exit codes:
  0    it ran to its end, and every threshold held
  1    a threshold was breached
  64   wrong use
  74   the results could not be written any more, or there was too little room: go on with --resume
  125  the lab itself failed, or another soak has the adapters or the folder
  130  interrupted: go on with --resume"""


@dataclasses.dataclass
class Thresholds:
    """What a soak must keep to."""
    max_failures: float = 1.0
    max_unexpected: float = 5.0
    max_p99: float = 60.0
    max_memory_slope: float = 8.0
    max_descriptor_slope: float = 6.0


def _parser():
    parser = argparse.ArgumentParser(
        prog="tools/lab/run soak", usage=USAGE, epilog=EPILOG, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Runs ceremonies of all kinds for hours, with faults drawn from a seed, in the lab's guest, on\n"
                    "two real adapters, or over the simulated radio; writes one line of JSON for each, and a page at\n"
                    "the end.")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--hours", type=float, metavar="N", help="running time of the whole soak, without pauses (1)")
    length.add_argument("--minutes", type=float, metavar="N", help="the same in minutes")
    parser.add_argument("--ceremonies", type=int, metavar="N", help="end after the ceremony with this number")
    parser.add_argument("--seed", help="what everything is drawn from (a new one, which is printed)")
    parser.add_argument("--only", metavar="NUMBERS", help="only the ceremonies with these numbers")
    parser.add_argument("--resume", metavar="DIR", help="go on with the soak of this results folder, with its options; "
                        "lengths, --timeout, thresholds, limits of the disk and --alert may be given anew")
    parser.add_argument("--page", metavar="DIR", help="write the page of this results folder anew, also while it runs")
    parser.add_argument("--results", metavar="DIR", help="a new folder for what is found (one in .build-lab/soaks)")
    parser.add_argument("--program", metavar="FILE", help="the hybrid that is tested ($HYBRID, or .build/debug/hybrid)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--real", nargs=2, metavar=("ADAPTER", "ADAPTER"), help="two adapters of this machine (as root)")
    where.add_argument("--simulated", action="store_true", help="the simulated radio, on this machine")
    drawn = parser.add_argument_group("what is drawn")
    drawn.add_argument("--radios", metavar="LIST", help="of bluez,kernel (both)")
    drawn.add_argument("--channels", metavar="LIST", help=f"of {','.join(plans.CHANNELS)} (all)")
    drawn.add_argument("--kinds", metavar="LIST", help=f"of {','.join(plans.KINDS)} (all)")
    drawn.add_argument("--faults", metavar="LIST", help=f"of {','.join(plans.FAULTS)}, or none (all)")
    drawn.add_argument("--fault-share", type=float, metavar="SHARE", help="share of ceremonies with a fault (0.35)")
    drawn.add_argument("--timeout", type=int, metavar="S",
                       help="how long a side waits for the other at each stage (30)")
    held = parser.add_argument_group("thresholds, which decide about the exit code")
    standard = Thresholds()
    for name, meaning in (("failures", "percent of ceremonies without a fault that fail"),
                          ("unexpected", "percent of ceremonies with a fault that end in a way it does not explain"),
                          ("p99", "seconds that 99 of 100 ceremonies without a fault take at most"),
                          ("memory-slope", "growth of a process's private memory, MiB an hour"),
                          ("descriptor-slope", "growth of a process's open descriptors, an hour")):
        default = getattr(standard, "max_" + name.replace("-", "_"))
        held.add_argument(f"--max-{name}", type=float, metavar="N", help=f"{meaning} ({default:g})")
    parser.add_argument("--alert", metavar="COMMAND", help="a shell command for each threshold that is breached, at "
                        "once; it gets the breach as JSON on its standard input")
    disk = parser.add_argument_group("disk")
    disk.add_argument("--captures", choices=["failures", "all"], help="of which ceremonies the air is kept (failures)")
    disk.add_argument("--max-captures", type=int, metavar="MIB", help="beyond this the oldest captures go (64)")
    disk.add_argument("--max-results", type=int, metavar="MIB", help="beyond this the soak stops normally (512)")
    disk.add_argument("--keep-free", type=int, metavar="MIB", help="room that stays free on the disk (256)")
    guest = parser.add_argument_group("the guest, as for tools/lab/run")
    guest.add_argument("--controllers", choices=["dual", "le"])
    guest.add_argument("--duplicates", choices=["all", "filtered"])
    guest.add_argument("--no-bluetoothd", action="store_true", help="the management socket alone")
    guest.add_argument("--memory", type=int, metavar="MIB")
    guest.add_argument("--accelerator", choices=["auto", "kvm", "tcg"])
    return parser


# What is given where nothing is.
STANDARD = {"captures": "failures", "max_captures": 64, "max_results": 512, "keep_free": 256, "controllers": "dual",
            "duplicates": "all", "memory": 1024, "accelerator": "auto", "fault_share": 0.35, "timeout": 30}
# What may be given anew when a soak goes on.
RENEWABLE = ("hours", "minutes", "ceremonies", "resume", "timeout", "alert", "max_failures", "max_unexpected",
             "max_p99", "max_memory_slope", "max_descriptor_slope", "max_captures", "max_results", "keep_free")


def read(arguments):
    """The options, and the state of a soak that goes on or begins; ends the process where they make no sense."""
    parser = _parser()
    parser.error = lambda message: parser.exit(EXIT_USAGE, f"lab: error: {message}. hint: tools/lab/run soak --help\n")
    options = parser.parse_args(arguments)
    for name, value in vars(options).items():
        if isinstance(value, float) and not 0 <= value < 1e6 or isinstance(value, int) and not 0 <= value < 1 << 31:
            parser.error(f"--{name.replace('_', '-')} {value} is out of range")
    if options.page:
        if len(arguments) != 2 and arguments != [f"--page={options.page}"]:
            parser.error("--page goes alone")
        options.resume = options.page
        return options, _resumed(parser, options)
    if options.resume:
        given = [name for name, value in vars(options).items()
                 if value is not None and value is not False and name not in RENEWABLE]
        if given:
            parser.error(f"--resume takes the soak's own --{given[0].replace('_', '-')}")
        return options, _resumed(parser, options)
    return options, _new(parser, options)


def _resumed(parser, options):
    try:
        state = journal.read_state(options.resume)
    except (OSError, ValueError) as error:
        parser.error(f"{options.resume} is not the folder of a soak: {getattr(error, 'strerror', None) or error}")
    if state.get("plan_version") != plans.VERSION:
        parser.error(f"{options.resume} was drawn by another version of the lab, with other ceremonies for its numbers")
    _renew(state, options)
    return state


def _renew(state, options):
    if options.hours is not None or options.minutes is not None:
        state["seconds"] = 3600 * options.hours if options.hours is not None else 60 * options.minutes
    if options.ceremonies is not None:
        state["until"] = options.ceremonies + 1
    for name, key in (("max_captures", "capture_bytes"), ("max_results", "result_bytes"), ("keep_free", "keep_free")):
        if getattr(options, name) is not None:
            state[key] = getattr(options, name) * MIB
    if options.timeout is not None:
        state["timeout"] = options.timeout
    for name in vars(Thresholds()):
        if getattr(options, name) is not None:
            state["thresholds"][name] = getattr(options, name)
    if options.alert is not None:
        state["alert"] = options.alert


def _new(parser, options):
    if options.seed is not None and not SEED.fullmatch(options.seed):
        parser.error("--seed takes up to 40 letters, digits, dots, dashes and underscores")
    for name, value in STANDARD.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    if not 0 <= options.fault_share <= 1:
        parser.error("--fault-share takes 0 to 1")
    place = "simulated" if options.simulated else "real" if options.real else "guest"
    radios = ["simulated"] if place == "simulated" else ["kernel"] if options.no_bluetoothd else ["bluez", "kernel"]
    possible = [name for name in plans.FAULTS if place != "simulated" or name in plans.SIMULATED_FAULTS]
    if options.no_bluetoothd:
        possible.remove("bluetoothd-killed")
    choice = {"radios": _list(parser, "radios", options.radios, radios),
              "channels": _list(parser, "channels", options.channels, list(plans.CHANNELS)),
              "kinds": _list(parser, "kinds", options.kinds, list(plans.KINDS)),
              "faults": [] if options.faults == "none" else _list(parser, "faults", options.faults, possible),
              "fault_share": options.fault_share}
    state = {"plan_version": plans.VERSION, "seed": options.seed or secrets.token_hex(4), "place": place,
             "adapters": options.real or [], "choice": choice, "only": _numbers(parser, options.only),
             "seconds": 3600, "until": None, "program": _program(parser, options), "timeout": options.timeout,
             "captures": options.captures, "thresholds": vars(Thresholds()), "alert": None,
             "guest": {name: getattr(options, name) for name in ("controllers", "duplicates", "memory", "accelerator")}
             | {"bluetoothd": not options.no_bluetoothd},
             "next": 1, "elapsed_s": 0, "session": 0, "sessions": [], "restarts": 0}
    _renew(state, options)
    return state


def _list(parser, name, text, possible):
    if text is None:
        return possible
    chosen = text.split(",")
    for word in chosen:
        if word not in possible:
            parser.error(f"--{name} takes some of {','.join(possible)} here, and not {word!r}")
    return [word for word in possible if word in chosen]


def _numbers(parser, text):
    if text is None:
        return None
    numbers = [int(word) for word in text.split(",") if word.isascii() and word.isdigit() and int(word) > 0]
    if len(numbers) != len(text.split(",")):
        parser.error("--only takes numbers of ceremonies, from 1 on, with commas between them")
    return numbers


def _program(parser, options):
    program = pathlib.Path(options.program or os.environ.get("HYBRID") or prepare.CHECKOUT / ".build/debug/hybrid")
    if not os.access(program, os.X_OK) or not program.is_file():
        parser.error(f"no program {program}: swift build --product hybrid makes it, --program names another")
    beside = program.resolve().parent / "hybrid-tunnel-service"
    if not os.access(beside, os.X_OK):
        parser.error(f"no program {beside}: swift build --product hybrid-tunnel-service makes it")
    return str(program.resolve())
