"""Runs a command at a terminal of its own, and types an answer at each prompt; writes what the terminal shows.

at_terminal.py [--size COLUMNSxLINES] [PROMPT=ANSWER…] -- COMMAND…     each prompt is answered once, in this order

In a prompt \\n is the end of a line. In an answer ^C interrupts, ^D ends the input, and <made> is the passphrase that was shown last.
A yes, or a number, is typed once the question can have been read; <at once> before it is for somebody who does not read.
<COLUMNSxLINES> is not an answer, but the terminal's new size; ^C may stand behind it.
"""

import argparse
import re
import sys

from terminal import Terminal

end = sys.argv.index("--")
parser = argparse.ArgumentParser()
parser.add_argument("--size", default="80x24")
parser.add_argument("answers", nargs="*")
arguments = parser.parse_args(sys.argv[1:end])
answers = [answer.split("=", 1) for answer in arguments.answers]
made = b""
terminal = Terminal(sys.argv[end + 1 :], *map(int, arguments.size.split("x")))


def react(shown):
    global made
    made = (re.findall(rb"(?:[a-z2-9]{4}-){3}[a-z2-9]{4}", shown) or [made])[-1]
    if answers and (prompt := answers[0][0].replace("\\n", "\r\n").encode()) in shown:
        # Only what comes after this prompt is looked at for the next one.
        shown = shown.split(prompt, 1)[1]
        answer = answers.pop(0)[1].replace("^C", "\x03").replace("^D", "\x04").encode().replace(b"<made>", made)
        if size := re.match(rb"<(\d+)x(\d+)>", answer):
            terminal.resize(*map(int, size.groups()))
            answer = answer[size.end() :]
            if not answer:
                return shown
        if answer in (b"\x03", b"\x04"):
            # A line end behind an interruption would be an answer of its own.
            terminal.write(answer)
        elif answer in (b"y", b"yes") or answer.isdigit():
            terminal.write_yes(answer)
        else:
            terminal.write_line(answer.removeprefix(b"<at once>"))
    return shown


sys.exit(terminal.run(react))
