"""An unauthenticated device on the simulated radio's L2CAP channels; tells how its channel ends.

nearby.py RADIO PSM connect|listen DEED
"""

import os
import socket
import sys

radio, psm, side, deed = sys.argv[1:]
channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
name = f"\0hybrid-radio/{radio}/{psm}"
if side == "connect":
    channel.connect(name)
else:
    channel.bind(name)
    channel.listen()
    print("listening", flush=True)
    channel = channel.accept()[0]
print("connected", flush=True)
if deed == "half":
    channel.send(os.urandom(40))
    channel.close()
elif deed == "long":
    channel.send(bytes(60_000))
elif deed == "garbage":
    channel.send(os.urandom(81) + b"\r\n")
if deed != "half":
    try:
        while channel.recv(65536):
            pass
    except ConnectionError:
        pass
print("closed", flush=True)
