#!/usr/bin/env -S python3 -B
"""The processor time that a program takes to start, as a multiple of /bin/true's: fails beyond a limit.

    start.py PROGRAM LIMIT

Both are run by turns. The shortest times are compared, which are those that nothing else on the machine has disturbed; the medians
are only printed. It is not the time that passes: on a busy machine eight milliseconds are interrupted more often than half of one.
"""
import os
import statistics
import sys

ROUNDS = 200


def once(arguments):
    child = os.posix_spawn(arguments[0], arguments, os.environ,
                           file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"start: error: {arguments} failed")
    return (usage.ru_utime + usage.ru_stime) * 1000


def main(program, limit):
    known, ours = zip(*((once(["/bin/true"]), once([program, "--version"])) for _ in range(ROUNDS)))
    for what, of in (("median", statistics.median), ("shortest", min)):
        times = of(ours) / of(known)
        print(f"start, {what} of {ROUNDS}: {of(ours):.1f} ms, /bin/true {of(known):.1f} ms: {times:.1f} times")
    if times > float(limit):
        sys.exit(f"start: error: it may take {limit} times as long")


main(*sys.argv[1:])
