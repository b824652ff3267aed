"""An unmodified Firefox under a virtual display, driven by its Marionette protocol.

Source: "Protocol" in Firefox's documentation of Marionette: each message is a JSON array after its length in bytes.
"""
import itertools
import json
import os
import pathlib
import socket
import subprocess

import browser as browsers
import processes

FIREFOX = "/usr/lib/firefox-esr/firefox-esr"
# Nothing but the page: no start page, no updates, no reports to Mozilla, and no limit for scripts that a slow machine would reach.
PREFERENCES = {
    "marionette.port": 0,
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "dom.max_script_run_time": 0,
    "dom.max_chrome_script_run_time": 0,
    "extensions.systemAddon.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "toolkit.telemetry.server": "data:,",
}
# What the browser shows beside the page: its notifications' texts.
SHOWN = """
    return Array.from(window.document.querySelectorAll("popupnotification"))
        .filter(shown => !shown.hidden).map(shown => [shown.id, shown.textContent.trim() || shown.getAttribute("label"),
            shown.getAttribute("name"), shown.getAttribute("endlabel")].filter(text => text).join(" "));
"""


class Firefox:
    """Firefox with one page, and what it shows."""

    def __init__(self, folder, page, start_timeout):
        self.folder = pathlib.Path(folder)
        timeout = start_timeout
        self._numbers = itertools.count(1)
        profile = self.folder / "firefox"
        profile.mkdir()
        (profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        self._display, self.screen = browsers.start_screen(folder)
        environment = dict(os.environ, HOME=str(self.folder), DISPLAY=self.screen, MOZ_CRASHREPORTER_DISABLE="1",
                           MOZ_LOG="webauthn*:5,authenticator*:5", RUST_LOG="authenticator=debug")
        self._log = open(self.folder / "firefox.log", "wb")
        self._process = processes.start(
            [FIREFOX, "--profile", str(profile), "--no-remote", "--marionette", "--remote-allow-system-access", page],
            env=environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        port = browsers.until(lambda: self._said(profile / "MarionetteActivePort"), "Firefox's Marionette", timeout)
        self._connection = socket.create_connection(("127.0.0.1", int(port)), timeout=timeout)
        self._read()
        self._call("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"pageLoadStrategy": "none"}}})
        self._call("WebDriver:SetTimeouts", {"script": int(1000 * timeout)})
        self._call("WebDriver:Navigate", {"url": page})
        browsers.until(lambda: self.value("typeof run") == "function", "the page's script", timeout)

    def end(self):
        """Ends Firefox and its display."""
        processes.end(self._process)
        processes.end(self._display)
        self._log.close()

    def version(self):
        """The version that Firefox tells."""
        return subprocess.run([FIREFOX, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]

    def value(self, expression):
        """What an expression is in the page."""
        return self._script("content", "return window.wrappedJSObject.eval(arguments[0])", [expression])

    def shown(self):
        """The texts that the browser shows beside the page."""
        return self._script("chrome", SHOWN, [])

    def _script(self, context, script, arguments):
        self._call("Marionette:SetContext", {"value": context})
        return self._call("WebDriver:ExecuteScript", {"script": script, "args": arguments, "sandbox": "default"})["value"]

    def _call(self, command, parameters):
        number = next(self._numbers)
        message = json.dumps([0, number, command, parameters]).encode()
        self._connection.sendall(str(len(message)).encode() + b":" + message)
        while True:
            _, answered, error, result = self._read()
            if answered == number:
                break
        if error:
            raise RuntimeError(f"{command}: {error['error']}: {error['message']}")
        return result

    def _read(self):
        length = b""
        while not length.endswith(b":"):
            length += self._received(1)
        return json.loads(self._received(int(length[:-1])))

    def _received(self, count):
        read = b""
        while len(read) < count:
            chunk = self._connection.recv(count - len(read))
            if not chunk:
                raise ConnectionError("Firefox has ended")
            read += chunk
        return read

    @staticmethod
    def _said(path):
        return path.read_text().strip() or None if path.exists() else None
