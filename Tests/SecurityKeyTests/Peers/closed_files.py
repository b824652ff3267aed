"""Starts the broker of security keys with one of its standard files closed, as no systemd does. The argument is the broker."""

import os
import socket
import subprocess
import sys
import tempfile

FAILED = b"\x13"

for closed in range(3):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(60)
    with tempfile.TemporaryDirectory() as folder:
        broker = subprocess.Popen(
            ["sh", "-c", f'exec "$0" {closed}>&-', sys.argv[1]], stdin=theirs, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, "RUNTIME_DIRECTORY": folder})
        theirs.close()
        said = broker.communicate(timeout=60)[1].decode()
        assert broker.returncode == 1, broker.returncode
        assert ours.recv(100) == (b"" if closed == 0 else FAILED)
        assert closed == 2 or f"the file {closed} is closed" in said, said
        assert os.listdir(folder) == [], "something was opened in its place"
print("ok")
