"""Ends with 0 if nothing is heard at a simulated radio's address for so many seconds.

listen.py RADIO SECONDS
"""

import socket
import sys

host, port = sys.argv[1].rsplit(":", 1)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
    listener.bind((host, int(port)))
    listener.settimeout(float(sys.argv[2]))
    try:
        sys.exit(f"heard {listener.recv(512).hex()}")
    except TimeoutError:
        pass
