#!/usr/bin/env python3
"""Uses a security key with python-fido2's CtapHidDevice.

The key is at the other end of standard input and output: each report to it goes out as a line of hexadecimal digits, and each of its
reports comes back as one. The argument is its report descriptor. The last line is "ok". Needs: pip install fido2
"""

import sys
from threading import Event

from fido2.ctap import STATUS, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY, CTAPHID, CtapHidDevice
from fido2.hid.base import CtapHidConnection, HidDescriptor, parse_report_descriptor

LONGEST = 7609


class Lines(CtapHidConnection):
    """The key's reports as lines."""

    def read_packet(self):
        return bytes.fromhex(sys.stdin.readline())

    def write_packet(self, data):
        print(data.hex(), flush=True)

    def close(self):
        pass


def refused(code, function, *arguments, **named):
    """Demands that the key refuses something for this reason."""
    try:
        function(*arguments, **named)
    except CtapError as error:
        assert error.code == code, f"{error.code!r} instead of {code!r}"
    else:
        raise AssertionError(f"not refused with {code!r}")


sizes = parse_report_descriptor(bytes.fromhex(sys.argv[1]))
assert sizes == (64, 64), sizes
descriptor = HidDescriptor("lines", 0, 0, *sizes, "a key", None)
key = CtapHidDevice(descriptor, Lines())
other = CtapHidDevice(descriptor, Lines())
assert key._channel_id != other._channel_id
assert key.version == 2
assert key.device_version == (1, 2, 3)
assert key.capabilities == CAPABILITY.WINK | CAPABILITY.CBOR | CAPABILITY.NMSG

for count in (0, 1, 57, 58, 116, 117, 1024, LONGEST):
    message = bytes(index % 251 for index in range(count))
    assert key.ping(message) == message, count
refused(CtapError.ERR.INVALID_LENGTH, key.ping, bytes(LONGEST + 1))
assert key.ping(b"again") == b"again"

key.wink()
refused(CtapError.ERR.INVALID_LENGTH, key.call, CTAPHID.WINK, b"!")
for command in (CTAPHID.MSG, CTAPHID.VENDOR_FIRST, CTAPHID.KEEPALIVE):
    refused(CtapError.ERR.INVALID_COMMAND, key.call, command, b"\0")

# A client that is to give up does not try again when the key is busy.
given_up = Event()
given_up.set()
key.lock(10)
refused(CtapError.ERR.CHANNEL_BUSY, other.call, CTAPHID.PING, b"let me in", event=given_up)
assert key.ping(b"mine") == b"mine"
key.lock(0)
assert other.ping(b"let me in") == b"let me in"
refused(CtapError.ERR.INVALID_PARAMETER, key.lock, 11)

assert Ctap2(key).info.versions == ["FIDO_2_1"]

# The key waits for the user, and the program gives up.
seen, cancel = [], Event()


def waiting(status):
    seen.append(status)
    cancel.set()


refused(CtapError.ERR.KEEPALIVE_CANCEL, Ctap2(key).selection, event=cancel, on_keepalive=waiting)
assert seen == [STATUS.UPNEEDED], seen
assert Ctap2(other).info.versions == ["FIDO_2_1"]
print("ok")
