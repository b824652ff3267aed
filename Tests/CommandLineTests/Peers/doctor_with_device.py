"""Runs `hybrid doctor --with-device` at a terminal, and is the user and the other device: `hybrid` in the other role.

doctor_with_device.py RADIO-PORT TUNNEL ARGUMENT…     writes what the terminal shows
PHONE="--like PERSONA" doctor_with_device.py …        with an emulated phone in place of our authenticator
"""

import os
import re
import subprocess
import sys

from terminal import Terminal

RADIO, TUNNEL, ARGUMENTS = sys.argv[1], sys.argv[2], sys.argv[3:]
PLACES = ["--radio", f"udp:127.0.0.1:{RADIO}", "--tunnel", TUNNEL]
CODE = re.compile(r"FIDO:/\d+")
SITE = ["--rp-id", "example.com", "--state", "state"]
# As the browser elsewhere: a passkey is made, and used.
REQUESTS = [["register", *SITE, "--user", "alice"], ["sign-in", *SITE]]
running = []
typed = set()
PHONE = os.environ.get("PHONE", "").split()
if PHONE:
    phone = subprocess.Popen(["hybrid", "conformance", "phone", *PHONE, *PLACES], stdin=subprocess.PIPE, text=True,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip

terminal = Terminal(
    ["hybrid", "doctor", "--with-device", "--qr", "url", *PLACES, *ARGUMENTS], 200, 60)


def type_line(text):
    terminal.write_line(text.encode())


def answer_code(match):
    """The phone reads the code."""
    if PHONE:
        phone.stdin.write(match[0] + "\n")
        phone.stdin.flush()
        return
    command = ["hybrid", "authenticator", "answer", match[0], "--store", "phone", "--yes", *PLACES]
    running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def show_code(_):
    """The browser shows a code, or has no more to ask."""
    for client in running:
        client.wait()
    running.clear()
    if not REQUESTS:
        type_line("")
        return
    client = subprocess.Popen(
        ["hybrid", "client", *REQUESTS.pop(0), "--qr", "url", *PLACES], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    running.append(client)
    code = client.stdout.readline().strip()
    # The terminal shows it again as it is typed.
    typed.add(code)
    type_line(code)


STEPS = [
    (CODE, answer_code),
    (re.compile(r"make a passkey with a phone\? [^:]*: "), lambda _: type_line("y")),
    (re.compile(r"sign in with it, by another QR code\? [^:]*: "), lambda _: type_line("y")),
    (re.compile(r"the phone, such as [^:]*: "), lambda _: type_line("A phone | of the lab")),
    (re.compile(r"its system's version[^:]*: "), lambda _: type_line("Lab 1")),
    (re.compile(r"its QR code: camera[^:]*:/[^:]*: "), show_code),
    (re.compile(r"write them to hybrid-phone.json[^:]*: "), lambda _: type_line("y")),
    (re.compile(r"approve\? \[y/n\]"), lambda _: terminal.write_yes(b"y")),
    (re.compile(r"the browser and its system[^:]*: "), lambda _: type_line("A browser")),
    (re.compile(r"the browser's version[^:]*: "), lambda _: type_line("2")),
]


def react(shown):
    shown = shown.decode(errors="replace")
    while True:
        found = [(match.start(), match, act) for pattern, act in STEPS if (match := pattern.search(shown))]
        # A code counts once its line is whole.
        found = [entry for entry in found if entry[1].re is not CODE or "\n" in shown[entry[1].end():]]
        if not found:
            return shown.encode()
        _, match, act = min(found, key=lambda entry: entry[0])
        shown = shown[match.end():]
        if match.re is not CODE or match[0] not in typed:
            act(match)


status = terminal.run(react)
if PHONE:
    phone.kill()
sys.exit(status)
