"""Programs of the soak: started, read line by line, ended by their own process ids."""
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import processes

LONGEST_LINE = 65536
KEPT_LINES = 200
ERROR_BYTES = 4000


class Program:
    """A program whose lines of standard output come to a queue, each with its time of arrival (monotonic)."""

    def __init__(self, role, command, folder, heard=None, environment=None, text=None):
        self.role = role
        self.command = command
        self.heard = heard if heard is not None else queue.Queue()
        self.lines = []
        self._errors = open(os.path.join(folder, f"{role}.log"), "ab+")
        self.began = time.monotonic()
        self.process = processes.start(command, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                       stderr=self._errors,
                                       stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL)
        if text is not None:
            try:
                self.process.stdin.write(text.encode())
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        stream = self.process.stdout
        while line := stream.readline(LONGEST_LINE):
            self._take(line)
        stream.close()
        code = self.process.wait()
        self.heard.put((self, time.monotonic(), {"event": "ended", "code": code}))

    def _take(self, line):
        now = time.monotonic()
        text = line.decode(errors="replace").rstrip("\n")
        self.lines.append((now, text))
        # A listener goes on for days; only its last lines explain anything.
        del self.lines[:-KEPT_LINES]
        if text.startswith("FIDO:/"):
            self.heard.put((self, now, {"event": "code", "url": text}))
            return
        try:
            event = json.loads(text)
        except ValueError:
            event = None
        if not isinstance(event, dict):
            event = {"event": "no-json"}
        self.heard.put((self, now, event))

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        """Ends it at once."""
        processes.kill(self.process)

    @contextlib.contextmanager
    def stopped(self):
        """Keeps it from running, as on a machine that has other things to do."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def end(self, timeout=5.0):
        """Ends it normally if it can."""
        processes.end(self.process, timeout)

    def close(self):
        """Ends it, and reads the last of it."""
        if self.is_running():
            self.kill()
        self._reader.join(timeout=10)
        self._errors.close()

    def last_errors(self):
        """The end of what it wrote to standard error."""
        with open(self._errors.name, "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - ERROR_BYTES))
            return file.read().decode(errors="replace")

    def trim(self, limit):
        """Empties its log if that has grown beyond a limit: it is open for appending."""
        if os.fstat(self._errors.fileno()).st_size > limit:
            os.ftruncate(self._errors.fileno(), 0)

    def wait_for(self, is_wanted, timeout):
        """The first event that is wanted; None if it ends or the time is up. For programs with a queue of their own."""
        until = time.monotonic() + timeout
        while (left := until - time.monotonic()) > 0:
            try:
                _, _, event = self.heard.get(timeout=left)
            except queue.Empty:
                return None
            if is_wanted(event):
                return event
            if event["event"] == "ended":
                return None
        return None


def warn(text):
    print(f"soak: {text}", file=sys.stderr, flush=True)
