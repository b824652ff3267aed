"""Signs in through the extension: an unmodified Chromium, the service at a terminal, our authenticator or the tests' one in Python over
the simulated radio, OpenSSH between the two "machines", and python-fido2 as the relying party, all on this one."""
import base64
import json
import os
import pathlib
import select
import shutil
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
import ssh  # noqa: E402

HYBRID = os.environ["HYBRID"]
PYTHON_AUTHENTICATOR = [sys.executable, "-B", HERE.parents[1] / "Tests/CommandLineTests/Peers/authenticator.py"]
TIMEOUT = 60
# A service asks no more often in a minute.
MOST_QUESTIONS = 10
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
        # As the package has it.
        program, data = folder / "usr/bin/hybrid-browser-proxy", folder / "usr/share/hybrid/browser-proxy/extension"
        shutil.copytree(HERE / "extension", data)
        program.parent.mkdir()
        shutil.copy(HERE / "run", program)
        self.tool = lambda action: subprocess.run([program, action, str(profile)], env=environment, check=True)
        self.tool("install")
        self.socket = folder / "laptop/browser.socket"
        self.profile = profile
        self.start_service()
        self.forwarded = home / ".local/share/hybrid/browser-proxy/laptop.socket"
        self._forwarding = ssh.Forwarding(folder / "ssh", self.forwarded, self.socket)
        # No other user of the remote machine may connect.
        assert self.forwarded.stat().st_mode & 0o077 == 0, oct(self.forwarded.stat().st_mode)
        self.site = relying_party.RelyingParty()
        self.browser = browsers.Browser(folder, self.site.origin)
        self._attach()

    def start_service(self, *options):
        self._asked = 0
        self.person = people.Person([HYBRID, "client", "serve-browser", "--for", "the sandbox", "--socket", str(self.socket),
                                     "--no-links", "--qr", "url", *self.reach, *options])
        browsers.until(self.socket.exists, "the service")

    def end_service(self):
        self.person.process.terminate()
        self.person.process.wait()

    def end(self):
        self.end_service()
        self._forwarding.end()
        self.browser.end()
        processes.end(self._tunnel)

    def _attach(self):
        """Waits until the extension takes requests: before, Chromium asks on its own screen, and nobody hears of it."""
        options, _ = self.site.request()
        for _ in range(TIMEOUT):
            self.pace()
            self.browser.value(f"run('get', {json.dumps(options)})")
            try:
                browsers.until(lambda: read_more(self.person), "a question", timeout=2)
                return
            except TimeoutError:
                pass
            finally:
                self.browser.value("stop.abort()")
                self.outcome()
        raise TimeoutError("the extension takes no request")

    def pace(self):
        """Has a service that may ask once more."""
        if self._asked == MOST_QUESTIONS:
            self.end_service()
            self.start_service()
        self._asked += 1
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
        """Our authenticator, to its end."""
        place = ["--store", str(self.folder / store)] if store else ["--ephemeral"]
        self._run([HYBRID, "authenticator", "answer", code, "--yes", *place, *self.reach])

    def answer_in_python(self, code, *options):
        """The authenticator in Python, to its end."""
        _, radio, _, tunnel = self.reach
        self._run([*PYTHON_AUTHENTICATOR, code, radio.removeprefix("udp:"), tunnel, "--credentials",
                   str(self.folder / "credentials.json"), *(options or ["--prf"])])

    @staticmethod
    def _run(command):
        subprocess.run(command, check=False, timeout=2 * TIMEOUT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

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

    def register(self, user, exclude=(), answer=None):
        options, state = self.site.creation(user, extensions=PRF | {"credProps": True}, exclude=exclude)
        question = self.ask("create", options)
        assert f'"{user}"' in question, question
        (answer or self.answer)(self.agree())
        return state

    def sign_in(self, credential, answer=None):
        options, state = self.site.request(allow=[described(credential)], extensions=PRF)
        self.ask("get", options)
        (answer or self.answer)(self.agree())
        answer = self.credential()
        assert self.site.signed_in(state, answer).credential_id == credential.credential_id
        secret = answer["clientExtensionResults"]["prf"]["results"]["first"]
        assert len(secret) == 43, secret
        return secret


def described(credential):
    return PublicKeyCredentialDescriptor(type=PublicKeyCredentialType.PUBLIC_KEY, id=credential.credential_id)


def ceremonies(check, count, answer):
    """Registrations and sign-ins in turn; prf gives the same secret twice, and another for each passkey."""
    secrets = set()
    for number in range(count):
        state = check.register(f"user {number}", answer=answer)
        made = check.credential()
        assert made["clientExtensionResults"]["prf"]["enabled"] and made["clientExtensionResults"]["credProps"]["rk"], made
        secrets.add(check.sign_in(check.site.created(state, made), answer))
    assert len(secrets) == count
    assert check.sign_in(check.site.credentials[-1], answer) in secrets
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
    return "[y/n]" in person.read or None


def nobody_listens(check):
    check.end_service()
    options, _ = check.site.request()
    check.browser.value(f"run('get', {json.dumps(options)})")
    said = check.error("NotAllowedError")
    check.start_service()
    return said


def time_over(check):
    """Nobody takes the code."""
    check.end_service()
    check.start_service("--timeout", "2")
    options, _ = check.site.request()
    check.ask("get", options)
    check.agree()
    said = check.error("NotAllowedError")
    check.end_service()
    check.start_service()
    return said


def device(name, *options):
    """The authenticator in Python, which does not do what it is asked."""
    def case(check):
        options_of_site, _ = check.site.request(verification="required" if name == "device_without_verification" else "preferred")
        check.ask("get", options_of_site)
        check.answer_in_python(check.agree(), *options)
        return check.error("NotAllowedError")
    case.__name__ = name
    return case


def unasked(name, error, **more):
    """What nobody is asked about."""
    def case(check):
        options, _ = check.site.request(allow=[described(each) for each in check.site.credentials[:1]])
        check.pace()
        check.browser.value(f"run('get', {json.dumps(options | more)})")
        said = check.error(error)
        assert not read_more(check.person), check.person.read
        return said
    case.__name__ = name
    return case


def in_frame(check):
    """A page of another origin inside the site's page, which lets it use passkeys."""
    options, _ = check.site.request()
    check.pace()
    frame = check.site.origin.replace("localhost", "frame.localhost")
    check.browser.value(f"runInFrame({json.dumps(frame)}, 'get', {json.dumps(options | {'rpId': 'frame.localhost'})})")
    said = check.error("NotAllowedError")
    assert not read_more(check.person), check.person.read
    return said


CASES = [
    refused, excluded, without_passkey, aborted_at_question, aborted_at_code, origin_of_the_page, nobody_listens, time_over, in_frame,
    device("device_refuses", "--status", "0x27"), device("device_leaves", "--leave", "handshake"),
    device("device_without_verification", "--present"), unasked("foreign_site", "SecurityError", rpId="example.com"),
    unasked("blob_read_and_written", "NotSupportedError", extensions={"largeBlob": {"read": True, "write": SALT}}),
]


def main():
    count = int(sys.argv[1])
    failed = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="browser-proxy-") as folder:
        check = Check(pathlib.Path(folder))
        cases = [("our authenticator", lambda check: ceremonies(check, count, check.answer)),
                 ("authenticator in Python", lambda check: ceremonies(check, count, check.answer_in_python)),
                 *((case.__name__, case) for case in CASES)]
        print(f"{browsers.version()} has the extension after {time.monotonic() - began:.0f} s", flush=True)
        try:
            for name, case in cases:
                try:
                    print(f"ok    {name.replace('_', ' ')}: {case(check)}", flush=True)
                except (AssertionError, OSError, ValueError, KeyError, RuntimeError) as error:
                    failed += 1
                    print(f"FAIL  {name.replace('_', ' ')}: {type(error).__name__}: {error}", flush=True)
        finally:
            check.end()
        check.tool("remove")
        left = [str(path) for path in (check.profile / "NativeMessagingHosts").iterdir()]
        left += [str(path) for path in (check.profile / "External Extensions").iterdir()]
        if left or check.forwarded.parent.exists():
            failed += 1
            print(f"FAIL  removed: {left} are left")
    print(f"{len(cases)} cases, {failed} failed, {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


sys.exit(main())
