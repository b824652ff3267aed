"""The files that a soak leaves and goes on from: one line a ceremony, one line a sample, its state, its lock.

The lines are the truth. A soak that was killed in the middle of a line loses that line alone.
"""
import fcntl
import gzip
import json
import os
import pathlib
import shutil
import time

SEGMENT_BYTES = 16 << 20
STATE = "state.json"
CEREMONIES = "ceremonies.ndjson"
MEMORY = "memory.ndjson"
CAPTURES = "captures"


class Locked(Exception):
    """Another soak has it."""


class Lock:
    """Held as long as the soak runs; the kernel lets go of it when its process ends."""

    def __init__(self, path, what):
        self._file = open(path, "a+", encoding="ascii")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            owner = self._file.read().strip()
            self._file.close()
            raise Locked(f"another soak{f' (process {owner})' if owner else ''} runs {what}") from None
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def release(self):
        self._file.close()


class Journal:
    """A file of JSON lines, whose old part is compressed."""

    def __init__(self, folder, name):
        self.path = pathlib.Path(folder) / name

    def mend(self):
        """Before the first line: takes off a last one that was not written to its end, and ends a turn."""
        for turning in self.path.parent.glob(self.path.name + ".*.turning"):
            self._compress(turning)
        if not self.path.is_file():
            return
        with open(self.path, "rb+") as file:
            data = file.read()
            whole = data.rfind(b"\n") + 1
            if whole != len(data):
                file.truncate(whole)

    def append(self, line):
        """Writes one line whole, or leaves the file as it was. Throws OSError, for instance on a full disk."""
        data = (json.dumps(line, separators=(",", ":")) + "\n").encode()
        with open(self.path, "ab", buffering=0) as file:
            size = file.tell()
            try:
                written = file.write(data)
                if written != len(data):
                    raise OSError(28, "No space left on device")
            except OSError:
                file.truncate(size)
                raise
        if size + len(data) > SEGMENT_BYTES:
            self._turn()

    def _turn(self):
        # In this order a reader that comes in between sees no line twice, and misses none for long.
        turning = self.path.with_name(f"{self.path.name}.{len(self.segments()) + 1:04}.turning")
        self.path.rename(turning)
        self._compress(turning)

    @staticmethod
    def _compress(turning):
        new = turning.with_suffix(".new")
        with open(turning, "rb") as source, gzip.open(new, "wb") as target:
            shutil.copyfileobj(source, target)
        new.replace(turning.with_suffix(".gz"))
        turning.unlink()

    def segments(self):
        return sorted(self.path.parent.glob(self.path.name + ".*.gz"))


def read_state(folder):
    with open(pathlib.Path(folder) / STATE, encoding="utf-8") as file:
        return json.load(file)


def write_state(folder, state):
    """Replaces the state file whole."""
    path = pathlib.Path(folder) / STATE
    new = path.with_suffix(".new")
    try:
        with open(new, "w", encoding="utf-8") as file:
            json.dump(state, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def size_of(folder):
    """Bytes of a folder's files."""
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def trim_captures(folder, limit):
    """Removes the oldest captures beyond a size in bytes; returns how many."""
    files = sorted((pathlib.Path(folder) / CAPTURES).glob("*"), key=lambda path: path.name)
    total = sum(path.stat().st_size for path in files)
    removed = 0
    while files and total > limit:
        oldest = files.pop(0)
        total -= oldest.stat().st_size
        oldest.unlink()
        removed += 1
    return removed


def stamp():
    """The wall clock's time, for people alone: nothing is computed with it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
