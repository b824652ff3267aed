"""Captures that are hostile: cut off, changed, with lengths that lie, nested deep. All chance is from a seed."""

import random
import struct
import time
from pathlib import Path

import exports
import made
import sharks

TIME_LIMIT = 120


def changed(chance, data):
    """Data of a message with a few changes."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        match chance.randint(0, 5):
            case 0:
                del data[at:]
            case 1:
                del data[at : at + chance.randint(1, 8)]
            case 2:
                data[at:at] = chance.randbytes(chance.randint(1, 8))
            case 3:
                # A head of CBOR that says something else.
                data[at : at + 1] = bytes(
                    [chance.choice(range(0, 256, 32)) + chance.choice((0, 3, 23, 24, 25, 26, 27, 28, 31))]
                )
            case 4:
                data[at : at + 9] = bytes([chance.choice((0x5B, 0x7B, 0x9B, 0xBB))]) + b"\xff" * 8
            case _ if at < len(data):
                data[at] = chance.randrange(256)
    return bytes(data)


def sealed_or_not(chance, messages, count):
    """Exported PDUs, a few of them with another header."""
    for _ in range(count):
        direction, carrier, kind, data = chance.choice(messages)
        header = bytes([1, direction, carrier, kind])
        if chance.random() < 0.1:
            header = chance.randbytes(chance.randint(0, 4))
        yield exports.exported(header + changed(chance, data))


def deep():
    """Messages that ask for much: nested, many items, long."""
    for item in (b"\x81", b"\xa1\x01", b"\xc0", b"\xa1\xa1"):
        for head in (b"\x01\x02\xa1\x03", b"\x01\x00\xa1\x01", b"\x02\xa1\x01"):
            yield exports.exported(bytes([1, head[1] % 2, 0, 1]) + head + item * 50_000)
    for items in (b"\x00" * 100_000, b"\x60" * 100_000, b"\xa0" * 100_000, b"\x82\x00\x00" * 30_000):
        yield exports.exported(bytes([1, 0, 0, 1]) + b"\x01\x02\xa1\x03\x9a" + struct.pack(">I", len(items)) + items)
        yield exports.exported(
            bytes([1, 0, 0, 1]) + b"\x01\x02\xa1\x03\x9a" + struct.pack(">I", len(items) - 1) + items
        )
    yield exports.exported(bytes([1, 1, 0, 1]) + b"\xa1\x00\x5a\x00\x03\x00\x00" + bytes(0x30000))


def btsnoop_records(data):
    at = 16
    while at + 24 <= len(data):
        original, length, flags = struct.unpack(">III", data[at : at + 12])
        yield (flags >> 16, flags & 0xFFFF, data[at + 24 : at + 24 + length])
        at += 24 + length


def changed_records(chance, records, count):
    """HCI packets; in half of the changed ones only the end, so that what is inside changes and not its envelope."""
    records = list(records)
    for _ in range(count):
        adapter, opcode, data = chance.choice(records)
        if chance.random() < 0.5 and len(data) > 12:
            same = bytearray(data)
            for _ in range(chance.randint(1, 6)):
                same[chance.randrange(8, len(same))] = chance.choice((0, 4, 0x0A, 0x0D, 0xFF, chance.randrange(256)))
            data = bytes(same)
        yield adapter, opcode, data


def small_pieces():
    """A message that does not end, in SDUs of one byte."""
    first = made.POINT + bytes(16) + made.TERMINATOR
    return made.channel(0x20, [(True, first), *[(True, bytes([byte & 0x0F])) for byte in range(10_000)]])


def make(folder, seed, captures):
    """Writes hostile captures into a folder: (path, whether it is cut within a packet)."""
    chance, folder = random.Random(seed), Path(folder)
    messages = [message for message in made.ctap() + made.session() + made.bad_cbor() if message[3]]
    (folder / "changed.pcapng").write_bytes(exports.pcapng(sealed_or_not(chance, messages, 3000)))
    (folder / "deep.pcapng").write_bytes(exports.pcapng(deep()))
    (folder / "pieces.btsnoop").write_bytes(made.btsnoop(small_pieces()))
    recorded = [
        record for path in captures if path.suffix == ".btsnoop" for record in btsnoop_records(path.read_bytes())
    ]
    for name, records in (("channels", made.ends()), ("recorded", recorded)):
        (folder / f"{name}.btsnoop").write_bytes(made.btsnoop(changed_records(chance, records, 3000)))
    air = [changed(chance, packet) for _ in range(500) for packet in made.air()]
    (folder / "air.pcapng").write_bytes(exports.pcapng(air, link_type=251))
    for path in captures:
        data = path.read_bytes()
        for part in range(3):
            (folder / f"cut-{part}-{path.name}").write_bytes(data[: chance.randrange(200, len(data))])
        # The file's own structure stays: a changed length there is for Wireshark's readers.
        flipped = bytearray(data)
        for at in range(400, len(flipped), 97):
            flipped[at] ^= chance.choice((0, 0, 1, 0x80))
        (folder / f"flipped-{path.name}").write_bytes(flipped)
    return sorted(folder.iterdir())


def check(path, dissector=sharks.FOLDER / "hybrid.lua"):
    """Reads a hostile capture in one go and in two, with whole trees. Returns the seconds that took."""
    begun = time.monotonic()
    for options in ([], ["-2"]):
        printed = sharks.run(
            path, *options, "-Y", sharks.SHOWN, "-O", "hybrid,_ws.lua", hostile=True, dissector=dissector
        )
        errors = [line.strip() for line in printed.splitlines() if "Lua Error" in line]
        if errors:
            raise sharks.Failed(f"{path.name}: {len(errors)} errors of Lua, the first: {errors[0]}")
    took = time.monotonic() - begun
    if took > TIME_LIMIT:
        raise sharks.Failed(f"{path.name}: took {took:.0f} s, the limit is {TIME_LIMIT} s")
    return took
