"""A browser registers and signs in by the security key that is there. Exit code 1 if anything is not as expected.

main.py chromium|firefox --folder DIR [--count NAME FILE TEXT]…    how often a line with a text came into a file meanwhile, by a name
"""
import argparse
import pathlib
import re
import sys
import time

sys.dont_write_bytecode = True
LAB = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(LAB), str(LAB.parent / "browser-test")]

import browser as browsers  # noqa: E402
import firefox  # noqa: E402
import relying_party  # noqa: E402
from ceremonies import CASES  # noqa: E402

# Emulated, and on a machine with other work, a browser needs minutes for what takes it seconds.
TIMEOUT = 900


class Chromium(browsers.Browser):
    """Chromium, and the steps that it says its dialogue takes."""

    STEP = re.compile(rb"UI step: (\w+)")
    # The page hears of it only when the person has closed the dialogue.
    TO_CLOSE = "kKeyAlreadyRegistered"

    def version(self):
        return browsers.version()

    def shown(self):
        with open(self.log_path, "rb") as log:
            log.seek(self._read)
            said = log.read()
        self._read += len(said)
        steps = [step.decode() for step in self.STEP.findall(said)]
        if self.TO_CLOSE in steps:
            self.press("Escape")
        return steps

    _read = 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("browser", choices=["chromium", "firefox"])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--count", nargs=3, action="append", default=[], metavar=("NAME", "FILE", "TEXT"))
    parser.add_argument("--cases", default=",".join(CASES))
    options = parser.parse_args()
    browsers.TIMEOUT = TIMEOUT
    site = relying_party.RelyingParty(hints=["security-key"])
    began = time.monotonic()
    start = {"chromium": Chromium, "firefox": firefox.Firefox}[options.browser]
    browser = start(options.folder, site.origin, start_timeout=TIMEOUT)
    print(f"      {options.browser} {browser.version()} is ready after {time.monotonic() - began:.0f} s", flush=True)

    def counts():
        return {name: pathlib.Path(file).read_text(errors="replace").count(text) for name, file, text in options.count}

    failed = 0
    try:
        for name in options.cases.split(","):
            before, began = counts(), time.monotonic()
            shown = []
            try:
                CASES[name](browser, site, shown)
                outcome = "ok   "
            except (AssertionError, OSError, RuntimeError, ValueError) as error:
                outcome = "FAIL "
                shown.append(f"{type(error).__name__}: {error}")
                failed += 1
            seconds = time.monotonic() - began
            told = ", ".join(f"{number - before[what]} {what}" for what, number in counts().items())
            print(f"{outcome} {options.browser}: {name} ({seconds:.0f} s): {told}", *shown, sep="\n        ", flush=True)
    finally:
        browser.end()
    return 1 if failed else 0


sys.exit(main())
