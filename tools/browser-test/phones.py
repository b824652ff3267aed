"""The emulated phones of `hybrid conformance phone` as Chromium's authenticators: its column in the matrix of tools/phones."""
import json
import subprocess
import sys
import time

import browser as browsers
import context as contexts
import processes

TOOLS = contexts.TESTS.parent / "tools"
sys.path[:0] = [str(TOOLS / "phones"), str(TOOLS / "interop")]

import article  # noqa: E402
import matrix  # noqa: E402

PEER = "Chromium"
# Chromium says on its screen alone that a session has failed. A page that has heard nothing for so many seconds since the phone's
# session ended, or since the phone last did something, will hear nothing.
HOPELESS_SECONDS = 6
NOTHING = "the page hears nothing"


class Phone:
    """An emulated phone on the second adapter, which answers one code after another."""

    def __init__(self, context, persona):
        self._command = [context.program, "conformance", "phone", "--like", persona, "--json", "--radio", "bluez", "--adapter",
                         context.AUTHENTICATOR_ADAPTER, "--tunnel", context.service.url, "--ca", str(context.service.authority)]
        self._log_path = context.folder / f"phone-{persona}.log"
        self._codes = 0

    def __enter__(self):
        self._log = open(self._log_path, "wb")
        self._process = processes.start(self._command, stdin=subprocess.PIPE, stdout=self._log,
                                        stderr=subprocess.DEVNULL, text=True)
        return self

    def __exit__(self, *_):
        processes.end(self._process)
        self._log.close()

    def answer(self, code):
        """Gives it the text of a QR code."""
        self._codes += 1
        self._process.stdin.write(code + "\n")
        self._process.stdin.flush()

    def quiet_seconds(self):
        """How long ago it last did something with the last code; 0 while it waits for a client. Fails if the phone has failed."""
        said = self._log_path.read_text(encoding="utf-8").rpartition("\n")[0]
        events = [json.loads(line) for line in said.splitlines()]
        names = [event["event"] for event in events]
        if "error" in names:
            raise AssertionError(f"the phone: {events[names.index('error')]['cause']}")
        if names.count("opened") < self._codes or names[-1] in ("opened", "advertised"):
            return 0
        return time.time() - self._log_path.stat().st_mtime


def _ceremony(context, phone, number, credentials):
    """A registration, or a sign-in by the passkey before: nothing if it went well, or what the page saw."""
    if number % 2 == 0:
        options, state = context.site.creation(f"user {number}")
        code, _ = context.ask("create", options)
    else:
        options, state = context.site.request(allow=credentials[-1:])
        code, _ = context.ask("get", options)
    phone.answer(code)

    def seen():
        found = json.loads(context.browser.value("JSON.stringify(outcome)"))
        return found or (phone.quiet_seconds() > HOPELESS_SECONDS and {"error": NOTHING}) or None
    answer = browsers.until(seen, "the page's result")
    if "error" in answer:
        context.clear()
        return answer["error"]
    try:
        if number % 2 == 0:
            credentials.append(context.site.created(state, answer["answer"]))
        else:
            context.site.signed_in(state, answer["answer"])
    except ValueError as error:
        return f"the website refuses it: {error}"
    return ""


def play(context, count, say):
    """So many ceremonies with each persona, up to the first that fails; what came of them, by the matrix's rows."""
    cells = {}
    for persona in (each for each in article.data()["personas"] if each["role"] == "authenticator"):
        ends, credentials = [], []
        try:
            with Phone(context, persona["name"]) as phone:
                while len(ends) < count and not any(ends):
                    ends.append(_ceremony(context, phone, len(ends), credentials))
            text = matrix.outcome(ends, count)
        except (AssertionError, OSError, ValueError) as failure:
            text = f"{matrix.FAILED} {failure}"
            context.clear()
        cells[matrix.row(persona)] = text
        say(f"      {persona['name']}: {text}")
    return cells


def run(context, count, keep, say):
    """Plays them, and keeps or compares the column; the number of faults."""
    begun = time.monotonic()
    cells = play(context, count, say)
    if keep:
        faults = [f"{name}: {text}" for name, text in cells.items() if text.startswith(matrix.FAILED)]
        what = f"Chromium {browsers.version()} on Linux, over BlueZ and emulated adapters"
        matrix.keep(PEER, cells, count, what)
        article.write()
    else:
        faults = list(matrix.faults(PEER, cells, count))
    for fault in faults:
        say(f"FAIL  {fault}")
    say(f"{len(cells)} phones met Chromium in {time.monotonic() - begun:.0f} s, {len(faults)} other than they are known")
    return len(faults)
