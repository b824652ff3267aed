"""Asks the broker for a key 20 times in a minute, as a user at the screen, while another user calls and leaves without end under 65,536
names, and a service does as well. As root. The arguments are the broker's socket, the user, the first of the names, the service's user,
and the processes whose use of the processor is told."""

import itertools
import multiprocessing
import os
import random
import socket
import struct
import sys
import time

KEYS, SECONDS, CALLERS = 20, float(os.environ.get("SECONDS_OF_FLOOD", "60")), 4
PATH, USER, FIRST, SERVICE = sys.argv[1], *map(int, sys.argv[2:5])


def connect(user):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # As the program does it: a place in the kernel's queue, and not one try after the other.
    for limit in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, limit, struct.pack("ll", 10, 0))
    os.seteuid(user)
    try:
        connection.connect(PATH)
    finally:
        os.seteuid(0)
    return connection


def call_without_end(caller, calls):
    for number in itertools.count():
        user = SERVICE if caller == 0 else FIRST + random.randrange(65536)
        try:
            connect(user).close()
        except OSError:
            pass
        calls.value = number + 1


def used(process):
    """Seconds of the processor."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def take_key():
    """How it ended, and after how long."""
    begun = time.monotonic()
    try:
        connection = connect(USER)
        answer = connection.recv(100)
        connection.close()
    except OSError as error:
        answer = type(error).__name__
    return answer, time.monotonic() - begun


def round_of_keys(name, pause):
    begun, results = time.monotonic(), []
    for number in range(KEYS):
        time.sleep(max(0.0, begun + number * pause - time.monotonic()))
        results.append(take_key())
    keys = sorted(duration for answer, duration in results if answer == b"\x00")
    others = [answer for answer, _ in results if answer != b"\x00"]
    print(f"{name}: {len(keys)} of {KEYS} keys, p50 {keys[len(keys) // 2] if keys else -1:.3f} s, "
          f"the slowest {keys[-1] if keys else -1:.3f} s{', and ' + str(others) if others else ''}", flush=True)
    return len(keys)


quiet = round_of_keys("quiet", 1.5)
watched = [int(process) for process in sys.argv[5:]]
before = [used(process) for process in watched]
counts = [multiprocessing.Value("Q", 0, lock=False) for _ in range(CALLERS)]
callers = [multiprocessing.Process(target=call_without_end, args=(number, count), daemon=True) for number, count in enumerate(counts)]
for caller in callers:
    caller.start()
begun = time.monotonic()
keys = round_of_keys("under attack", SECONDS / KEYS)
duration = time.monotonic() - begun
for caller in callers:
    caller.kill()
print(f"{sum(count.value for count in counts)} calls in {duration:.0f} s; of the processor: "
      + ", ".join(f"{process} {used(process) - first:.1f} s" for process, first in zip(watched, before)))
assert quiet == keys == KEYS
print("ok")
