"""The stage: browser, website, tunnel service and authenticator, and one ceremony between them."""
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import time

import browser as browsers
import processes
import relying_party
import tunnel

AUTHENTICATOR_ADAPTER = "hci1"
PATIENCE = 60
RESULT = "page's result"


@dataclasses.dataclass
class Outcome:
    """What came of a ceremony."""
    answer: dict | None
    """The page's credential as JSON; None if the page saw an error."""
    error: str | None
    """The name of the page's error."""
    events: list
    """What the authenticator said, JSON objects."""
    exit_code: int
    """The authenticator's."""
    milliseconds: dict
    """The time of each stage, since the QR code was on the screen."""

    def seen(self):
        """What the page saw, in a word."""
        return self.error or "a credential"


class Stage:
    """Everything that a ceremony needs."""

    def __init__(self, hybrid, folder):
        self.folder = pathlib.Path(folder)
        self._hybrid = hybrid
        self._last_code = None
        with contextlib.ExitStack() as stack:
            self.site = relying_party.RelyingParty()
            self.service = tunnel.TunnelService(hybrid, folder)
            stack.callback(self.service.end)
            self.browser = browsers.Browser(folder, self.site.origin, self.service.authority, self.service.port)
            stack.callback(self.browser.end)
            self._wake_bluetooth()
            self._stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _wake_bluetooth(self):
        """Chromium meets its adapter in the first request only, and takes one that is late for none at all."""
        options, _ = self.site.request()
        self.browser.value(f"run('get', {json.dumps(options)})")
        browsers.until(lambda: self.browser.logged("Adapter powered on"), "Chromium's Bluetooth adapter")
        self.cancel()

    def cancel(self):
        """The page gives its request up."""
        self.browser.value("stop.abort()")
        browsers.until(lambda: self.browser.value("outcome !== null"), "the page's end of a request")

    def ask(self, kind, options):
        """Has the page ask the browser; returns the QR code's URL when it is on the screen, and when that was."""
        self.browser.value(f"run({json.dumps(kind)}, {json.dumps(options)})")
        return self.shown_code(), time.time()

    def shown_code(self):
        """The next QR code on the screen."""
        def new_code():
            code = self.browser.qr_code()
            return code if code != self._last_code else None
        self._last_code = browsers.until(new_code, "a QR code on the screen")
        return self._last_code

    def answer(self, code, domain=0, adapter=AUTHENTICATOR_ADAPTER, arguments=("--yes",)):
        """Starts an authenticator with a QR code."""
        process = processes.start(
            [self._hybrid, "authenticator", "answer", "-", "--json", "--store", str(self.folder / "passkeys"), "--adapter",
             adapter, "--tunnel", self.service.url, "--ca", str(self.service.authority), "--tunnel-domain", str(domain),
             *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        process.stdin.write(code + "\n")
        process.stdin.close()
        return process

    def outcome(self, process, since):
        """Waits for the page and the authenticator."""
        seen = browsers.until(lambda: json.loads(self.browser.value("JSON.stringify(outcome)")), "the page's result")
        seen_at = time.time()
        events = [json.loads(line) for line in process.stdout if line.startswith("{")]
        process.wait(timeout=PATIENCE)
        times = {event["stage"]: round((event["time"] - since) * 1000) for event in events if event["event"] == "stage"}
        times[RESULT] = round((seen_at - since) * 1000)
        return Outcome(seen.get("answer"), seen.get("error"), events, process.returncode, times)

    def ceremony(self, kind, options, **how):
        """One ceremony from the page's request to its result."""
        code, since = self.ask(kind, options)
        return self.outcome(self.answer(code, **how), since)

    def register(self, user, domain=0, **wishes):
        """A registration that must succeed; returns the credential and the outcome."""
        options, state = self.site.creation(user, **wishes)
        outcome = self.ceremony("create", options, domain=domain)
        if outcome.answer is None:
            raise AssertionError(f"the page saw {outcome.error}; the authenticator said {outcome.events[-1:]}")
        return self.site.created(state, outcome.answer), outcome

    def sign_in(self, domain=0, **wishes):
        """A sign-in that must succeed; returns the credential and the outcome."""
        options, state = self.site.request(**wishes)
        outcome = self.ceremony("get", options, domain=domain)
        if outcome.answer is None:
            raise AssertionError(f"the page saw {outcome.error}; the authenticator said {outcome.events[-1:]}")
        return self.site.signed_in(state, outcome.answer), outcome
