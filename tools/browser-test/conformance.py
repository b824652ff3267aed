"""Chromium as the client that `hybrid conformance client` tests: the runner plays authenticator and tunnel service, and advertises over
Bluetooth. The command that it runs for each case, `shown_code.py`, asks this process, which holds the browser."""
import json
import pathlib
import select
import socket
import sys
import time

import websockets.exceptions

import browser
import processes
import context as contexts
import tunnel

HERE = pathlib.Path(__file__).resolve().parent
# Chromium says on its screen alone that a session has failed. A page that has heard nothing for so many seconds will hear nothing.
HOPELESS_SECONDS = 6
TIMEOUT_SECONDS = 30
POLL_SECONDS = 0.05


class Conformance:
    """A Chromium, started again whenever it has crashed, and the runner."""

    def __init__(self, hybrid, folder):
        self._hybrid, self._folder = hybrid, pathlib.Path(folder)
        self._place = tunnel.Place(folder)
        self._started, self._served = 0, 0
        self._start()

    def _start(self):
        self._started += 1
        folder = self._folder / f"chromium-{self._started}"
        folder.mkdir()
        self._context = contexts.TestContext(self._hybrid, folder, self._place)

    def run(self, filters, say):
        """Runs the cases with one of these texts in their names; returns the runner's exit code."""
        with socket.socket(socket.AF_UNIX) as listener:
            path = str(self._folder / "browser")
            listener.bind(path)
            listener.listen()
            runner = processes.start(self._command(filters, path))
            while runner.poll() is None:
                if select.select([listener], [], [], POLL_SECONDS)[0]:
                    connection, _ = listener.accept()
                    with connection:
                        self._serve(connection, say)
        self._context.__exit__()
        return runner.returncode

    def _command(self, filters, path):
        place = self._place
        # All cases are not choice: the report of such a run is a complete one.
        filters = [] if "client/" in filters else filters
        return [
            self._hybrid, "conformance", "client", "--radio", "bluez", "--adapter", contexts.TestContext.AUTHENTICATOR_ADAPTER,
            "--jobs", "1", "--timeout", str(TIMEOUT_SECONDS), "--listen", f"127.0.0.1:{place.port}",
            "--certificate", str(place.certificate), "--key", str(place.key),
            "--known", str(HERE / "chromium-156.txt"), "--junit", str(self._folder / "conformance.xml"),
            "--report", str(self._folder / "report"), "--peer-name", "Chromium", "--peer-version", browser.version(),
            *(option for text in filters for option in ("--filter", text)),
            "--", sys.executable, str(HERE / "shown_code.py"), path]

    def _serve(self, connection, say):
        """One ceremony, for one command."""
        try:
            self._ceremony(connection)
            self._context.clear()
        except websockets.exceptions.ConnectionClosed:
            say("      Chromium has crashed; it is started again")
            _tell(connection, "crashed")
            self._context.__exit__()
            self._start()
        except (TimeoutError, RuntimeError, ValueError) as error:
            say(f"      Chromium: {error}")

    def _ceremony(self, connection):
        """Asks for a passkey, tells the code, and then what came of it; ends when that is told, or the command has gone."""
        self._served += 1
        options, state = self._context.site.creation(f"user {self._served}")
        code, _ = self._context.ask("create", options)
        _tell(connection, code)
        hopeless = time.monotonic() + HOPELESS_SECONDS
        while not select.select([connection], [], [], POLL_SECONDS)[0]:
            seen = json.loads(self._context.browser.value("JSON.stringify(outcome)"))
            if seen is None and time.monotonic() < hopeless:
                continue
            if seen and "answer" in seen:
                self._context.site.created(state, seen["answer"])
            _tell(connection, "nothing" if seen is None else seen.get("error", "credential"))
            return


def _tell(connection, line):
    try:
        connection.sendall(f"{line}\n".encode())
    except BrokenPipeError:
        pass  # The runner has ended the command.
