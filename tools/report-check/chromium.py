"""A headless Chromium that shows one page, driven by its DevTools protocol."""
import base64
import itertools
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

import websockets.sync.client

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lab"))
import processes  # noqa: E402

CHROMIUM = "/usr/lib/chromium/chromium"
START_TIMEOUT = 120
TIMEOUT = 120
MOST_MESSAGE_BYTES = 1 << 28


class Chromium:
    """One page of a browser of its own; nothing of it is kept."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self._numbers = itertools.count(1)
        self._log = open(folder / "chromium.log", "wb")
        # The name is never resolved: whatever a page asks of the network fails, and is noted.
        self._process = processes.start([
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder / 'profile'}",
            "--remote-debugging-port=0", "--remote-allow-origins=*", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank",
        ], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        deadline = time.monotonic() + START_TIMEOUT
        said = folder / "profile/DevToolsActivePort"
        while not (said.exists() and "\n" in said.read_text()):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise TimeoutError(f"Chromium does not start: {(folder / 'chromium.log').read_text()[-1000:]}")
            time.sleep(0.05)
        port = int(said.read_text().split()[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
            target = next(target for target in json.load(answer) if target["type"] == "page")
        self._devtools = websockets.sync.client.connect(
            target["webSocketDebuggerUrl"], max_size=MOST_MESSAGE_BYTES, open_timeout=TIMEOUT, ping_interval=None)
        self.events = []
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def end(self):
        """Ends it."""
        self._devtools.close()
        processes.end(self._process)
        self._log.close()

    def ask(self, method, **parameters):
        """The result of a method; what happens meanwhile is kept as events."""
        number = next(self._numbers)
        self._devtools.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._devtools.recv(timeout=TIMEOUT))
            if message.get("id") == number:
                break
            self.events.append(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def open(self, address):
        """Shows a page, and waits until it is there; returns what it asked the network for, and what it complained of."""
        self.events = []
        self.ask("Page.navigate", url=address)
        deadline = time.monotonic() + TIMEOUT
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{address} does not load")
            self.events.append(json.loads(self._devtools.recv(timeout=TIMEOUT)))
        asked = [event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"]
        said = [event["params"]["entry"]["text"] for event in self.events if event["method"] == "Log.entryAdded"]
        return [url for url in asked if url != address], said

    def value(self, expression):
        """What an expression, or the promise that it is, comes to."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:1000])
        return answer["result"].get("value")

    def emulate(self, width, scheme="light", media="screen"):
        """The reader's settings."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        # A picture has none, so that a page would be wider there than where it is measured.
        self.ask("Emulation.setScrollbarsHidden", hidden=True)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, height=None):
        """The page as PNG: from its beginning, so many pixels."""
        width = self.value("document.documentElement.clientWidth")
        whole = self.value("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": min(whole, height or whole), "scale": 1}
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def paper(self):
        """The page as PDF."""
        printed = self.ask("Page.printToPDF", printBackground=False, preferCSSPageSize=False, paperWidth=8.27, paperHeight=11.69)
        return base64.b64decode(printed["data"])
