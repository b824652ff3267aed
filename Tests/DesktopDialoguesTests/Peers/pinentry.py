#!/usr/bin/python3
"""Stands in for a pinentry, and misbehaves as the variable BEHAVIOUR tells.

Its lines are written to the file in LOG, if one is named.
"""
import os
import signal
import sys
import time

BEHAVIOUR = os.environ["BEHAVIOUR"]
LOG = os.environ.get("LOG")
PASSPHRASE = "a%25 \u00e4"


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def log(text):
    if LOG:
        with open(LOG, "a", encoding="utf-8") as file:
            file.write(text + "\n")


def ask(command):
    if BEHAVIOUR == "hangs":
        # SIGTERM does not end it either.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        log(f"pid {os.getpid()}")
        while True:
            time.sleep(600)
    elif BEHAVIOUR.startswith("error "):
        say(f"ERR {BEHAVIOUR.removeprefix('error ')} as told <Pinentry>")
    elif BEHAVIOUR == "closed":
        say("S BUTTON_INFO close")
        say("ERR 83886179 Operation cancelled <Pinentry>")
    elif BEHAVIOUR == "long-line":
        say("D " + 2_000 * "x")
        say("OK")
    elif BEHAVIOUR == "long-data":
        for _ in range(3):
            say("D " + 500 * "x")
        say("OK")
    elif BEHAVIOUR == "malformed":
        say("D a%2")
        say("OK")
    elif BEHAVIOUR == "endless":
        while True:
            say("S WAIT")
    elif BEHAVIOUR == "inquires":
        say("INQUIRE QUALITY abc")
        log("answer " + sys.stdin.readline().strip())
        say("OK")
    elif BEHAVIOUR == "pieces":
        say("# a comment")
        say("D a%25")
        say("D  %C3%A4")
        say("OK")
    elif BEHAVIOUR == "ends":
        sys.exit(1)
    else:
        if command == "GETPIN":
            say(f"D {PASSPHRASE}")
        say("OK")


if BEHAVIOUR == "silent":
    log(f"pid {os.getpid()}")
    while True:
        time.sleep(600)
say("OK Pleased to meet you")
for line in sys.stdin:
    line = line.rstrip("\n")
    log(line)
    if line in ("GETPIN", "CONFIRM", "MESSAGE"):
        ask(line)
    elif line.startswith("OPTION lc-"):
        say("ERR 83886254 Unknown option <Pinentry>")
    else:
        say("OK")
