"""Runs a command as in a desktop's session, without a terminal, with a pinentry that gives these answers, one for each window.

at_desktop.py ANSWER… -- COMMAND…      An answer is a passphrase, `yes`, `no`, or `hasty`: a yes that comes too soon. Writes what each window asked, and exits as the command does.
at_desktop.py [ANSWER…] killed -- COMMAND…    Kills the command while that window is open, and waits until the window's program has gone.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

STAND_IN = """#!/usr/bin/python3
import os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
def say(text): print(text, flush=True)
say("OK Pleased to meet you")
for line in sys.stdin:
    command, _, text = line.rstrip("\\n").partition(" ")
    if command in ("SETDESC", "SETERROR"):
        with open(folder / "asked", "a", encoding="utf-8") as file:
            file.write(command + " " + text.replace("%0A", " | ") + "\\n")
    if command in ("GETPIN", "CONFIRM", "MESSAGE"):
        answers = (folder / "answers").read_text().splitlines()
        (folder / "answers").write_text("".join(f"{answer}\\n" for answer in answers[1:]))
        if not answers:
            say("ERR 83886142 Timeout <Pinentry>")
        elif answers[0] == "killed":
            (folder / "open").write_text(f"{os.getpid()}\\n")
            time.sleep(600)
        elif command == "GETPIN":
            say("D " + answers[0])
            say("OK")
        else:
            if answers[0] == "yes":
                # Somebody reads the question first: a yes within half a second of it counts as no answer.
                time.sleep(0.6)
            say("OK" if answers[0] in ("yes", "hasty") else "ERR 83886194 Not confirmed <Pinentry>")
    elif line == "GETINFO flavor\\n":
        say("D qt")
        say("OK")
    else:
        say("OK")
"""

split = sys.argv.index("--")
answers, command = sys.argv[1:split], sys.argv[split + 1:]
with tempfile.TemporaryDirectory(prefix="hybrid-desktop-") as name:
    folder = pathlib.Path(name)
    (folder / "pinentry").write_text(STAND_IN)
    (folder / "pinentry").chmod(0o755)
    (folder / "answers").write_text("".join(f"{answer}\n" for answer in answers))
    environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", DISPLAY=":63999")
    environment.pop("WAYLAND_DISPLAY", None)
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    asked = folder / "asked"
    if answers[-1:] == ["killed"]:
        # The suite's limit ends this if it does not come.
        while not (folder / "open").exists() or not (folder / "open").read_text().endswith("\n"):
            assert process.poll() is None, "the command has ended"
            time.sleep(0.05)
        window = int((folder / "open").read_text())
        process.send_signal(signal.SIGKILL)
        process.wait()
        while pathlib.Path(f"/proc/{window}").exists() and "\nState:\tZ" not in pathlib.Path(f"/proc/{window}/status").read_text():
            time.sleep(0.05)
        print(asked.read_text(), "the window has gone", sep="")
        sys.exit(0)
    status = process.wait()
    print(asked.read_text() if asked.exists() else "nothing was asked", end="")
    sys.exit(status)
