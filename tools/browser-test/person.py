"""Somebody at the authenticator's terminal."""
import fcntl
import os
import pty
import select
import subprocess
import termios
import time

TIMEOUT = 60
READING_TIME = 0.6
PASSPHRASE = "what somebody types"
VERIFICATION = "to approve, the passphrase of the vault"


class Person:
    """Reads what a program asks on its controlling terminal, and types."""

    def __init__(self, command):
        self._terminal, other = pty.openpty()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(other, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, preexec_fn=take_terminal)
        # Held open: between two openings by the program the terminal would seem to be gone.
        self._other = other
        self.read = ""

    def waits_for(self, text):
        """Reads until a text is there."""
        deadline = time.monotonic() + TIMEOUT
        while text not in self.read:
            ready, _, _ = select.select([self._terminal], [], [], 0.1)
            if ready:
                self.read += os.read(self._terminal, 4096).decode(errors="replace")
            elif time.monotonic() > deadline or self.process.poll() is not None:
                raise TimeoutError(f"the terminal said {self.read[-300:]!r}, never {text!r}; the program is "
                                   f"{'running' if self.process.poll() is None else self.process.stdout.read()[-300:]}")

    def verifies(self, passphrase=PASSPHRASE):
        """Types the passphrase if it is asked for once more: where more than a minute went by since the vault was opened."""
        deadline = time.monotonic() + TIMEOUT
        while self.process.poll() is None and time.monotonic() < deadline:
            ready, _, _ = select.select([self._terminal], [], [], 0.1)
            if ready:
                self.read += os.read(self._terminal, 4096).decode(errors="replace")
            if VERIFICATION in self.read:
                return self.types(passphrase)
        return None

    def types(self, line):
        """Types a line; a yes, or the number of an account, once the question can have been read: sooner it counts as no answer."""
        if line == "y" or line.isdigit():
            time.sleep(READING_TIME)
        os.write(self._terminal, line.encode() + b"\n")
