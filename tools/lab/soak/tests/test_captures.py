"""What is kept of the air."""
import pathlib
import struct
import tempfile
import time
import unittest

from soak import captures

NEW_INDEX, COMMAND = 0, 2


def packet(opcode, data, index=0):
    return struct.pack("<HHH", opcode, index, len(data)) + data


def read(path):
    """The records of a btsnoop file: (flags, data)."""
    data = path.read_bytes()
    assert data[:8] == b"btsnoop\0" and struct.unpack_from(">II", data, 8) == (1, 2001)
    records, place = [], 16
    while place < len(data):
        length, kept, flags, dropped, _ = struct.unpack_from(">IIIIQ", data, place)
        assert length == kept and dropped == 0
        records.append((flags, data[place + 24:place + 24 + length]))
        place += 24 + length
    return records


class CapturesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "cut.btsnoop"

    def test_commands_are_told_with_their_adapters(self):
        ring = captures.Ring()
        ring.keep(packet(NEW_INDEX, b"adapter"), 0)
        since = time.monotonic()
        ring.keep(packet(COMMAND, bytes.fromhex("432001aa"), index=1), 1)
        ring.keep(packet(COMMAND, b"\x43"), 2)
        ring.keep(packet(3, bytes.fromhex("432001")), 3)
        self.assertEqual(list(ring.commands(since)), [(1, 0x2043)])

    def test_a_cut_has_the_adapters_and_what_came_since(self):
        ring = captures.Ring()
        ring.keep(packet(NEW_INDEX, b"adapter", index=1), 0)
        ring.keep(packet(COMMAND, b"before"), 1)
        since = time.monotonic()
        ring.keep(packet(COMMAND, b"after", index=1), 2)
        ring.keep(b"\0\0", 3)
        ring.cut(self.path, since)
        self.assertEqual(read(self.path), [(1 << 16 | NEW_INDEX, b"adapter"), (1 << 16 | COMMAND, b"after")])

    def test_what_is_forgotten_is_not_cut(self):
        ring = captures.Ring()
        ring.keep(packet(COMMAND, b"before"), 1)
        now = time.monotonic()
        ring.keep(packet(COMMAND, b"after"), 2)
        ring.forget(now)
        ring.cut(self.path, 0)
        self.assertEqual(read(self.path), [(COMMAND, b"after")])

    def test_memory_is_bounded_by_the_oldest(self):
        ring = captures.Ring(limit=10_000)
        for number in range(1000):
            ring.keep(packet(COMMAND, struct.pack("<I", number) + bytes(96)), number)
        ring.cut(self.path, 0)
        kept = [struct.unpack_from("<I", data)[0] for _, data in read(self.path)]
        self.assertEqual(kept, list(range(1000 - len(kept), 1000)))
        self.assertTrue(60 < len(kept) < 100, len(kept))
