"""Chromium with a native-messaging host: sends it a file as one message, prints its message, and ends as it does.

native_message.py FILE -- COMMAND…
"""

import pathlib
import struct
import subprocess
import sys

host = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
message = pathlib.Path(sys.argv[1]).read_bytes().rstrip(b"\n")
host.stdin.write(struct.pack("<I", len(message)) + message)
host.stdin.flush()
length = host.stdout.read(4)
answer = host.stdout.read(struct.unpack("<I", length)[0]) if length else b"nothing"
print(answer.decode())
host.stdin.close()
sys.exit(host.wait())
