"""The program, and its conversation."""
import json
import os
import select
import subprocess
import time

from accessible import Application
from checks import LIMIT, until

GREETING = b'{"contract":1,"language":"en"}\n'


class Program:
    """A program that is running, with hybrid's side of the contract."""

    def __init__(self, path, environment, greets=True):
        self.process = subprocess.Popen([path], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        self.received, self.id, self.begun = b"", 0, time.monotonic()
        self.application = Application(self.process.pid)
        if greets:
            self.send(GREETING)
            self.greeting = self.line()

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def show(self, state, **others):
        """Shows a state; its number."""
        self.id += 1
        self.shown = {"id": self.id, **state, **others}
        self.begun = time.monotonic()
        self.send(json.dumps(self.shown).encode() + b"\n")
        return self.id

    def _receive(self, limit):
        if not select.select([self.process.stdout], [], [], max(0, limit))[0]:
            return False
        data = os.read(self.process.stdout.fileno(), 65536)
        self.received += data
        return bool(data)

    def line(self, limit=LIMIT):
        """The next line as JSON; None without one in time."""
        end = time.monotonic() + limit
        while b"\n" not in self.received:
            if not self._receive(end - time.monotonic()):
                return None
        line, _, self.received = self.received.partition(b"\n")
        return json.loads(line)

    def bytes(self, count):
        """So many bytes after a line; fewer if the program ends."""
        while len(self.received) < count and self._receive(LIMIT):
            pass
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def answer(self, limit=LIMIT):
        """The next answer, without its number if that is the last one's."""
        line = self.line(limit)
        if line and line.get("id") == self.id:
            del line["id"]
        return line

    def is_shown(self):
        """Waits until the last state is there for assistive technology, and its pause is over as far as that shows."""
        return until(lambda: self.application.find("heading", self.shown["title"]))

    def end(self):
        """Ends the conversation; the exit code and standard error, or None if it does not end."""
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        return self.ended(LIMIT)

    def ended(self, limit):
        """The exit code and standard error."""
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        return code, self.process.stderr.read().decode(errors="replace")

    def kill(self):
        self.process.kill()
        self.process.wait()
