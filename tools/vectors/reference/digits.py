"""Digits of the QR code (the article QRCode) and tunnel domains (TunnelDomains)."""

import hashlib

from . import Refused

DIGITS_OF_BYTES = {1: 3, 2: 5, 3: 8, 4: 10, 5: 13, 6: 15, 7: 17}
BYTES_OF_DIGITS = {digits: count for count, digits in DIGITS_OF_BYTES.items()}
CHUNK_BYTES, CHUNK_DIGITS = 7, 17
MAXIMUM_DIGITS = 7089  # ISO/IEC 18004: numeric capacity of version 40, level L


def encode(data):
    chunks = (data[i : i + CHUNK_BYTES] for i in range(0, len(data), CHUNK_BYTES))
    return "".join(str(int.from_bytes(c, "little")).zfill(DIGITS_OF_BYTES[len(c)]) for c in chunks)


def decode(digits):
    if len(digits.encode()) > MAXIMUM_DIGITS:
        raise Refused("too-long")
    if any(character not in "0123456789" for character in digits):
        raise Refused("non-digit")
    tail = len(digits) % CHUNK_DIGITS
    if tail and tail not in BYTES_OF_DIGITS:
        raise Refused("digit-count", f"a tail of {tail} digits")
    out = b""
    for i in range(0, len(digits), CHUNK_DIGITS):
        group = digits[i : i + CHUNK_DIGITS]
        count = BYTES_OF_DIGITS[len(group)]
        if int(group) >= 1 << (8 * count):
            raise Refused("digit-range", group)
        out += int(group).to_bytes(count, "little")
    return out


ASSIGNED = {0: "cable.ua5v.com", 1: "cable.auth.com"}
FIRST_HASHED = 256
TOP_LEVEL = ("com", "org", "net", "info")
LABEL_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def domain(number):
    if number in ASSIGNED:
        return ASSIGNED[number]
    if number < FIRST_HASHED:
        raise Refused("unassigned-domain", str(number))
    digest = hashlib.sha256(b"caBLEv2 tunnel server domain" + number.to_bytes(2, "little") + b"\x00").digest()
    v = int.from_bytes(digest[:8], "little")
    top = TOP_LEVEL[v & 3]
    v >>= 2
    label = ""
    while v:
        label += LABEL_ALPHABET[v & 31]
        v >>= 5
    return f"cable.{label}.{top}"


ROUTING_ID_BYTES = 3


def routing_id(text):
    """The value of the header X-caBLE-Routing-ID."""
    if any(character not in "0123456789abcdefABCDEF" for character in text) or len(text) % 2:
        raise Refused("invalid-hex")
    if len(text) != 2 * ROUTING_ID_BYTES:
        raise Refused("wrong-length")
    return bytes.fromhex(text)
