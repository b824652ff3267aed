"""Chromium without a screen, with a virtual authenticator, driven by its DevTools protocol."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.request

import websockets.sync.client

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "lab"))
import processes  # noqa: E402

CHROMIUM = "/usr/lib/chromium/chromium"
# The most seconds that anything takes on a slow machine; Chromium's own limit for a file is 10.
TIMEOUT = 120

# What a page is told, by a part of Chromium's message; the words are those of the cases. The first that fits counts.
MESSAGES = {
    "attempt to fetch the .well-known/webauthn resource of the claimed RP ID failed": "fetch",
    "only available to HTTPS origins": "insecure",
    "had the wrong content-type": "content-type",
    "JSON parse error": "malformed",
    "limit on the number of eTLD+1 labels was reached": "over-limit",
    "no listed origin matched the caller": "not-listed",
}

ASK = """(async () => {
    try {
        await navigator.credentials.create({publicKey: {
            rp: {id: %s, name: "site"},
            user: {id: new Uint8Array(16), name: "alice", displayName: "Alice"},
            challenge: new Uint8Array(32),
            pubKeyCredParams: [{type: "public-key", alg: -7}],
        }});
        return "accepted";
    } catch (error) {
        return error.name + ": " + error.message;
    }
})()"""


def version():
    """The version that Chromium tells: 156.0.7500.0."""
    said = subprocess.run([CHROMIUM, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return next((word for word in said if word[:1].isdigit()), "unknown")


class Browser:
    """Chromium with one page. Every name is this machine: TLS at one port, and without TLS at another."""

    def __init__(self, folder, authority, tls_port, plain_port):
        self._home = pathlib.Path(folder) / "home"
        self._numbers = itertools.count(1)
        self._trust(authority)
        self._log = open(pathlib.Path(folder) / "chromium.log", "wb")
        profile = self._home / "profile"
        self._process = processes.start([
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--password-store=basic",
            f"--user-data-dir={profile}", "--remote-debugging-port=0", "--remote-allow-origins=*",
            f"--host-resolver-rules=MAP *:80 127.0.0.1:{plain_port},MAP * 127.0.0.1:{tls_port}",
            "--enable-logging=stderr", "about:blank",
        ], env=dict(os.environ, HOME=str(self._home)), stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        try:
            port = self._until(lambda: self._port(profile / "DevToolsActivePort"))
            self._devtools = websockets.sync.client.connect(
                self._until(lambda: self._page(port)), max_size=1 << 26, open_timeout=TIMEOUT, ping_interval=None)
            self._call("Page.enable")
            self._call("WebAuthn.enable")
            self._call("WebAuthn.addVirtualAuthenticator", options={
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
                "isUserVerified": True, "automaticPresenceSimulation": True})
        except BaseException:
            self.end()
            raise

    def end(self):
        """Ends Chromium."""
        processes.end(self._process)
        self._log.close()

    def verdict(self, origin, rp_id):
        """What a page of this origin is told that asks for a passkey of this RP ID: a word, or a message without one."""
        answer = self._call("Page.navigate", url=origin + "/")
        if "errorText" in answer:
            raise RuntimeError(f"{origin} is not there: {answer['errorText']}")
        self._until(lambda: self._value("document.readyState") == "complete")
        if self._value("location.origin") != origin:
            raise RuntimeError(f"the page's origin is {self._value('location.origin')}")
        said = self._value(ASK % json.dumps(rp_id))
        return said if said == "accepted" else next((word for part, word in MESSAGES.items() if part in said), said)

    def _value(self, expression):
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
                            userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the page refused: {json.dumps(answer)[:500]}")
        return answer["result"].get("value")

    def _call(self, method, **params):
        number = next(self._numbers)
        self._devtools.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._devtools.recv(timeout=TIMEOUT))
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _trust(self, authority):
        database = self._home / ".pki" / "nssdb"
        database.mkdir(parents=True)
        for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "test", "-i", str(authority)]):
            subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True)

    @staticmethod
    def _port(path):
        return int(path.read_text().split()[0]) if path.exists() and "\n" in path.read_text() else None

    @staticmethod
    def _page(port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
            return next((page["webSocketDebuggerUrl"] for page in json.load(answer) if page["type"] == "page"), None)

    @staticmethod
    def _until(ready):
        deadline = time.monotonic() + TIMEOUT
        while not (found := ready()):
            if time.monotonic() > deadline:
                raise TimeoutError("Chromium does not come")
            time.sleep(0.05)
        return found
