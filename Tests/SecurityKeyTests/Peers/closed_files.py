"""Starts the broker of security keys with one of its standard files closed, and with what is no socket that listens for keys, as no
systemd does. The argument is the broker."""

import os
import socket
import subprocess
import sys


def run(prefix, passed, files=1):
    """What the broker says with this socket as the first that is passed; it ends at once, with an error."""
    os.dup2(passed.fileno(), 103)
    broker = subprocess.run(
        ["bash", "-c", f'exec 3<&103 103<&-; LISTEN_PID=$$ LISTEN_FDS={files} exec "$0" {prefix}', sys.argv[1]], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[103], timeout=60, text=True, check=False)
    assert broker.returncode == 1, broker
    return broker.stderr


def listening(kind):
    listener = socket.socket(socket.AF_UNIX, kind)
    listener.bind("")
    listener.listen(1)
    return listener


listener = listening(socket.SOCK_SEQPACKET)
for closed in range(3):
    assert closed == 2 or f"the file {closed} is closed" in run(f"{closed}>&-", listener)
for passed in (listening(socket.SOCK_STREAM), socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET), open("/dev/null")):
    assert "not a listening socket for keys" in run("", passed)
assert "no socket was passed" in run("", listener, files=0)
assert "no group no-such-group" in run("no-such-group", listener)
print("ok")
