"""Runs a command at a terminal of its own, and types an answer when it asks; writes what the terminal shows.

at_terminal.py COLUMNS LINES ANSWER COMMAND…
"""

import fcntl
import os
import pty
import struct
import sys
import termios

columns, lines, answer = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
process, terminal = pty.fork()
if process == 0:
    # The size must be there before the command looks.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.execvp(sys.argv[4], sys.argv[4:])
shown = b""
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    shown += data
    if answer and b"[y/n]" in shown:
        os.write(terminal, answer.encode() + b"\n")
        answer = ""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
