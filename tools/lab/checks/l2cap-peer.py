"""A peer that misbehaves on an L2CAP channel: l2cap-peer.py OWN-ADDRESS ADDRESS PSM BEHAVIOUR.

silent     connects and sends nothing until the other end gives up
bytes      a message of a handshake's length and a sealed one, in SDUs of one byte; prints "echoed" if both come back
endless    10 MB without an end; prints how much was taken before the other end gave up
half       a half of a message, then it leaves
"""

import ctypes
import os
import socket
import struct
import sys
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

LE_PUBLIC = 1
libc = ctypes.CDLL(None, use_errno=True)


def address(text, psm):
    """sockaddr_l2: Python's own knows no kind of address."""
    device = bytes.fromhex(text.replace(":", ""))[::-1]
    return struct.pack("<HH6sHBx", socket.AF_BLUETOOTH if hasattr(socket, "AF_BLUETOOTH") else 31, psm, device, 0, LE_PUBLIC)


def connected(own, peer, psm):
    channel = socket.socket(31, socket.SOCK_SEQPACKET, 0)
    for call, where in ((libc.bind, address(own, 0)), (libc.connect, address(peer, psm))):
        if call(channel.fileno(), where, len(where)) != 0:
            sys.exit(f"{call.__name__}: {os.strerror(ctypes.get_errno())}")
    return channel


def sealed(key, counter, message):
    padded = message + bytes(-(len(message) + 1) % 32) + bytes([-(len(message) + 1) % 32])
    return AESGCM(bytes([key]) * 32).encrypt(bytes(8) + counter.to_bytes(4, "big"), padded, None)


own, peer, psm, behaviour = sys.argv[1:]
channel = connected(own, peer, int(psm))
print("connected", flush=True)
if behaviour == "silent":
    began = time.monotonic()
    try:
        channel.recv(65536)
    except OSError:
        pass
    print(f"left alone after {time.monotonic() - began:.1f} s", flush=True)
elif behaviour == "bytes":
    bare, message = b"\r\n" + os.urandom(79), b"\r\n" + os.urandom(200)
    for byte in bare + b"\r\n" + sealed(1, 0, message) + b"\r\n":
        channel.send(bytes([byte]))
    came = b""
    wanted = bare + b"\r\n" + sealed(2, 0, message) + b"\r\n"
    while len(came) < len(wanted):
        came += channel.recv(65536)
    print("echoed" if came == wanted else "altered", flush=True)
elif behaviour == "endless":
    sent = 0
    try:
        channel.send(os.urandom(81))
        while sent < 10_000_000:
            sent += channel.send(os.urandom(10_000))
    except OSError as error:
        print(f"refused after {sent} bytes: {error}", flush=True)
elif behaviour == "half":
    channel.send(os.urandom(81))
    channel.recv(65536)
    channel.send(os.urandom(40))
    time.sleep(1)
