#!/usr/bin/python3
"""Stands in for a window of the window contract, and misbehaves as the variable BEHAVIOUR tells. LOG gets what it was given."""
import json
import os
import signal
import sys
import time

BEHAVIOUR, _, VALUE = os.environ["BEHAVIOUR"].partition(" ")


def log(*words):
    with open(os.environ["LOG"], "a", encoding="utf-8") as file:
        print(*words, file=file, flush=True)


def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(number, text, **more):
    say(json.dumps({"id": number, "answer": text, **more}))


def secret(number, typed, length=None):
    answer(number, "secret", bytes=len(typed) if length is None else length)
    say(typed + b"\n")


def respond(shown):
    number = shown["id"]
    match BEHAVIOUR:
        case "yes" | "no":
            answer(number, BEHAVIOUR)
        case "account":
            answer(number, "account", account=int(VALUE))
        case "digits":
            answer(number, "digits", digits=VALUE)
        case "secret":
            secret(number, VALUE.encode())
        case "secret-in-pieces":
            answer(number, "secret", bytes=8)
            for byte in "a% \u00e4\nb".encode() + b"c\n":
                say(bytes([byte]))
        case "long-secret":
            secret(number, b"x" * 1_025)
        case "longer-secret":
            secret(number, b"longer", 3)
        case "no-length":
            answer(number, "secret", bytes="3")
        case "late":
            # A press on what is no longer shown, and then a no.
            if number == 1:
                log("first")
            else:
                answer(1, "yes")
                secret(1, b'{"id":2,"answer":"yes"}')
                answer(number, "no")
        case "early":
            answer(number + 1, "yes")
        case "flood":
            while True:
                answer(number - 1, "yes")
        case "rubbish":
            say("yes")
        case "deep":
            say("[" * 2_000 + "]" * 2_000)
        case "long-line":
            say("x" * 10_000)
        case "unknown":
            answer(number, "always")
        case "ends":
            sys.exit(0)
        case "hangs":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            log("pid", os.getpid())
            time.sleep(600)


if BEHAVIOUR == "silent":
    log("pid", os.getpid())
    time.sleep(600)
if BEHAVIOUR == "deaf":
    # It reads nothing: what is sent fills the pipe.
    say('{"contract":1}')
    log("pid", os.getpid())
    time.sleep(600)
if BEHAVIOUR == "no-display":
    sys.exit(2)
for word in sys.argv:
    log("argument", word)
for name, value in os.environ.items():
    log("variable", name, value)
assert json.loads(sys.stdin.readline()) == {"contract": 1, "language": "en"}
say('{"contract":2}' if BEHAVIOUR == "other-version" else '{"contract":1}')
for line in sys.stdin:
    log("shown", line.rstrip("\n"))
    message = json.loads(line)
    if "show" in message:
        respond(message)
log("closed")
