"""The reference as a shim, with one mistake: wrong_shim.py MISTAKE."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools/shim"))

import peer as shim
from reference import cbor, digits, messages, noise, secrets

right_frame, right_decode, right_unpad, right_random = noise.open_frame, messages.decode, noise.unpad, os.urandom
right_say = shim.say


def any_counter(key, counter, frame, old=False):
    """Takes a frame that was taken before, or is not due yet."""
    for number in range(counter + 3):
        try:
            return right_frame(key, number, frame, old)
        except shim.Refused as refusal:
            if refusal.kind != "bad-tag":
                raise
    return right_frame(key, counter, frame, old)


def decode(plaintext):
    return right_decode(plaintext if plaintext[:1] < b"\4" else b"\2\xa0")


def unchecked_advert(key, advert, linked=False):
    return secrets.parse_plaintext(secrets._block(key[:32], advert[:16].ljust(16, b"\0"), decrypt=True)) | {"psm": None}


def unreserved(plaintext, linked=False):
    return right_plaintext(b"\0" + plaintext[1:], linked) | {"plaintext": plaintext.hex()}


right_plaintext = secrets.parse_plaintext


def any_length(mapping, number, count):
    value, _ = cbor.get(mapping, number)
    if type(value) is not bytes:
        raise shim.Refused("wrong-type")
    return value


def no_tag(self, sealed):
    self.mix_hash(sealed)
    self.n += 1
    return b""


def well(kind, **members):
    right_say(kind, **(members | {"ok": True} if kind == "end" else members))


def no_end(kind, **members):
    if kind == "end" and not members["ok"]:
        sys.exit(1)
    right_say(kind, **members)


def any_padding(padded):
    count = padded[-1] + 1 if padded else 0
    return padded[:-count] if 0 < count <= len(padded) else b"\1\4"


MISTAKES = {
    "advert-tag": lambda: setattr(secrets, "open_advert", unchecked_advert),
    "advert-reserved": lambda: setattr(secrets, "parse_plaintext", unreserved),
    "advert-domain": lambda: setattr(digits, "domain", lambda number: "cable.ua5v.com"),
    "advert-nonce": lambda: setattr(os, "urandom", lambda count: bytes(10) if count == 10 else right_random(count)),
    "secret-length": lambda: setattr(secrets, "_required", any_length),
    "routing-id": lambda: setattr(digits, "routing_id", lambda text: bytes.fromhex(text[:6].rjust(6, "0"))),
    "handshake-tag": lambda: setattr(noise.State, "decrypt", no_tag),
    "frame-counter": lambda: setattr(noise, "open_frame", any_counter),
    "frame-padding": lambda: setattr(noise, "unpad", any_padding),
    "message-type": lambda: setattr(messages, "decode", decode),
    "always-well": lambda: setattr(shim, "say", well),
    "no-end": lambda: setattr(shim, "say", no_end),
}

if __name__ == "__main__":
    MISTAKES[sys.argv[1]]()
    shim.main()
