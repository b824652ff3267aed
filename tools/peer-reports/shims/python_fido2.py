"""Shim of python-fido2, from PyPI: its CBOR, which is held against what it writes, and its host of CTAPHID."""
from threading import Event
from unittest.mock import patch

import lines
from fido2.cbor import decode_from, encode
from fido2.ctap import CtapError
from fido2.hid import CTAPHID, ConnectionFailure, CtapHidDevice
from fido2.hid.base import HidDescriptor, parse_report_descriptor


class SecurityKey:
    def __init__(self, reports):
        self.heard, self.reports = [], iter(reports)
        self.write_packet = lambda report: self.heard.append(report.hex())
        self.read_packet = lambda: next(self.reports)


def call(channel, command, payload, reports):
    """What the host sends in a call, and what comes of it; as its initializer does, it gives up at another nonce."""
    host, keep_alives, response, error = CtapHidDevice.__new__(CtapHidDevice), [], None, None
    host._packet_size, host._channel_id, host._connection = 64, channel, SecurityKey(map(bytes.fromhex, reports))
    try:
        response = host._do_call(command, bytes.fromhex(payload), Event(), keep_alives.append).hex()
    except CtapError as refusal:
        error = int(refusal.code)
    except StopIteration:  # there is no further report
        pass
    if command == CTAPHID.INIT and response and not response.startswith(payload):
        raise ConnectionFailure("Wrong nonce")
    return host._connection.heard, {"keep_alives": [int(status) for status in keep_alives], "response": response, "error": error}


def initialization(payload):
    payload = bytes.fromhex(payload)
    report = b"\xff\xff\xff\xff\x86" + len(payload).to_bytes(2, "big") + payload
    with patch("os.urandom", return_value=payload[:8]):
        host = CtapHidDevice(HidDescriptor("", 0, 0, 64, 64, None, None), SecurityKey([report.ljust(64, b"\0")]))
    return {"nonce": payload[:8].hex(), "channel": host._channel_id, "protocol_version": host.version,
            "device_version": bytes(host.device_version).hex(), "capabilities": int(host.capabilities)}


def descriptor(descriptor):
    try:
        sizes = parse_report_descriptor(bytes.fromhex(descriptor))
    except ValueError:
        sizes = None
    return {"is_security_key": sizes is not None, "input_bytes": sizes and sizes[0], "output_bytes": sizes and sizes[1]}


def canonical(cbor):
    value, rest = decode_from(bytes.fromhex(cbor))
    if rest or encode(value).hex() != cbor:
        raise ValueError("not as it would be written")
    return {"cbor": cbor}


lines.serve("python-fido2", {
    "cbor.canonical": canonical, "ctaphid.descriptor": descriptor, "ctaphid.initialization": initialization,
    "ctaphid.exchange": lambda **given: call(**given)[1], "ctaphid.fragment": lambda **given: {"reports": call(reports=[], **given)[0]}})
