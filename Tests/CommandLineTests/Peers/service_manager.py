"""Starts a command as systemd starts a service of Type=notify; says what it is told, and ends the command once it is ready.

service_manager.py COMMAND…          READY=1 and STOPPING=1
service_manager.py --full COMMAND…   passes a socket that listens, wants a sign of life, and has the files read again
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile

TIMEOUT = 60

full = sys.argv[1] == "--full"
command = sys.argv[1 + full:]


def passed(listener):
    """The command with the socket as its file 3, and what tells it so."""
    return ["bash", "-c", f'LISTEN_PID=$$ exec "$@" 3<&{listener.fileno()}', "bash", *command], {
        "LISTEN_FDS": "1", "WATCHDOG_USEC": "200000"}


with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as messages, \
        socket.create_server(("127.0.0.1", 0)) as listener:
    messages.settimeout(TIMEOUT)
    messages.bind(f"{directory}/notify")
    if full:
        command, variables = passed(listener)
    else:
        variables = {}
    environment = {**os.environ, **variables, "NOTIFY_SOCKET": f"{directory}/notify"}
    service = subprocess.Popen(command, env=environment, pass_fds=[listener.fileno()])

    def told(wanted):
        """Waits for a state."""
        while (message := messages.recv(4096).decode().split("\n")[0]) != wanted:
            assert full and message == "WATCHDOG=1", message
        print(message, flush=True)

    try:
        told("READY=1")
        if full:
            told("WATCHDOG=1")
            told("WATCHDOG=1")
            socket.create_connection(listener.getsockname()).close()
            service.send_signal(signal.SIGHUP)
            told("RELOADING=1")
            told("READY=1")
        service.send_signal(signal.SIGTERM)
        told("STOPPING=1")
        sys.exit(service.wait(TIMEOUT))
    finally:
        service.kill()
