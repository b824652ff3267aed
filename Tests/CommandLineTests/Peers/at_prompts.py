"""Runs a command at a terminal of its own, and types an answer at each prompt; writes what the terminal shows.

at_prompts.py PROMPT=ANSWER… -- COMMAND…     each prompt is answered once, in this order; ^C interrupts
"""

import os
import pty
import sys

end = sys.argv.index("--")
answers = [argument.split("=", 1) for argument in sys.argv[1:end]]
process, terminal = pty.fork()
if process == 0:
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])
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
    if answers and answers[0][0].encode() in shown:
        # Only what comes after this prompt is looked at for the next one.
        shown = shown.split(answers[0][0].encode(), 1)[1]
        os.write(terminal, answers.pop(0)[1].replace("^C", "\x03").encode() + b"\n")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
