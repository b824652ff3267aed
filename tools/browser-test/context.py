"""The context: browser, website, tunnel service and authenticator, and one ceremony between them."""
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import time

import adapters
import browser as browsers
import person as people
import processes
import relying_party
import tunnel

TESTS = pathlib.Path(__file__).resolve().parents[2] / "Tests"
TIMEOUT = 60
RESULT = "page's result"
WAKING_SECONDS = 3
QUIET_SECONDS = 0.3


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


class TestContext:
    """Everything that a ceremony needs."""

    BROWSER_ADAPTER = "hci0"
    AUTHENTICATOR_ADAPTER = "hci1"

    def __init__(self, hybrid, folder, service=None, features=()):
        self.folder = pathlib.Path(folder)
        self.program = self._hybrid = hybrid
        self._last_code = None
        with contextlib.ExitStack() as stack:
            self.site = relying_party.RelyingParty()
            self.service = service or tunnel.TunnelService(hybrid, folder)
            stack.callback(self.service.end)
            self.browser = browsers.Browser(
                folder, self.site.origin, self.service.authority, self.service.address, features=features)
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
        self.request("get", options)
        browsers.until(lambda: self.browser.logged("Adapter powered on"), "Chromium's Bluetooth adapter")
        # A scan that begins only when the request is over would be in the next one's way.
        time.sleep(WAKING_SECONDS)
        self.cancel()

    def clear(self):
        """Gives up a request that is still pending, so that the next one begins afresh."""
        if self.browser.value("stop !== null && outcome === null"):
            self.cancel()

    def cancel(self):
        """The page gives its request up."""
        self.browser.value("stop.abort()")
        browsers.until(lambda: self.browser.value("outcome !== null"), "the page's end of a request")

    def request(self, kind, options):
        """Has the page ask the browser, once its last scan is over: one that begins too soon fails, and Chromium waits for ever."""
        browsers.until(self._is_quiet, "the end of Chromium's last scan")
        self.browser.value(f"run({json.dumps(kind)}, {json.dumps(options)})")

    def _is_quiet(self):
        """Whether nobody scans, and nobody is about to."""
        if adapters.is_scanning(self.BROWSER_ADAPTER):
            return False
        time.sleep(QUIET_SECONDS)
        return not adapters.is_scanning(self.BROWSER_ADAPTER)

    def ask(self, kind, options):
        """Has the page ask the browser, which goes straight to a QR code; returns its URL, and when it was on the screen."""
        self.request(kind, options)
        return self.shown_code(), time.time()

    def ask_for_credential(self, kind, digital):
        """Has the page ask for a digital credential; returns the QR code's URL, and when it was on the screen."""
        browsers.until(self._is_quiet, "the end of Chromium's last scan")
        self.browser.value(f"ask({json.dumps(kind)}, {json.dumps(digital)})")
        return self.shown_code(), time.time()

    def answer_with_handler(self, code, handler):
        """Starts an authenticator that offers digital credentials alone, answered by a program."""
        arguments = ["--yes", "--credential-handler", str(handler)]
        process = processes.start(self._authenticator(0, arguments, ["--no-passkeys", "--ephemeral"]), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self._given(process, code)

    def shown_code(self, is_new=True):
        """The QR code on the screen: another than the last one, unless `is_new` is false."""
        def new_code():
            code = self.browser.qr_code()
            return code if code != self._last_code or not is_new else None
        self._last_code = browsers.until(new_code, "a QR code on the screen")
        return self._last_code

    @contextlib.contextmanager
    def system_bus(self, behaviour):
        """Has polkitd and fprintd stand in on a bus of their own; gives its socket, for an authenticator's system bus."""
        socket = self.folder / f"{behaviour}.socket"
        stand_in = processes.start(["/usr/bin/python3", str(TESTS / "UserVerificationTests/Peers/stand_in.py"), behaviour,
                                    f"at={socket}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            if not stand_in.stdout.readline():
                raise AssertionError("polkitd and fprintd do not come up")
            yield socket
        finally:
            processes.end(stand_in)

    def _authenticator(self, domain, arguments, store=None, bus=None):
        store = store or ["--store", str(self.folder / "passkeys")]
        # The program asks no bus but the machine's own: so it gets a machine's of its own.
        there = ["sh", str(TESTS / "CommandLineTests/Peers/on_system_bus"), str(bus)] if bus else []
        return [*there, self._hybrid, "authenticator", "answer", "-", "--json", *store,
                "--adapter", self.AUTHENTICATOR_ADAPTER, "--tunnel", self.service.url, "--ca", str(self.service.authority),
                "--tunnel-domain", str(domain), *arguments]

    def answer(self, code, domain=0, store=None, options=("--yes",), bus=None):
        """Starts an authenticator with a QR code, which approves everything and keeps passkeys in the clear, unless told."""
        process = processes.start(self._authenticator(domain, options, store, bus), stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self._given(process, code)

    def answer_in_person(self, code, store=None, options=("--verify", "passphrase"), bus=None):
        """Starts an authenticator with a QR code at somebody's terminal."""
        person = people.Person(self._authenticator(0, options, store, bus))
        self._given(person.process, code)
        return person

    def _open_vault(self, code):
        """Starts one whose vault somebody opens: the passphrase that was typed verifies the first approval."""
        vault = self.folder / "in-person.vault"
        prompts = ["passphrase of the vault"] if vault.exists() else ["a passphrase for your new vault", "the same again"]
        person = self.answer_in_person(code, ["--vault", str(vault)])
        for prompt in prompts:
            person.waits_for(prompt)
            person.types(people.PASSPHRASE)
        return person

    def register_in_person(self, user):
        """A registration in the vault that somebody approves, and that must succeed."""
        options, state = self.site.creation(user)
        code, since = self.ask("create", options)
        person = self._open_vault(code)
        person.waits_for("approve?")
        person.types("y")
        person.verifies()
        outcome = self.outcome(person.process, since)
        if outcome.answer is None:
            raise AssertionError(f"the page saw {outcome.error}; the authenticator said {outcome.events[-1:]}")
        return self.site.created(state, outcome.answer)

    def ask_in_person(self, question):
        """Has the page ask for a sign-in, and an authenticator ask somebody at its terminal for a passkey of the vault; returns
        that person, who has been asked, and what verifies the answer."""
        options, state = self.site.request()
        code, _ = self.ask("get", options)
        person = self._open_vault(code)
        person.waits_for(question)
        return person, state

    @staticmethod
    def _given(process, code):
        process.stdin.write(code + "\n")
        process.stdin.close()
        process.stdin = None  # communicate() would write to it.
        return process

    def outcome(self, process, since=0.0):
        """Waits for the page and the authenticator."""
        try:
            seen = browsers.until(lambda: json.loads(self.browser.value("JSON.stringify(outcome)")), "the page's result")
        except TimeoutError as error:
            process.terminate()
            raise TimeoutError(f"{error}; our side said {self.end_of(process)[-2:]}") from error
        seen_at = time.time()
        events = self.end_of(process)
        times = {event["stage"]: round((event["time"] - since) * 1000) for event in events if event["event"] == "stage"}
        times[RESULT] = round((seen_at - since) * 1000)
        return Outcome(seen.get("answer"), seen.get("error"), events, process.returncode, times)

    @staticmethod
    def end_of(process):
        """Waits for an authenticator's end; returns what it said."""
        # It may be waiting until its own idle time, 60 seconds, is over.
        said, _ = process.communicate(timeout=2 * TIMEOUT)
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def ceremony(self, kind, options, **how):
        """One ceremony from the page's request to its result."""
        code, since = self.ask(kind, options)
        return self.outcome(self.answer(code, **how), since)

    def register(self, user, domain=0, **choices):
        """A registration that must succeed; returns the credential and the outcome."""
        options, state = self.site.creation(user, **choices)
        outcome = self.ceremony("create", options, domain=domain)
        if outcome.answer is None:
            raise AssertionError(f"the page saw {outcome.error}; the authenticator said {outcome.events[-1:]}")
        return self.site.created(state, outcome.answer), outcome

    def sign_in(self, domain=0, **choices):
        """A sign-in that must succeed; returns the credential and the outcome."""
        options, state = self.site.request(**choices)
        outcome = self.ceremony("get", options, domain=domain)
        if outcome.answer is None:
            raise AssertionError(f"the page saw {outcome.error}; the authenticator said {outcome.events[-1:]}")
        return self.site.signed_in(state, outcome.answer), outcome
