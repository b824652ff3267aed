"""Runs a command at a terminal of its own, and types an answer at each prompt; writes what the terminal shows.

at_terminal.py [--size COLUMNSxLINES] [PROMPT=ANSWER…] -- COMMAND…     each prompt is answered once, in this order

In an answer ^C interrupts, and <made> is the passphrase that was shown last.
"""

import argparse
import fcntl
import os
import pty
import re
import struct
import sys
import termios

end = sys.argv.index("--")
parser = argparse.ArgumentParser()
parser.add_argument("--size", default="80x24")
parser.add_argument("answers", nargs="*")
arguments = parser.parse_args(sys.argv[1:end])
columns, lines = map(int, arguments.size.split("x"))
answers = [answer.split("=", 1) for answer in arguments.answers]
process, terminal = pty.fork()
if process == 0:
    # The size must be there before the command looks.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
shown = made = b""
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
    made = (re.findall(rb"(?:[a-z2-9]{4}-){3}[a-z2-9]{4}", shown) or [made])[-1]
    if answers and answers[0][0].encode() in shown:
        # Only what comes after this prompt is looked at for the next one.
        shown = shown.split(answers[0][0].encode(), 1)[1]
        answer = answers.pop(0)[1].replace("^C", "\x03").encode().replace(b"<made>", made)
        os.write(terminal, answer + b"\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
