"""Has two programs ask a security key at once: one of them waits (HT-HID-36).

    key-waiting-peer.py WHAT COMMAND…     starts the key, which asks its user at a terminal; the user is here
    key-waiting-peer.py --register        a program: finds the key, says `ready`, and registers once a line comes

WHAT is `ssh`, `cancel`, `kill` or `all`. The programs are python-fido2 and ssh-keygen. python-fido2 gives up when it hears a report of
another program's channel, as it hears all of them; here it passes over those, as browsers and libfido2 do.
"""

import glob
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

CHECKS = pathlib.Path(__file__).resolve().parent
sys.path.append(str(CHECKS.parents[2] / "Tests/CommandLineTests/Peers"))

from fido2.ctap import STATUS, CtapError  # noqa: E402
from fido2.ctap2 import Ctap2  # noqa: E402
from fido2.hid import CTAPHID, TYPE_INIT, CtapHidDevice  # noqa: E402
from fido2.hid.linux import LinuxCtapHidConnection, get_descriptor  # noqa: E402
from terminal import Terminal  # noqa: E402

LIMIT = 300
KEEP_ALIVE = TYPE_INIT | CTAPHID.KEEPALIVE


def wait(what, is_so):
    until = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < until, f"in vain: {what}"
        time.sleep(0.02)


def node():
    """The key's node, once programs may use it."""
    wait("the node is there", lambda: any(os.access(path, os.R_OK | os.W_OK) for path in glob.glob("/dev/hidraw*")))
    return glob.glob("/dev/hidraw*")[0]


class Key:
    """The key, and its user."""

    def __init__(self, command):
        self.shown, self.exit_code = b"", None
        self.terminal = Terminal(command, 80, 24)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        wait("the key is there", lambda: b"the key is there" in self.shown)

    def run(self):
        def note(shown):
            self.shown += shown
            return b""

        self.exit_code = self.terminal.run(note)

    @property
    def questions(self):
        return self.shown.count(b"approve? [y/n]")

    def answer(self, number, letter):
        """Answers the question of this number, once it is there."""
        wait(f"question {number}", lambda: self.questions >= number)
        assert self.questions == number, self.questions
        self.terminal.write_yes(letter)

    def end(self):
        self.terminal.write(b"\x03")
        self.thread.join(LIMIT)
        assert self.exit_code == 0, self.exit_code


class Connection(LinuxCtapHidConnection):
    """The reports of one program, which passes over those of others; and the channels of others that wait."""

    def __init__(self, descriptor):
        super().__init__(descriptor)
        self.channel, self.others = b"\xff" * 4, set()

    def read_packet(self):
        while (report := super().read_packet())[:4] != self.channel:
            if report[4] == KEEP_ALIVE and report[7] == STATUS.PROCESSING:
                self.others.add(report[:4])
        return report


class Program:
    """A program that registers."""

    def __init__(self):
        descriptor = get_descriptor(node())
        self.connection = Connection(descriptor)
        self.device = CtapHidDevice(descriptor, self.connection)
        self.connection.channel = self.device._channel_id.to_bytes(4, "big")
        self.ctap = Ctap2(self.device)
        self.statuses, self.cancel, self.outcome = [], threading.Event(), None

    def begin(self):
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            self.ctap.make_credential(
                os.urandom(32), {"id": "example.org", "name": "Example"}, {"id": os.urandom(8), "name": "alice"},
                [{"type": "public-key", "alg": -7}], event=self.cancel, on_keepalive=self.statuses.append,
            )
            self.outcome = "OK"
        except CtapError as error:
            self.outcome = error.code.name
        except Exception as error:
            self.outcome = repr(error)

    def expect(self, outcome):
        self.thread.join(LIMIT)
        assert self.outcome == outcome, self.outcome

    def wait_for_user(self):
        wait("the user is asked", lambda: STATUS.UPNEEDED in self.statuses)

    def wait_for_other(self):
        """Waits until another program is told that the key is at work."""
        self.connection.others.clear()
        wait("another program waits", lambda: self.connection.others)

    def close(self):
        self.device.close()


class KeyMaker:
    """ssh-keygen, which makes a key."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            ["ssh-keygen", "-q", "-t", "ecdsa-sk", "-N", "", "-f", f"{self.folder}/key"], stdin=subprocess.DEVNULL,
            start_new_session=True)

    def kill(self):
        """Kills it with its ssh-sk-helper, as Ctrl-C at its terminal would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def expect_success(self):
        assert self.process.wait(LIMIT) == 0
        assert pathlib.Path(f"{self.folder}/key.pub").read_text().startswith("sk-ecdsa")


def ssh(key):
    """ssh-keygen waits while python-fido2's question is open; both succeed."""
    first, count = Program(), key.questions
    first.begin()
    first.wait_for_user()
    second = KeyMaker()
    first.wait_for_other()
    assert second.process.poll() is None and key.questions == count + 1
    key.answer(count + 1, b"y")
    first.expect("OK")
    key.answer(count + 2, b"y")
    second.expect_success()
    first.close()


def cancel(key):
    """One that waits is cancelled, and the other goes on; then the one that is asked is cancelled, and the other is asked."""
    first, second, count = Program(), Program(), key.questions
    first.begin()
    first.wait_for_user()
    second.begin()
    first.wait_for_other()
    second.cancel.set()
    second.expect("KEEPALIVE_CANCEL")
    assert second.statuses == [STATUS.PROCESSING], second.statuses
    assert first.outcome is None and key.questions == count + 1
    key.answer(count + 1, b"y")
    first.expect("OK")
    second.close()
    first.statuses.clear()
    first.begin()
    first.wait_for_user()
    third = KeyMaker()
    first.wait_for_other()
    first.cancel.set()
    first.expect("KEEPALIVE_CANCEL")
    key.answer(count + 3, b"y")
    third.expect_success()
    first.close()


def kill(key):
    """Programs that are killed while they wait: the others go on, and the user is asked for what they have sent."""
    third = subprocess.Popen(
        [sys.executable, "-B", __file__, "--register"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert third.stdout.readline() == "ready\n"
    first, count = Program(), key.questions
    first.begin()
    first.wait_for_user()
    second = KeyMaker()
    first.wait_for_other()
    second.kill()
    third.stdin.write("go\n")
    third.stdin.flush()
    wait("two wait", lambda: len(first.connection.others) > 1)
    third.kill()
    third.wait()
    assert first.outcome is None
    key.answer(count + 1, b"y")
    first.expect("OK")
    key.answer(count + 2, b"n")
    last = Program()
    last.begin()
    key.answer(count + 3, b"y")
    last.expect("OK")
    last.close()
    first.close()


def register():
    program = Program()
    print("ready", flush=True)
    sys.stdin.readline()
    program.begin()
    program.thread.join()


if __name__ == "__main__":
    if sys.argv[1] == "--register":
        sys.exit(register())
    key = Key(sys.argv[2:])
    try:
        for check in (ssh, cancel, kill):
            if sys.argv[1] in (check.__name__, "all"):
                began = time.monotonic()
                check(key)
                print(f"\n{check.__name__}: ok, {time.monotonic() - began:.1f} s", flush=True)
        key.end()
        print()
    except BaseException:
        os.kill(key.terminal.process, signal.SIGKILL)
        raise
