"""A command at a terminal of its own, for the scripts beside this one."""

import fcntl
import os
import pty
import struct
import sys
import termios
import time

# Somebody reads a question before the yes: one within half a second of it counts as no answer.
READING_TIME = 0.6


class Terminal:
    """Runs a command, and writes what its terminal shows to standard output."""

    def __init__(self, command, columns, lines):
        self.process, self.file = pty.fork()
        if self.process == 0:
            # The size must be there before the command looks.
            self.resize(columns, lines, 0)
            os.execvp(command[0], command)

    def resize(self, columns, lines, file=None):
        """Gives the terminal another size, of which the kernel tells the command."""
        fcntl.ioctl(self.file if file is None else file, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def write(self, data):
        """Types these bytes."""
        os.write(self.file, data)

    def write_line(self, data):
        """Types these bytes, and Enter."""
        self.write(data + b"\n")

    def write_yes(self, data):
        """Types these bytes, and Enter, as somebody does who has read the question."""
        time.sleep(READING_TIME)
        self.write_line(data)

    def run(self, react):
        """Calls react with what has been shown since, whenever there is more of it; it returns what it has not used.

        Returns the command's exit status.
        """
        shown = b""
        while True:
            try:
                data = os.read(self.file, 65536)
            except OSError:
                break
            if not data:
                break
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            shown = react(shown + data)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
