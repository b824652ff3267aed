"""An unmodified Chromium under a virtual display, driven by its DevTools protocol."""
import itertools
import json
import os
import pathlib
import subprocess
import time
import urllib.request

import websockets.sync.client

import processes

CHROMIUM = "/usr/lib/chromium/chromium"
SCREEN = "1280x1024x24"
TIMEOUT = 60
# Until Chromium has started on a machine where nothing of it was read before.
START_TIMEOUT = 300
LOGGED = "*fido*=3,*cable*=3,*webauthn*=3,device_event_log*=1"
QR_PREFIX = "FIDO:/"
MOST_MESSAGE_BYTES = 1 << 26


def until(ready, what, timeout=TIMEOUT):
    """Waits until `ready()` is neither None nor False; returns it."""
    deadline = time.monotonic() + timeout
    while True:
        found = ready()
        if found is not None and found is not False:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {timeout} s")
        time.sleep(0.05)


def version():
    """The version that Chromium tells: 156.0.7500.0."""
    said = subprocess.run([CHROMIUM, "--version"], capture_output=True, text=True, check=True).stdout.split()
    return next((word for word in said if word[:1].isdigit()), "unknown")


def start_screen(folder):
    """A virtual display: its process and its name."""
    number, written = os.pipe()
    with open(pathlib.Path(folder) / "xvfb.log", "wb") as log:
        display = processes.start(
            ["Xvfb", "-displayfd", str(written), "-screen", "0", SCREEN, "-nolisten", "tcp"], pass_fds=[written],
            stdout=log, stderr=log)
    os.close(written)
    with os.fdopen(number) as reader:
        return display, f":{reader.readline().strip()}"


class Browser:
    """Chromium with one page, its log, and what its screen shows."""

    # Where Chromium 156 draws its choice of a device, in a window of this size.
    PHONE_OR_TABLET = (640, 328)

    def __init__(self, folder, page, authority=None, tunnel_address=None, start_timeout=START_TIMEOUT, features=()):
        self.home = pathlib.Path(folder) / "home"
        self.log_path = pathlib.Path(folder) / "chromium.log"
        self.home.mkdir(parents=True, exist_ok=True)
        way = []
        if authority:
            self._trust(authority)
            way = [f"--host-resolver-rules=MAP cable.* {tunnel_address}"]
        if features:
            way.append(f"--enable-features={','.join(features)}")
        self._numbers = itertools.count(1)
        self._display, screen = start_screen(folder)
        environment = dict(os.environ, HOME=str(self.home), DISPLAY=screen)
        environment.pop("XDG_CONFIG_HOME", None)
        self._log = open(self.log_path, "wb")
        self.profile = profile = self.home / "profile"
        self._process = processes.start([
            CHROMIUM, "--no-sandbox", f"--user-data-dir={profile}", "--no-first-run", "--disable-gpu",
            "--password-store=basic", "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-position=0,0", "--window-size=1280,1024",
            "--enable-logging=stderr", f"--vmodule={LOGGED}", *way, page,
        ], env=environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self._screen = screen
        self._picture = pathlib.Path(folder) / "screen.png"
        port = int(until(lambda: self._said(profile / "DevToolsActivePort"), "Chromium's DevTools", start_timeout).split()[0])
        self._devtools = websockets.sync.client.connect(
            until(lambda: self._page(port, page), "the page", start_timeout), max_size=MOST_MESSAGE_BYTES, open_timeout=TIMEOUT,
            ping_interval=None)
        until(lambda: self.value("typeof run") == "function", "the page's script", start_timeout)

    def end(self):
        """Ends Chromium and its display."""
        processes.end(self._process)
        processes.end(self._display)
        self._log.close()

    def command(self, method, parameters=None):
        """The result of a command of DevTools."""
        number = next(self._numbers)
        self._devtools.send(json.dumps({"id": number, "method": method, "params": parameters or {}}))
        while True:
            answer = json.loads(self._devtools.recv(timeout=TIMEOUT))
            if answer.get("id") == number:
                break
        if "error" in answer or "exceptionDetails" in answer["result"]:
            raise RuntimeError(f"{method} failed: {json.dumps(answer)[:500]}")
        return answer["result"]

    def value(self, expression):
        """What an expression is in the page; promises are not waited for."""
        parameters = {"expression": expression, "returnByValue": True, "userGesture": True}
        return self.command("Runtime.evaluate", parameters)["result"].get("value")

    def picture(self):
        """A picture of the screen, in a file."""
        subprocess.run(["import", "-window", "root", str(self._picture)], check=True,
                       env=dict(os.environ, DISPLAY=self._screen))
        return self._picture

    def press(self, key):
        """Presses a key."""
        subprocess.run(["xdotool", "key", key], check=True, env=dict(os.environ, DISPLAY=self._screen))

    def qr_code(self):
        """The FIDO:/ URL on the screen, as a camera would read it; None if there is none."""
        self.picture()
        found = subprocess.run(["zbarimg", "--raw", "--quiet", "--nodbus", str(self._picture)], capture_output=True,
                               text=True, check=False).stdout.split()
        return next((text for text in found if text.startswith(QR_PREFIX)), None)

    def click(self, x, y):
        """Clicks somewhere on the screen."""
        subprocess.run(["xdotool", "mousemove", str(x), str(y), "click", "1"], check=True,
                       env=dict(os.environ, DISPLAY=self._screen))

    def log_length(self):
        """How much Chromium has logged so far, in bytes."""
        return self.log_path.stat().st_size

    def logged(self, text, since=0):
        """Whether a text has been logged after a place in the log."""
        with open(self.log_path, "rb") as log:
            log.seek(since)
            return text.encode() in log.read()

    def _trust(self, authority):
        database = self.home / ".pki" / "nssdb"
        database.mkdir(parents=True)
        for arguments in (["-N", "--empty-password"], ["-A", "-t", "C,,", "-n", "browser test", "-i", str(authority)]):
            subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True)

    @staticmethod
    def _said(path):
        return path.read_text() if path.exists() and "\n" in path.read_text() else None

    @staticmethod
    def _page(port, page):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
            targets = json.load(answer)
        return next((target["webSocketDebuggerUrl"] for target in targets
                     if target["type"] == "page" and target["url"].startswith(page)), None)
