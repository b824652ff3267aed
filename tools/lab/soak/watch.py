"""What is made of a soak while it runs: its new lines, a status, alerts."""
import gzip
import json
import os
import subprocess
import sys
import time

from soak import journal
from terminal import say

STATUS_SECONDS = 0.5
PLAIN_STATUS_SECONDS = 60
ALERT_SECONDS = 60


class Tail:
    """New lines of a growing file of JSON lines, which somebody else writes."""

    def __init__(self, folder, name):
        self._journal = journal.Journal(folder, name)
        self._path = self._journal.path
        self._offset = 0
        self._segments = 0

    def new(self):
        """The lines that have come since the last time: at first all of them."""
        data = b""
        for segment in self._journal.segments()[self._segments:]:
            # The file has been compressed meanwhile, and a new one begun.
            with gzip.open(segment, "rb") as file:
                data += file.read()[self._offset:]
            self._offset = 0
            self._segments += 1
        if self._path.is_file():
            with open(self._path, "rb") as file:
                file.seek(self._offset)
                rest = file.read()
            whole = rest.rfind(b"\n") + 1
            self._offset += whole
            data += rest[:whole]
        return [json.loads(line) for line in data.splitlines()]


class Status:
    """One line that changes on a terminal; else a line now and then."""

    def __init__(self):
        self._is_terminal = sys.stderr.isatty()
        self._shown = 0.0

    def show(self, text, now):
        if self._is_terminal:
            if now - self._shown >= STATUS_SECONDS:
                width = os.get_terminal_size(sys.stderr.fileno()).columns
                print(f"\r\x1b[K{text[:width - 1]}", end="", file=sys.stderr, flush=True)
                self._shown = now
        elif now - self._shown >= PLAIN_STATUS_SECONDS:
            say(text)
            self._shown = now

    def clear(self):
        if self._is_terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Alerts:
    """Runs the alert command, once for each threshold that is breached, and again if it was held in between."""

    def __init__(self, command, folder, state):
        self._command = command
        self._folder = folder
        self._state = state
        self._breached = set()
        self._running = []

    def check(self, breaches, figures_so_far):
        for breach in breaches:
            if breach.is_held:
                self._breached.discard(breach.name)
            elif breach.name not in self._breached:
                self._breached.add(breach.name)
                self._raise(breach, figures_so_far)
        self._running = [(process, until) for process, until in self._running if not self._is_over(process, until)]

    def _raise(self, breach, figures_so_far):
        say(f"threshold breached: {breach.text}: {breach.value:.3g} {breach.unit}, and the limit is {breach.limit:g}")
        if not self._command:
            return
        text = json.dumps(breach.as_json() | {"seed": self._state["seed"], "ceremonies": figures_so_far.count,
                                              "results": str(self._folder)}) + "\n"
        try:
            process = subprocess.Popen(["/bin/sh", "-c", self._command], stdin=subprocess.PIPE, start_new_session=True)
            try:
                process.stdin.write(text.encode())
                process.stdin.close()
            except BrokenPipeError:
                pass
            self._running.append((process, time.monotonic() + ALERT_SECONDS))
        except OSError as error:
            say(f"warning: the alert command could not be run: {error.strerror}")

    @staticmethod
    def _is_over(process, until):
        if process.poll() is None:
            if time.monotonic() < until:
                return False
            process.kill()
            process.wait()
            say(f"warning: the alert command was ended after {ALERT_SECONDS} s")
        elif process.returncode != 0:
            say(f"warning: the alert command failed ({process.returncode})")
        return True

    def finish(self):
        """Waits for the last commands."""
        while self._running:
            self._running = [(process, until) for process, until in self._running if not self._is_over(process, until)]
            time.sleep(0.05)
