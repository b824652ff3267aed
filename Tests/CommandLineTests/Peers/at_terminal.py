"""Runs a command at a terminal of its own, and types an answer at each prompt; writes what the terminal shows.

at_terminal.py [--size COLUMNSxLINES] [PROMPT=ANSWER…] -- COMMAND…     each prompt is answered once, in this order

In a prompt \\n is the end of a line. In an answer ^C interrupts, ^D ends the input, and <made> is the passphrase that was shown last.
A yes, or a number, is typed once the question can have been read; <at once> before it is for somebody who does not read.
<COLUMNSxLINES> is not an answer, but the terminal's new size; ^C may stand behind it. <number> is the number that another of these,
beside this one, shows for a hand-over, and <other number> another one.
"""

import argparse
import os
import pathlib
import re
import sys
import time

from terminal import Terminal

end = sys.argv.index("--")
parser = argparse.ArgumentParser()
parser.add_argument("--size", default="80x24")
parser.add_argument("answers", nargs="*")
arguments = parser.parse_args(sys.argv[1:end])
answers = [answer.split("=", 1) for answer in arguments.answers]
made = b""
# The number of a hand-over on its way from the one that shows it to the one that types it.
NUMBER = pathlib.Path("number-of-hand-over")
PATIENCE = 60


def number_of_other():
    deadline = time.monotonic() + PATIENCE
    while not NUMBER.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    number = NUMBER.read_bytes()
    NUMBER.unlink()
    return number


terminal = Terminal(sys.argv[end + 1 :], *map(int, arguments.size.split("x")))


def react(shown):
    global made
    if number := re.search(rb"type this number on the other device: (\d{3} \d{3})\r\n", shown):
        new = NUMBER.with_name(f"{NUMBER.name}.{os.getpid()}")
        new.write_bytes(number[1])
        new.rename(NUMBER)
        shown = shown[number.end() :]
    if number := re.search(rb'"code":"(\d{6})","event":"code"', shown):
        NUMBER.write_bytes(number[1])
        shown = shown[number.end() :]
    made = (re.findall(rb"(?:[a-z2-9]{4}-){3}[a-z2-9]{4}", shown) or [made])[-1]
    if answers and (prompt := answers[0][0].replace("\\n", "\r\n").encode()) in shown:
        # Only what comes after this prompt is looked at for the next one.
        shown = shown.split(prompt, 1)[1]
        answer = answers.pop(0)[1].replace("^C", "\x03").replace("^D", "\x04").encode().replace(b"<made>", made)
        if b"number>" in answer:
            number = number_of_other()
            answer = number if answer == b"<number>" else number[:-1] + (b"0" if number[-1:] == b"1" else b"1")
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
