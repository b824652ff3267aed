"""The files of a soak: whole lines, bounded, and for one soak at a time."""
import json
import os
import pathlib
import resource
import tempfile
import unittest

from soak import journal, watch


class JournalTests(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.file = journal.Journal(self.folder, "lines")

    def read(self):
        return watch.Tail(self.folder, "lines").new()

    def test_a_line_that_was_cut_off_is_lost_alone(self):
        self.file.append({"number": 1})
        with open(self.file.path, "ab") as file:
            file.write(b'{"number":')
        self.assertEqual(self.read(), [{"number": 1}])
        self.file.mend()
        self.file.append({"number": 2})
        self.assertEqual(self.read(), [{"number": 1}, {"number": 2}])

    def test_a_full_disk_leaves_whole_lines(self):
        self.file.append({"number": 1})
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        # A file that may not grow is as a disk without room, in the middle of a line.
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.file.path.stat().st_size + 5, limits[1]))
        try:
            with self.assertRaises(OSError):
                self.file.append({"number": 2, "text": "x" * 100})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(self.file.path.read_bytes(), b'{"number":1}\n')

    def test_old_lines_are_compressed_and_still_read_once(self):
        limit, journal.SEGMENT_BYTES = journal.SEGMENT_BYTES, 1000
        self.addCleanup(setattr, journal, "SEGMENT_BYTES", limit)
        tail = watch.Tail(self.folder, "lines")
        heard = []
        for number in range(200):
            self.file.append({"number": number})
            if number % 7 == 0:
                heard += tail.new()
        heard += tail.new()
        self.assertGreater(len(self.file.segments()), 1)
        self.assertEqual([line["number"] for line in heard], list(range(200)))
        self.assertEqual(self.read(), heard)

    def test_a_turn_that_was_cut_off_is_ended(self):
        self.file.append({"number": 1})
        self.file.path.rename(self.folder / "lines.0001.turning")
        self.file.mend()
        self.file.append({"number": 2})
        self.assertEqual([line["number"] for line in self.read()], [1, 2])

    def test_the_oldest_captures_go(self):
        captures = self.folder / journal.CAPTURES
        captures.mkdir()
        for number in range(5):
            (captures / f"{number:08}.btsnoop").write_bytes(bytes(100))
        self.assertEqual(journal.trim_captures(self.folder, 250), 3)
        self.assertEqual(sorted(path.name for path in captures.iterdir()), ["00000003.btsnoop", "00000004.btsnoop"])

    def test_a_second_soak_is_told_who_has_it(self):
        first = journal.Lock(self.folder / "lock", "on hci0")
        with self.assertRaisesRegex(journal.Locked, f"process {os.getpid()}.* runs on hci0"):
            journal.Lock(self.folder / "lock", "on hci0")
        first.release()
        journal.Lock(self.folder / "lock", "on hci0").release()

    def test_a_state_is_replaced_whole(self):
        journal.write_state(self.folder, {"next": 1})
        journal.write_state(self.folder, {"next": 2})
        self.assertEqual(journal.read_state(self.folder), {"next": 2})
        self.assertEqual([path.name for path in self.folder.iterdir()], [journal.STATE])
        self.assertTrue(json.loads((self.folder / journal.STATE).read_text(encoding="utf-8")))
