#!/usr/bin/python3
"""A window with its answers in a file, a line for each: a passphrase, digits, an account's place, yes, no, hasty (a yes that comes too soon),
wait (which never ends), die, or close, for a QR code.

WINDOW_ANSWERS is the file; what is shown is written to WINDOW_LOG, a line each with the process that shows it.
"""
import fcntl
import json
import os
import sys
import time


def take_answer():
    with open(os.environ["WINDOW_ANSWERS"], "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = file.read().splitlines()
        file.seek(0)
        file.truncate()
        file.write("".join(line + "\n" for line in lines[1:]))
    return lines[0] if lines else None


def say(answer, secret=b""):
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + (secret + b"\n" if "bytes" in answer else b""))
    sys.stdout.buffer.flush()


def log(*words):
    with open(os.environ["WINDOW_LOG"], "a", encoding="utf-8") as file:
        print(os.getpid(), *words, file=file, flush=True)


def answer(shown):
    kind, number = shown["show"], shown["id"]
    if kind == "step":
        return
    if kind == "outcome":
        # Read, and closed.
        return say({"id": number, "answer": "no"})
    chosen = take_answer()
    if kind == "code":
        return say({"id": number, "answer": "no"}) if chosen == "close" else None
    if chosen is None or chosen == "wait":
        time.sleep(1_000)
    if chosen == "die":
        sys.exit(1)
    if chosen == "no":
        return say({"id": number, "answer": "no"})
    if kind == "secret":
        typed = chosen.encode()
        return say({"id": number, "answer": "secret", "bytes": len(typed)}, typed)
    if kind == "digits":
        return say({"id": number, "answer": "digits", "digits": chosen})
    if chosen != "hasty":
        # Somebody reads the question first: a yes within half a second of it counts as no answer.
        time.sleep(0.6)
    say({"id": number, "answer": "account", "account": int(chosen)} if kind == "choice" else {"id": number, "answer": "yes"})


assert json.loads(sys.stdin.readline())["contract"] == 1
say({"contract": 1})
for line in sys.stdin:
    shown = json.loads(line)
    if "tell" in shown:
        log("tell", shown["tell"])
        continue
    site = [f"site: {shown['site']}"] if "site" in shown else []
    objection = [f"objection: {shown['objection']}"] if "objection" in shown else []
    code = [f"text: {shown['text']}"] if "text" in shown else []
    log(shown["show"], " | ".join([shown["title"], *site, *shown["lines"], *shown.get("accounts", []), *objection, *code]))
    answer(shown)
