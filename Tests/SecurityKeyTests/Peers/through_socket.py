"""Security keys for python-fido2."""

import socket
import sys
import time

from fido2.hid import CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor


class Reports(CtapHidConnection):
    """The key's reports as messages of a socket."""

    def __init__(self, connection):
        self.connection = connection

    def read_packet(self):
        # What the broker says beside is one byte long.
        while len(report := self.connection.recv(100)) != 64:
            assert report, "the key has gone"
        return report

    def write_packet(self, data):
        self.connection.send(data)

    def close(self):
        self.connection.close()


def through_socket(path):
    """The key whose reports come through this socket: listens there, as the broker would, and says so."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen()
    print("listening", flush=True)
    connection, _ = listener.accept()
    connection.send(b"\0")
    return CtapHidDevice(HidDescriptor(path, 0x1209, 0x0001, 64, 64, "a key", None), Reports(connection))


def found():
    """The key that the kernel shows."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if keys := list(CtapHidDevice.list_devices()):
            return keys[0]
        time.sleep(0.1)
    sys.exit("no security key was found")
