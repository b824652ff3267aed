#!/usr/bin/env python3
"""Uses a security key whose user is asked, with python-fido2; its reports come through a socket, as from the broker.

    asking_programs.py SOCKET [--idle]

Says "listening"; "registered" after it has made a passkey of example.org, unless it is idle; and "the key has gone" in the end.
"""

import socket
import sys

from fido2.ctap2 import Ctap2
from fido2.hid import CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor


class Reports(CtapHidConnection):
    def read_packet(self):
        while len(report := connection.recv(100)) != 64:
            assert report, "the key has gone too early"
        return report

    def write_packet(self, data):
        connection.send(data)

    def close(self):
        connection.close()


listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen()
print("listening")
connection, _ = listener.accept()
connection.send(b"\0")
if "--idle" not in sys.argv:
    ctap = Ctap2(CtapHidDevice(HidDescriptor(sys.argv[1], 0, 0, 64, 64, "a key", None), Reports()))
    ctap.make_credential(
        bytes(32), {"id": "example.org", "name": "Example"}, {"id": b"1", "name": "alice"},
        [{"type": "public-key", "alg": -7}], options={"rk": True},
    )
    print("registered")
while connection.recv(100):
    pass
print("the key has gone")
