"""Asks the broker of security keys as no honest caller does. The argument is its socket; one key of this user is there already."""

import collections
import glob
import os
import resource
import socket
import sys
import time

STARTED, TOO_MANY, TOO_OFTEN = b"\x00", b"\x10", b"\x14"
MOST_KEYS = 4
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def ask():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.settimeout(120)
    connection.connect(sys.argv[1])
    return connection


def is_over(connection):
    """Whether the broker has ended the connection, after whatever it had to say."""
    try:
        while connection.recv(100):
            pass
    except ConnectionResetError:
        pass
    return True


def nodes(count):
    """Waits until there are so many keys."""
    until = time.monotonic() + 120
    while len(glob.glob("/dev/hidraw*")) != count:
        assert time.monotonic() < until, glob.glob("/dev/hidraw*")
        time.sleep(0.05)


def another():
    """A further key; an earlier one may be about to end, or many have been asked for."""
    until = time.monotonic() + 120
    while (answer := (connection := ask()).recv(100)) in (TOO_MANY, TOO_OFTEN):
        assert time.monotonic() < until
        connection.close()
        time.sleep(0.05)
    assert answer == STARTED, answer
    return connection


nodes(1)
# As many as a user may have, and no more.
kept = [another() for _ in range(MOST_KEYS - 1)]
nodes(MOST_KEYS)
refused = ask()
assert refused.recv(100) == TOO_MANY
assert refused.recv(100) == b""
for connection in kept:
    connection.close()
nodes(1)

# What is not a report ends the connection: among it the kernel's own messages, such as UHID_CREATE2 for a keyboard.
create = (11).to_bytes(4, "little") + bytes(4372)
for message in (b"!", bytes(63), bytes(65), bytes(7609), create):
    connection = another()
    connection.send(message)
    assert is_over(connection)
# A report that nobody has asked for is passed on, and hurts nobody.
connection = another()
connection.send(bytes(64))
connection.close()
nodes(1)

# Callers who leave at once, one after the other; after some of them nothing is started any more.
for _ in range(int(os.environ.get("CALLERS", "200"))):
    connection = ask()
    connection.shutdown(socket.SHUT_WR)
    assert is_over(connection)
    connection.close()
connection = another()
connection.close()
nodes(1)

# Callers all at once: some are given a key, most are refused.
began = time.monotonic()
answers = collections.Counter()
at_once = [ask() for _ in range(int(os.environ.get("CALLERS_AT_ONCE", "0")))]
for connection in at_once:
    try:
        answers[connection.recv(100)] += 1
    except ConnectionResetError:
        answers[b""] += 1
assert set(answers) <= {STARTED, TOO_MANY, TOO_OFTEN} and answers[STARTED] < MOST_KEYS, answers
print(f"{len(at_once)} at once, {time.monotonic() - began:.1f} s: {answers[STARTED]} keys, {len(at_once) - answers[STARTED]} refused")
for connection in at_once:
    connection.close()
connection = another()
connection.close()
nodes(1)
print("ok", os.getuid())
