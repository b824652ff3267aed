#!/usr/bin/python3
"""A pinentry with its answers in a file, a line for each dialogue: a passphrase, yes, no, or wait, which never ends.

Named pinentry in PATH; PINENTRY_ANSWERS is the file. What it is asked is written to PINENTRY_LOG, a line for each dialogue.
"""
import fcntl
import os
import sys
import time
import urllib.parse


def take_answer():
    with open(os.environ["PINENTRY_ANSWERS"], "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = file.read().splitlines()
        file.seek(0)
        file.truncate()
        file.write("".join(line + "\n" for line in lines[1:]))
    return lines[0] if lines else "no"


def say(line):
    print(line, flush=True)


def log(*words):
    with open(os.environ["PINENTRY_LOG"], "a", encoding="utf-8") as file:
        print(*words, file=file, flush=True)


description = objection = ""
say("OK ready")
for line in sys.stdin:
    command, _, argument = line.rstrip("\n").partition(" ")
    if command == "SETDESC":
        description = urllib.parse.unquote(argument).replace("\n", " | ")
    elif command == "SETERROR":
        objection = urllib.parse.unquote(argument)
    elif command in ("GETPIN", "CONFIRM"):
        log(os.getpid(), command, description, objection)
        answer = take_answer()
        if answer == "wait":
            time.sleep(1_000)
        if answer == "no":
            say("ERR 83886179 cancelled")
            continue
        if command == "GETPIN":
            say(f"D {answer}")
        else:
            # Somebody reads the question first: a yes within half a second of it counts as no answer.
            time.sleep(0.6)
    elif line == "GETINFO flavor\n":
        say("D qt")
    elif command == "SETREPEAT":
        say("ERR 536871187 unknown command")
        continue
    elif command == "BYE":
        say("OK")
        break
    say("OK")
