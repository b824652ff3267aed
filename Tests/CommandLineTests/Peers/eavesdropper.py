"""Looks for texts in what a relay has recorded: what it could have read.

eavesdropper.py FILE TEXT…: each is looked for as it is, without its spaces, in base64, base64url, hexadecimal, and as bytes. Exits with 1 if
one of them is there. The client's frames are masked as WebSocket has it, so these are unmasked first.
"""
import base64
import struct
import sys

LONG = 32


def segments(path):
    """The TCP payloads of a recording, joined for each direction in the order of their numbers."""
    data = open(path, "rb").read()
    at, streams, count = 24, {}, 0
    while at + 16 <= len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        packet = data[at + 16 : at + 16 + length]
        at += 16 + length
        tcp = packet[20:]
        payload = tcp[20:]
        if payload:
            source, destination, number = struct.unpack_from(">HHI", tcp)
            streams.setdefault((source, destination), {}).setdefault(number, payload)
            count += 1
    # The numbers begin near their end and start anew, so the order is that of the distance from the first.
    joined = []
    for stream in streams.values():
        first = 0xFFFFFF00
        joined.append(b"".join(stream[number] for number in sorted(stream, key=lambda n: (n - first) & 0xFFFFFFFF)))
    return joined, count


def unmasked(stream):
    """The payloads of a client's WebSocket frames behind its request; nothing for a server's."""
    head, _, rest = stream.partition(b"\r\n\r\n")
    if not head.startswith(b"GET "):
        return b""
    out, at = b"", 0
    while at + 2 <= len(rest):
        length, masked = rest[at + 1] & 0x7F, rest[at + 1] >> 7
        at += 2
        if length == 126:
            length, at = struct.unpack_from(">H", rest, at)[0], at + 2
        elif length == 127:
            length, at = struct.unpack_from(">Q", rest, at)[0], at + 8
        mask = rest[at : at + 4] if masked else bytes(4)
        at += 4 if masked else 0
        out += bytes(byte ^ mask[index % 4] for index, byte in enumerate(rest[at : at + length]))
        at += length
    return out


def forms(text):
    for plain in {text, text.replace(" ", "")}:
        raw = plain.encode()
        yield from (raw, raw.hex().encode(), base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="))
        # What is shorter can be there by chance.
        if len(plain) >= LONG and all(digit in "0123456789abcdef" for digit in plain):
            yield bytes.fromhex(plain)


streams, count = segments(sys.argv[1])
everything = b"\0".join(streams + [unmasked(stream) for stream in streams]).lower()
assert b"upgrade: websocket" in everything, "nothing was recorded"
found = [text for text in sys.argv[2:] if any(form.lower() in everything for form in forms(text))]
print(f"found: {found}" if found else f"seen: {sum(map(len, streams))} bytes in {count} segments, and none of {len(sys.argv) - 2} texts")
sys.exit(1 if found else 0)
