"""A shim that does not keep to the protocol: hostile_shim.py MANNER [FILE]. It plays an authenticator otherwise."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/shim"))

import peer as shim

HELLO = {"type": "hello", "shim": 1, "name": "hostile", "roles": ["authenticator", "client"], "features": ["ctap"]}


def say(line):
    sys.stdout.buffer.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
    sys.stdout.flush()


def endless(piece):
    while True:
        say(piece)


def open_tunnel():
    """Opens the right tunnel, so that the case goes on."""
    code = shim.secrets.parse_url(START["qr"])
    say({"type": "open", "url": f"wss://x/cable/new/{shim.tunnel_id(bytes.fromhex(code['secret']))}"})


def child():
    """Leaves a child in a session of its own that holds all streams open."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with open(sys.argv[2], "w") as file:
        file.write(str(process.pid))
    say({"type": "end", "ok": True})


FIRST = {
    "dies": lambda: os._exit(3),
    "hangs": lambda: time.sleep(600),
    "no-json": lambda: say(b"hello\n"),
    "two-values": lambda: say(b'{"type":"hello","shim":1,"name":"x"} {}\n'),
    "duplicate": lambda: say(b'{"type":"hello","shim":1,"shim":1,"name":"x"}\n'),
    "no-object": lambda: say(b"[1]\n"),
    "no-type": lambda: say(b"{}\n"),
    "deep": lambda: say(b"[" * 100_000 + b"\n"),
    "version": lambda: say(HELLO | {"shim": 2}),
    "role": lambda: say(HELLO | {"roles": ["tunnel-service"]}),
    "feature": lambda: say(HELLO | {"features": ["telepathy"]}),
    "name": lambda: say(HELLO | {"name": "\x1b[31mred"}),
    "member": lambda: say(HELLO | {"rolls": []}),
    "order": lambda: say({"type": "end", "ok": True}),
    "no-line-end": lambda: endless(b"x" * 65536),
    "stderr": lambda: (sys.stderr.write("\x1b[31moops\n"), os._exit(1)),
}
LATER = {
    "not-hex": lambda: say({"type": "advert", "data": "zz"}),
    "type": lambda: say({"type": "teleport"}),
    "member-later": lambda: say({"type": "advert", "data": "00", "power": 11}),
    "hello-twice": lambda: say(HELLO),
    "message-first": lambda: say({"type": "message", "data": "00"}),
    "code": lambda: say({"type": "qr", "text": "FIDO:/1"}),
    "url": lambda: say({"type": "open", "url": "wss://x/a\r\nHost: y"}),
    "other-url": lambda: say({"type": "open", "url": "https://x/a"}),
    "open-twice": lambda: (open_tunnel(), open_tunnel()),
    "open-again": lambda: (open_tunnel(), sys.stdin.readline(), open_tunnel()),
    "long-advert": lambda: say({"type": "advert", "data": "00" * 256}),
    "ctap": lambda: say({"type": "ctap", "data": "04"}),
    "floods": lambda: endless(b'{"type":"closed"}\n' * 100),
    "long-line": lambda: say(b'{"type":"advert","data":"' + b"00" * 2_200_000 + b'"}\n'),
    "dies-later": lambda: os._exit(0),
    "hangs-later": lambda: time.sleep(600),
    "child": child,
    "keeps-on": lambda: (say({"type": "end", "ok": True}), endless(b"x" * 65536)),
}

if __name__ == "__main__":
    manner = sys.argv[1]
    if manner in FIRST:
        FIRST[manner]()
    else:
        say(HELLO)
        START = json.loads(sys.stdin.readline())
        LATER[manner]()
    time.sleep(600)
