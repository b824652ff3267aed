"""Kills the writer at random instants, runs two of them at once, and fills the disk under it."""

import os
import random
import signal
import subprocess
import threading
import time

from reader import Vault

SLOTS = 8
ZEROS = bytes(32)
# Most are killed while they write, within some writings' time; the others at any time from their start.
SHARE_WHILE_WRITING = 0.8
LONGEST_WRITING = 0.01
LONGEST_LIFE = 0.06


def state(number):
    """The times of last use after a change: each slot's is the last number that fell on it."""
    return [max((n for n in range(number - SLOTS + 1, number + 1) if n % SLOTS == slot and n > 0), default=0)
            for slot in range(SLOTS)]


class Writer:
    def __init__(self, program, path):
        self.process = subprocess.Popen([program, path], stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reading = threading.Thread(target=lambda: self.lines.extend(map(str.strip, self.process.stdout)))
        self.reading.start()

    def wait(self):
        self.process.wait()
        self.reading.join()
        self.process.stdout.close()
        return self.lines

    def wait_until_open(self):
        while not self.lines and self.process.poll() is None:
            time.sleep(0.0005)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.wait()


def check(path, acknowledged):
    """The number of the last change in the vault, which must be that which was acknowledged last or the one after it."""
    vault = Vault(open(path, "rb").read(), keyring_key=ZEROS)
    number = max(vault.times)
    assert vault.times == state(number), f"torn: {vault.times}"
    assert acknowledged <= number <= acknowledged + 1, f"{acknowledged} was acknowledged, {number} is there"
    return number, vault.private_keys


def kills(program, folder, count):
    path = os.path.join(folder, "kills.vault")
    first = Writer(program, path)
    first.wait_until_open()
    lines = first.kill()
    number, keys = check(path, last(lines, 0))
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    counts = {"before it opened the vault": 0, "between two writings": 0, "in the middle of a writing": 0,
              "after the writing, before it was said": 0}
    changes = 0
    for _ in range(count):
        left = half_written(path)
        writer = Writer(program, path)
        if chance.random() < SHARE_WHILE_WRITING:
            writer.wait_until_open()
            time.sleep(chance.uniform(0, LONGEST_WRITING))
        else:
            time.sleep(chance.uniform(0, LONGEST_LIFE))
        lines = writer.kill()
        if lines:
            # Our own code has read what the kill before left.
            assert lines[0] == f"opened {number} " + " ".join(map(str, state(number))), lines[0]
        acknowledged = last(lines, number)
        found, now_keys = check(path, acknowledged)
        assert now_keys == keys, "a private key is another"
        if not lines:
            counts["before it opened the vault"] += 1
        elif found > acknowledged:
            counts["after the writing, before it was said"] += 1
        elif half_written(path) not in (None, left):
            counts["in the middle of a writing"] += 1
        else:
            counts["between two writings"] += 1
        changes += found - number
        number = found
    print(f"kill -9: {count} kills, {changes} changes acknowledged or found, 0 lost, 0 torn (seed {seed})")
    for where, times in counts.items():
        print(f"  {times} {where}")


def half_written(path):
    """Which new file lies beside the vault, if any: a kill leaves it there, and the next writing removes it."""
    try:
        status = os.stat(path + ".new")
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def last(lines, otherwise):
    wrote = [int(line.split()[1]) for line in lines if line.startswith(("wrote", "opened")) and len(line.split()) > 1]
    return wrote[-1] if wrote else otherwise


def two_at_once(program, folder, rounds):
    path = os.path.join(folder, "two.vault")
    refused = both = 0
    number = 0
    for _ in range(rounds):
        writers = [Writer(program, path), Writer(program, path)]
        for writer in writers:
            writer.wait_until_open()
        time.sleep(0.01)
        lines = [writer.kill() for writer in writers]
        refused += sum("failed in-use" in said for said in lines)
        both += sum(any(line.startswith("wrote") for line in said) for said in lines) == 2
        number, _ = check(path, max(last(said, number) for said in lines))
    assert both == 0, "both wrote"
    print(f"two at once: {rounds} rounds, {refused} refused because the vault was in use, {both} in which both wrote")


def full_disk(program, folder):
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode:
        print("full disk: skipped: no file system can be mounted here")
        return
    try:
        path = os.path.join(disk, "full.vault")
        writer = Writer(program, path)
        time.sleep(0.2)
        number, _ = check(path, last(writer.kill(), 0))
        with open(os.path.join(disk, "filler"), "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(512))
            except OSError:
                pass
        said = Writer(program, path).wait()
        assert said[-1] == "failed no-space", said
        assert check(path, number)[0] == number
        os.remove(os.path.join(disk, "filler"))
        writer = Writer(program, path)
        time.sleep(0.2)
        after, _ = check(path, last(writer.kill(), number))
        assert after > number
        print(f"full disk: refused as no-space, the old vault stayed (change {number}); with room again it went on to {after}")
    finally:
        subprocess.run(["umount", "-l", disk])
