#!/usr/bin/env python3
"""The reference as a shim of hybrid-conformance: an authenticator and a client without CTAP of their own.

    peer.py [--patience SECONDS]    with the feature timeout if they are given

The article ShimProtocol of Conformance has the lines. Needs Python 3.11 and `cryptography`.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "vectors"))

from reference import Refused, cbor, curve, digits, messages, noise, secrets

# Seconds of silence after which it ends by itself; 0 for never.
PATIENCE = int(sys.argv[2]) if sys.argv[1:2] == ["--patience"] else 0
CREDENTIAL = {
    "origin": "https://conformance.example",
    "requestType": "credential.get",
    "request": {"digital": {"requests": [{"protocol": "openid4vp-v1-unsigned", "data": {}}]}},
}


def say(kind, **members):
    print(json.dumps({"type": kind} | members), flush=True)


def late(*_):
    raise Refused("closed", f"nothing came within {PATIENCE} seconds")


def hear(*kinds):
    signal.alarm(PATIENCE)
    for line in map(json.loads, sys.stdin):
        if line["type"] in kinds:
            return line
        if line["type"] in ("refused", "closed"):
            raise Refused(line["type"], f"while {' or '.join(kinds)} was awaited")
    raise Refused("closed", "the runner has gone")


def ctap(request):
    say("ctap", data=request.hex())
    return bytes.fromhex(hear("ctap")["data"])


class Session:
    """The sealed frames after a handshake."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs, self.sent, self.received = bytes.fromhex(ours), bytes.fromhex(theirs), 0, 0

    def send(self, plaintext):
        say("message", data=noise.seal(self.ours, self.sent, plaintext).hex())
        self.sent += 1

    def receive(self):
        frame = bytes.fromhex(hear("message")["data"])
        self.received += 1
        return noise.open_frame(self.theirs, self.received - 1, frame)


def tunnel_id(secret):
    return secrets.derive(secret, b"", secrets.TUNNEL_ID, 16).hex()


def authenticator(start):
    code = secrets.parse_url(start["qr"])
    secret, public = bytes.fromhex(code["secret"]), curve.uncompress(bytes.fromhex(code["public_key"]))
    say("open", url=f"wss://cable.ua5v.com/cable/new/{tunnel_id(secret)}")
    plaintext = b"\0" + os.urandom(10) + digits.routing_id(hear("opened")["routing_id"] or "") + b"\0\0"
    say("advert", data=secrets.seal(secrets.eid_key(secret), plaintext).hex())
    psk = secrets.derive(secret, plaintext, secrets.PSK, 32)
    answer, keys = noise.answer("KNpsk0", psk, public, bytes.fromhex(hear("message")["data"]), os.urandom(32))
    say("message", data=answer.hex())
    session = Session(keys["authenticator_to_client_key"], keys["client_to_authenticator_key"])
    session.send(cbor.encode({1: ctap(b"\4")[1:]}))
    served = False
    try:
        while (message := messages.decode(session.receive()))["type"] != "shutdown":
            payload = bytes.fromhex(message["payload"])
            if message["type"] == "json" or served:
                raise Refused("unexpected-message")
            if message["type"] == "ctap":
                session.send(b"\1" + (answer := ctap(payload)))
                served = answer[0] == 0
            else:
                cbor.decode(payload)
    except Refused as refusal:
        if not (served and refusal.kind == "closed"):
            raise
    if not served:
        raise Refused("closed", "nothing was served")


def open_advert(secret):
    while True:
        data = bytes.fromhex(hear("advert")["data"])
        try:
            return secrets.open_advert(secrets.eid_key(secret), data)
        except Refused:
            pass


def take_credential(text):
    try:
        answer = json.loads(text.decode())["response"]["digital"]
        credential, error = answer["data"], answer.get("error")
        good = error is None and type(credential["protocol"]) is str and "data" in credential
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise Refused("wrong-type", type(wrong).__name__)
    if not good:
        raise Refused("wrong-type", "no credential")


def client(start):
    secret, static, ephemeral = os.urandom(16), os.urandom(32), os.urandom(32)
    wants = {"register": "ctap", "credential": "dc"}[start["task"]]
    code = {0: curve.public(static, compressed=True), 1: secret, 2: 2, 3: int(time.time()), 4: False}
    code[5] = {"ctap": "mc", "dc": "dcp"}[wants]
    say("qr", text=secrets.PREFIX + digits.encode(cbor.encode(code)))
    advert = open_advert(secret)
    say("open", url=f"wss://{advert['domain']}/cable/connect/{advert['routing_id']}/{tunnel_id(secret)}")
    hear("opened")
    psk = secrets.derive(secret, bytes.fromhex(advert["plaintext"]), secrets.PSK, 32)
    message, state = noise.write_message_1("KNpsk0", psk, curve.public(static), ephemeral)
    say("message", data=message.hex())
    keys = noise.finish("KNpsk0", state, ephemeral, static, bytes.fromhex(hear("message")["data"]))
    session = Session(keys["client_to_authenticator_key"], keys["authenticator_to_client_key"])
    first = messages.parse_first(session.receive())
    typed = first["revision"] == 1
    if wants not in first["features"]:
        raise Refused("feature-mismatch")
    request = b"\3" + json.dumps(CREDENTIAL).encode() if wants == "dc" else b"\1" * typed + bytes.fromhex(start["request"])
    session.send(request)
    while True:
        plaintext = session.receive()
        message = messages.decode(plaintext) if typed else {"type": "ctap", "payload": plaintext.hex()}
        if message["type"] != "update":
            break
        messages.parse_update(bytes.fromhex(message["payload"]))
    if message["type"] != {"ctap": "ctap", "dc": "json"}[wants]:
        raise Refused("unexpected-message", message["type"])
    if wants == "dc":
        take_credential(bytes.fromhex(message["payload"]))
    elif not message["payload"].startswith("00"):
        raise Refused("unexpected-message", "an error")
    if typed:
        session.send(b"\0")


def main():
    signal.signal(signal.SIGALRM, late)
    roles = ["authenticator", "client"]
    say("hello", shim=1, name="reference", roles=roles, features=["timeout"] * bool(PATIENCE) + ["credential"])
    start = hear("start")
    try:
        {"authenticator": authenticator, "client": client}[start["role"]](start)
    except Refused as refusal:
        return say("end", ok=False, reason=str(refusal))
    say("end", ok=True)


if __name__ == "__main__":
    main()
