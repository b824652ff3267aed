"""Files of decrypted messages, as `hybrid inspect --decrypted` writes them: pcapng of link type 252, exported PDUs for
the dissector "hybrid". Each message is (direction, carrier, kind, bytes)."""

import json
import struct
from pathlib import Path

CLIENT, AUTHENTICATOR = 0, 1
TUNNEL, L2CAP, ADVERT_CARRIER = 0, 1, 2
HANDSHAKE, MESSAGE, ADVERT = 0, 1, 2

LINK_TYPE = 252
DISSECTOR_NAME, END_OF_TAGS = 12, 0


def block(kind, body):
    body += bytes(-len(body) % 4)
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def pcapng(packets, link_type=LINK_TYPE):
    """A pcapng of these packets, one a millisecond from the beginning of 2026."""
    blocks = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(
        1, struct.pack("<HHI", link_type, 0, 0)
    )
    for number, packet in enumerate(packets):
        micros = 1_767_225_600_000_000 + number * 1000
        head = struct.pack("<IIIII", 0, micros >> 32, micros & 0xFFFFFFFF, len(packet), len(packet))
        blocks += block(6, head + packet)
    return blocks


def exported(pdu, name=b"hybrid"):
    value = name + bytes(-len(name) % 4)
    return struct.pack(">HH", DISSECTOR_NAME, len(value)) + value + struct.pack(">HH", END_OF_TAGS, 0) + pdu


def write(path, messages, version=1):
    """Writes messages into a file."""
    pdus = [bytes([version, direction, carrier, kind]) + data for direction, carrier, kind, data in messages]
    Path(path).write_bytes(pcapng([exported(pdu) for pdu in pdus]))


def pdus(path):
    """The PDUs of a file of decrypted messages, without tags: version, direction, carrier, kind, then the bytes."""
    data, at = Path(path).read_bytes(), 0
    while at < len(data):
        kind, length = struct.unpack("<II", data[at : at + 8])
        if kind == 6:
            (size,) = struct.unpack("<I", data[at + 20 : at + 24])
            yield data[at + 28 : at + 28 + size].partition(b"hybrid\0\0\0\0\0\0")[2]
        at += length


def recorded_session(path):
    """The messages of a session recorded with Chromium."""
    session = json.loads(Path(path).read_text())
    unhex = bytes.fromhex
    yield AUTHENTICATOR, ADVERT_CARRIER, ADVERT, unhex(session["advert"])
    yield AUTHENTICATOR, ADVERT_CARRIER, ADVERT, unhex(session["eid_plaintext"])
    yield CLIENT, TUNNEL, HANDSHAKE, unhex(session["client_handshake"])
    yield AUTHENTICATOR, TUNNEL, HANDSHAKE, unhex(session["authenticator_handshake"])
    for frame in session["frames"]:
        direction = AUTHENTICATOR if frame["dir"] == "to_client" else CLIENT
        yield direction, TUNNEL, MESSAGE, unhex(frame["plain"])
