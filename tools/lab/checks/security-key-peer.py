"""Finds a security key among the kernel's HID devices and uses it, with python-fido2 as it is."""

import fcntl
import sys
import time
from threading import Event

from fido2.ctap import STATUS, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY, CTAPHID, CtapHidDevice

# HIDIOCGFEATURE(2), HIDIOCSFEATURE(2)
GET_FEATURE, SET_FEATURE = 0xC0024807, 0xC0024806
# What the kernel's queue for the key's process holds: 32 reports, which a program sends all at once.
MOST_AT_ONCE = 57 + 31 * 59
LONGEST = 7609


def found():
    """The key, when udev or the kernel has made its file."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if keys := list(CtapHidDevice.list_devices()):
            return keys
        time.sleep(0.1)
    sys.exit("no security key was found")


def refused(code, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except CtapError as error:
        assert error.code == code, f"{error.code!r} instead of {code!r}"
    else:
        raise AssertionError(f"not refused with {code!r}")


(key,) = found()
assert (key.descriptor.vid, key.descriptor.pid) == (0x1209, 0x0001)
assert (key.descriptor.report_size_in, key.descriptor.report_size_out) == (64, 64)
assert (key.product_name, key.serial_number) == ("Hybrid security key", "1"), (key.product_name, key.serial_number)
assert (key.version, key.device_version) == (2, (1, 2, 3))
assert key.capabilities == CAPABILITY.WINK | CAPABILITY.CBOR | CAPABILITY.NMSG
print("found:", key.descriptor.path, key.product_name)

for count in (0, 1, 57, 58, 1024, MOST_AT_ONCE):
    message = bytes(index % 251 for index in range(count))
    began = time.monotonic()
    assert key.ping(message) == message, count
    print(f"ping: {count} bytes in {1000 * (time.monotonic() - began):.0f} ms")
began = time.monotonic()
assert key.call(CTAPHID.CBOR, b"\x40") == bytes(index % 251 for index in range(LONGEST))
print(f"response: {LONGEST} bytes in {1000 * (time.monotonic() - began):.0f} ms")
key.wink()
refused(CtapError.ERR.INVALID_COMMAND, key.call, CTAPHID.MSG, b"\0")
assert Ctap2(key).info.versions == ["FIDO_2_1"]

with open(key.descriptor.path, "r+b", buffering=0) as file:
    for request in (GET_FEATURE, SET_FEATURE):
        try:
            fcntl.ioctl(file, request, bytearray(2))
        except OSError as error:
            print("feature report:", error.strerror)
        else:
            raise AssertionError("a report that there is not")

# A request that waits, and is cancelled after some keep-alives.
seen, cancel = [], Event()


def waiting(status):
    seen.append(status)
    cancel.set()


refused(CtapError.ERR.KEEPALIVE_CANCEL, Ctap2(key).selection, event=cancel, on_keepalive=waiting)
assert seen == [STATUS.UPNEEDED], seen

# A program that goes while its request is processed leaves the key to the next one.
key.lock(10)
key._connection.write_packet(key._channel_id.to_bytes(4, "big") + b"\x90\x00\x01\x0b" + bytes(57))
key.close()
(other,) = found()
assert other.ping(b"again") == b"again"
print("ok")
