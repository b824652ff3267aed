"""Runs a command at a terminal of its own, and ends it by two signals when it asks for what it does not show.

two_signals.py PROMPT COMMAND…      writes the exit status, and whether the terminal shows again what is typed
"""

import os
import pty
import signal
import subprocess
import sys
import termios


def is_shown():
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


# The terminal stays when the command has ended: it is open here.
master, terminal = pty.openpty()
process = subprocess.Popen(
    sys.argv[2:], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    preexec_fn=lambda: os.close(os.open(os.ttyname(terminal), os.O_RDWR)))
text = b""
while sys.argv[1].encode() not in text:
    text += os.read(master, 4096)
assert not is_shown()
# Both are there before the command can do anything.
for number in [signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT]:
    process.send_signal(number)
status = process.wait(timeout=60)
print(f"{status}, and what is typed is {'shown' if is_shown() else 'hidden'}")
