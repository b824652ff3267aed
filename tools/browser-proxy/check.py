"""Signs in through the extension: an unmodified Chromium, the service at a terminal, an authenticator over the simulated radio, and
python-fido2 as the relying party, all on this machine."""
import base64
import json
import os
import pathlib
import select
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "lab"), str(HERE.parent / "browser-test")]

from fido2.webauthn import PublicKeyCredentialDescriptor, PublicKeyCredentialType  # noqa: E402

import browser as browsers  # noqa: E402
import person as people  # noqa: E402
import processes  # noqa: E402
import relying_party  # noqa: E402

HYBRID = os.environ["HYBRID"]
TIMEOUT = 60
# The service asks no more often.
MOST_QUESTIONS, WINDOW = 10, 61
SALT = base64.urlsafe_b64encode(bytes(range(32))).decode().rstrip("=")
PRF = {"prf": {"eval": {"first": SALT}}}


class Check:
    """Browser, website, service and authenticator."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.radio = f"udp:127.0.0.1:{free.getsockname()[1]}"
        self._tunnel = processes.start([HYBRID, "tunnel-service", "--listen", "127.0.0.1:0", "--plain", "--json"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.reach = ["--radio", self.radio, "--tunnel", json.loads(self._tunnel.stdout.readline())["url"]]
        home = folder / "home"
        profile = home / "profile"
        home.mkdir()
        environment = {**os.environ, "HOME": str(home)}
        environment.pop("XDG_DATA_HOME", None)
        self.tool = lambda action: subprocess.run([HERE / "run", action, str(profile)], env=environment, check=True)
        self.tool("install")
        # Both ends are on this machine: the extension's socket is the service's.
        self.socket = home / ".local/share/hybrid/browser-proxy/laptop.socket"
        self.profile = profile
        self.start_service()
        self.site = relying_party.RelyingParty()
        self.browser = browsers.Browser(folder, self.site.origin)
        self._asked = []
        browsers.until(self._is_attached, "the extension")

    def start_service(self):
        self.person = people.Person([HYBRID, "client", "serve-browser", "--for", "the sandbox", "--socket", str(self.socket),
                                     "--no-links", "--qr", "url", *self.reach])
        browsers.until(self.socket.exists, "the service")

    def end_service(self):
        self.person.process.terminate()
        self.person.process.wait()

    def end(self):
        self.end_service()
        self.browser.end()
        processes.end(self._tunnel)

    def _is_attached(self):
        # Without the extension Chromium asks for its own devices, on its screen, and the page hears nothing.
        said = subprocess.run(["pgrep", "-a", "-f", f"user-data-dir={self.profile}.*--extension-process"], capture_output=True,
                              check=False)
        return bool(said.stdout)

    def pace(self):
        """Waits until the service may ask once more."""
        self._asked = [at for at in self._asked if time.monotonic() - at < WINDOW]
        if len(self._asked) >= MOST_QUESTIONS:
            time.sleep(WINDOW - (time.monotonic() - self._asked[0]))
        self._asked.append(time.monotonic())
        self.person.read = ""

    def ask(self, kind, options):
        """Has the page ask; returns when somebody is asked at the terminal."""
        self.pace()
        self.browser.value(f"run({json.dumps(kind)}, {json.dumps(options)})")
        return self.asked()

    def asked(self):
        """What somebody is asked at the terminal."""
        self.person.waits_for("[y/n]")
        for text in ("the sandbox", self.site.origin, "That machine states the page"):
            assert text in self.person.read, f"the question does not say {text!r}: {self.person.read}"
        return self.person.read

    def agree(self):
        """Agrees; returns the QR code."""
        self.person.types("y")
        ready, _, _ = select.select([self.person.process.stdout], [], [], TIMEOUT)
        assert ready, "no QR code"
        return self.person.process.stdout.readline().strip()

    def answer(self, code, store="passkeys"):
        """An authenticator, to its end."""
        place = ["--store", str(self.folder / store)] if store else ["--ephemeral"]
        subprocess.run([HYBRID, "authenticator", "answer", code, "--yes", *place, *self.reach], check=False, timeout=2 * TIMEOUT,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def outcome(self):
        """What the page saw."""
        return browsers.until(lambda: json.loads(self.browser.value("JSON.stringify(outcome)")), "the page's result")

    def credential(self):
        seen = self.outcome()
        assert "answer" in seen, f"the page saw {seen}"
        return seen["answer"]

    def error(self, name):
        seen = self.outcome()
        assert seen.get("error") == name, f"the page saw {seen}, and not {name}"
        # Of a refusal a page learns nothing more, whoever refuses.
        assert name != "NotAllowedError" or seen["message"] == "the request was refused, or ended", seen
        return f"the page saw {name}"

    def register(self, user, exclude=()):
        options, state = self.site.creation(user, extensions=PRF | {"credProps": True}, exclude=exclude)
        question = self.ask("create", options)
        assert f'"{user}"' in question, question
        self.answer(self.agree())
        return state

    def sign_in(self, credential):
        options, state = self.site.request(allow=[described(credential)], extensions=PRF)
        self.ask("get", options)
        self.answer(self.agree())
        answer = self.credential()
        assert self.site.signed_in(state, answer).credential_id == credential.credential_id
        secret = answer["clientExtensionResults"]["prf"]["results"]["first"]
        assert len(secret) == 43, secret
        return secret


def described(credential):
    return PublicKeyCredentialDescriptor(type=PublicKeyCredentialType.PUBLIC_KEY, id=credential.credential_id)


def ceremonies(check, count):
    """Registrations and sign-ins in turn; prf gives the same secret twice, and another for each passkey."""
    secrets = set()
    for number in range(count):
        state = check.register(f"user {number}")
        answer = check.credential()
        assert answer["clientExtensionResults"]["prf"]["enabled"] and answer["clientExtensionResults"]["credProps"]["rk"], answer
        secrets.add(check.sign_in(check.site.created(state, answer)))
    assert len(secrets) == count
    assert check.sign_in(check.site.credentials[-1]) in secrets
    return f"{count} registrations and {count + 1} sign-ins, verified by python-fido2, with prf"


def refused(check):
    options, _ = check.site.request()
    check.ask("get", options)
    check.person.types("n")
    return check.error("NotAllowedError")


def excluded(check):
    check.register("user 0", exclude=[described(check.site.credentials[0])])
    return check.error("InvalidStateError")


def without_passkey(check):
    options, _ = check.site.request()
    check.ask("get", options)
    check.answer(check.agree(), store=None)
    return check.error("NotAllowedError")


def aborted_at_question(check):
    options, _ = check.site.request()
    check.ask("get", options)
    check.browser.value("stop.abort()")
    return check.error("AbortError")


def aborted_at_code(check):
    options, _ = check.site.creation("somebody")
    check.ask("create", options)
    check.agree()
    check.browser.value("stop.abort()")
    return check.error("AbortError")


def origin_of_the_page(check):
    """A page that names an origin itself: Chromium's own word counts."""
    options, _ = check.site.request()
    check.pace()
    check.browser.value("""settle(navigator.credentials.get({publicKey: {challenge: new Uint8Array(16), extensions:
        {remoteDesktopClientOverride: {origin: 'https://evil.example', sameOriginWithAncestors: true}}}}))""")
    browsers.until(lambda: check.browser.value("outcome !== null") or read_more(check.person), "a question or an error")
    if "[y/n]" not in check.person.read:
        raise AssertionError(f"the page saw {check.outcome()}")
    assert "evil" not in check.asked()
    check.person.types("n")
    return check.error("NotAllowedError")


def read_more(person):
    ready, _, _ = select.select([person._terminal], [], [], 0.1)
    if ready:
        person.read += os.read(person._terminal, 4096).decode(errors="replace")
    return "[y/n]" in person.read


def nobody_listens(check):
    check.end_service()
    options, _ = check.site.request()
    check.browser.value(f"run('get', {json.dumps(options)})")
    said = check.error("NotAllowedError")
    check.start_service()
    return said


CASES = [refused, excluded, without_passkey, aborted_at_question, aborted_at_code, origin_of_the_page, nobody_listens]


def main():
    count = int(sys.argv[1])
    failed = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="browser-proxy-") as folder:
        check = Check(pathlib.Path(folder))
        print(f"{browsers.version()} has the extension after {time.monotonic() - began:.0f} s", flush=True)
        try:
            for case in [lambda check: ceremonies(check, count), *CASES]:
                name = getattr(case, "__name__", "")
                try:
                    print(f"ok    {name.replace('_', ' ').replace('<lambda>', 'row')}: {case(check)}", flush=True)
                except (AssertionError, OSError, ValueError, KeyError, RuntimeError) as error:
                    failed += 1
                    print(f"FAIL  {name.replace('_', ' ')}: {type(error).__name__}: {error}", flush=True)
        finally:
            check.end()
        check.tool("remove")
        left = [str(path) for path in (check.profile / "NativeMessagingHosts").iterdir()]
        left += [str(path) for path in (check.profile / "External Extensions").iterdir()]
        if left or check.socket.parent.exists():
            failed += 1
            print(f"FAIL  removed: {left} are left")
    print(f"{len(CASES) + 1} cases, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


sys.exit(main())
