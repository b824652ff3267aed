"""The command line of tools/browser-test/run, and its row of ceremonies."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

import websockets.exceptions

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))

import cases  # noqa: E402
import conformance  # noqa: E402
import context as contexts  # noqa: E402
import phones  # noqa: E402
import tunnel  # noqa: E402

EPILOG = """examples:
  tools/browser-test/run --ceremonies 4 --cases none
  tools/browser-test/run --ceremonies 0 --cases none --phones 20 --keep
  tools/browser-test/run --conformance client/frame --conformance client/message

Results are in the lab's folder: Chromium's log, the screen, the tunnel service's log, and btmon's trace."""

# What one ceremony or case may end in without ending the others.
FAILURES = (AssertionError, OSError, ValueError, subprocess.SubprocessError, websockets.exceptions.WebSocketException)


def say(text):
    """Tells a line, at once."""
    print(text, flush=True)


def row(context, count):
    """Registrations and sign-ins in turn, over every kind of domain; returns how many succeeded."""
    succeeded = 0
    times = {}
    for number in range(count):
        domain = list(tunnel.DOMAINS)[number // 2 % len(tunnel.DOMAINS)]
        kind = "register" if number % 2 == 0 else "sign in"
        try:
            if kind == "register":
                _, outcome = context.register(f"user {number}", domain=domain)
            else:
                _, outcome = context.sign_in(domain=domain)
            succeeded += 1
            for name, milliseconds in outcome.milliseconds.items():
                times.setdefault(name, []).append(milliseconds)
            say(f"ok    {number + 1}/{count} {kind}, domain {domain}: {outcome.milliseconds[contexts.RESULT]} ms")
        except FAILURES as error:
            say(f"FAIL  {number + 1}/{count} {kind}, domain {domain}: {error}")
            context.clear()
    say(f"{succeeded} of {count} ceremonies succeeded; milliseconds from the QR code on the screen, median and longest:")
    for name, milliseconds in sorted(times.items(), key=lambda pair: statistics.median(pair[1])):
        say(f"      {name:20} {statistics.median(milliseconds):7.0f} {max(milliseconds):7}")
    return succeeded


def main():
    """Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="tools/browser-test/run", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=EPILOG,
        description="An unmodified Chromium makes passkeys of hybrid and signs in with them, over Bluetooth in the lab.")
    parser.add_argument("--ceremonies", type=int, default=20, help="how many in the row (20)")
    parser.add_argument("--cases", default="all", help=f"all, none, or some of: {', '.join(cases.CASES)}")
    parser.add_argument("--phones", type=int, default=0, metavar="N",
                        help="then so many ceremonies with each emulated phone of tools/phones, each as its matrix has it (0)")
    parser.add_argument("--keep", action="store_true", help="keep what came of --phones in the matrix, with its date")
    parser.add_argument("--conformance", metavar="TEXT", action="append",
                        help="run those cases of `hybrid conformance client` against Chromium, instead of all the above, that have this "
                        "text in their names; may be repeated")
    options = parser.parse_args()
    hybrid, folder = os.environ.get("HYBRID", ".build/debug/hybrid"), os.environ["LAB_RESULTS"]
    if options.conformance:
        return conformance.Conformance(hybrid, folder).run(options.conformance, say)
    chosen = {"all": list(cases.CASES), "none": []}.get(options.cases, options.cases.split(","))
    if unknown := [name for name in chosen if name not in cases.CASES]:
        parser.error(f"no such case: {', '.join(unknown)}")
    began = time.monotonic()
    failed = 0
    with contexts.TestContext(hybrid, folder) as context:
        say(f"Chromium is ready after {time.monotonic() - began:.1f} s")
        failed += options.ceremonies - row(context, options.ceremonies)
        for name in chosen:
            try:
                say(f"ok    {name}: {cases.CASES[name](context)}")
            except FAILURES as error:
                failed += 1
                say(f"FAIL  {name}: {error}")
                context.clear()
        if options.phones:
            failed += phones.run(context, options.phones, options.keep, say)
    say(f"{options.ceremonies} ceremonies and {len(chosen)} cases, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


sys.exit(main())
