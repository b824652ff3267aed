"""Starts a command as systemd starts a service of Type=notify; says what it is told, and ends the command once it is ready.

service_manager.py COMMAND…
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile

TIMEOUT = 60

with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messages:
    messages.settimeout(TIMEOUT)
    messages.bind(f"{directory}/notify")
    service = subprocess.Popen(sys.argv[1:], env={**os.environ, "NOTIFY_SOCKET": f"{directory}/notify"})
    try:
        print(messages.recv(4096).decode(), flush=True)
        service.send_signal(signal.SIGTERM)
        print(messages.recv(4096).decode(), flush=True)
        sys.exit(service.wait(TIMEOUT))
    finally:
        service.kill()
