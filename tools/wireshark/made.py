"""Captures that are made rather than recorded: messages of every kind, channels whose messages end in every way,
packets of the air."""

import struct
from pathlib import Path

from cbor2 import dumps

import exports
from exports import ADVERT, ADVERT_CARRIER, AUTHENTICATOR, CLIENT, HANDSHAKE, L2CAP, MESSAGE, TUNNEL

HASH = bytes(range(32))
AUTH_DATA = bytes(range(32)) + b"\x05" + bytes(4)
POINT = b"\x04" + bytes(range(64))
COSE_KEY = {1: 2, 3: -7, -1: 1, -2: bytes(32), -3: bytes(32)}
LINK = {1: b"contact", 2: bytes(8), 3: bytes(32), 4: POINT, 5: "Phone", 6: HASH}
INFO = dumps(
    {1: ["FIDO_2_1"], 2: ["prf"], 3: bytes(16), 4: {"rk": True}, 9: ["hybrid"], 10: [{"alg": -7, "type": "public-key"}]}
)
PLAINTEXT, SEALED = bytes(range(16)), bytes(range(20))
TERMINATOR = b"\r\n"


def from_client(data, kind=MESSAGE):
    return CLIENT, TUNNEL, kind, data


def from_authenticator(data, kind=MESSAGE):
    return AUTHENTICATOR, TUNNEL, kind, data


def request(command, parameters=None):
    return from_client(bytes([1, command]) + (b"" if parameters is None else dumps(parameters)))


def answer(result, status=0):
    return from_authenticator(bytes([1, status]) + (b"" if result is None else dumps(result)))


def padded(message, block):
    zeros = -(len(message) + block // 256) % block
    return message + bytes(zeros) + zeros.to_bytes(block // 256, "little")


def ctap():
    """Requests and answers as honest devices send them."""
    credential = {"id": HASH, "type": "public-key"}
    made = (
        AUTH_DATA[:32]
        + b"\xc5"
        + bytes(4)
        + bytes(16)
        + b"\x00\x20"
        + HASH
        + dumps(COSE_KEY)
        + dumps({"credProtect": 2})
    )
    creation = {1: HASH, 2: {"id": "example.com", "name": "Example"}, 3: {"id": b"1", "name": "a", "displayName": "A"}}
    creation |= {4: [{"alg": -7, "type": "public-key"}], 5: [credential], 6: {"prf": {}}, 7: {"rk": True}}
    return [
        request(1, creation),
        answer({1: "none", 2: made, 3: {}, 6: {"prf": {"enabled": True}}}),
        request(2, {1: "example.com", 2: HASH, 3: [credential], 5: {"uv": True}}),
        answer({1: credential, 2: AUTH_DATA, 3: HASH, 4: {"id": b"1"}, 6: True}),
        request(4),
        from_authenticator(b"\x01\x00" + INFO),
        request(6, {1: 2, 2: 2}),
        answer({1: COSE_KEY}),
        request(6, {1: 2, 2: 9, 3: COSE_KEY, 6: bytes(32), 9: 1, 10: "example.com"}),
        answer({2: bytes(32)}),
        request(8),
        request(0x0B),
        request(0x41),
        *[answer(None, status) for status in (0, 0x27, 0x2E, 0x39, 0x7F, 0xE0, 0xF0)],
    ]


def session():
    """What is not CTAP, in both revisions."""
    return [
        from_authenticator(dumps({0: bytes(9), 1: INFO, 2: LINK, 3: ["ctap", "dc"]})),
        from_authenticator(b"\x02" + dumps({0: bytes(20)})),
        from_authenticator(b"\x02" + dumps({1: LINK | {999: True}})),
        from_client(b'\x03{"origin": "https://example.com", "requestType": "credential.get"}'),
        from_authenticator(b"\x03[1, \xff"),
        from_client(b"\x00"),
        from_client(b"\x00\x00"),
        from_client(b"\x09\x01"),
        *[from_client(bytes([kind])) for kind in (1, 2, 3)],
        from_client(b""),
        from_authenticator(padded(dumps({1: INFO}), 512)),
        from_client(b"\x02" + dumps({1: "example.com", 2: HASH})),
        from_authenticator(b"\x00" + dumps({1: {"id": HASH}, 2: AUTH_DATA, 3: HASH})),
        from_client(bytes(81), HANDSHAKE),
        from_authenticator(padded(dumps({1: INFO}), 256)),
        from_client(b"\x04"),
        *[from_client(b"\x04" + bytes(size), HANDSHAKE) for size in (0, 79, 80, 81)],
        (CLIENT, L2CAP, HANDSHAKE, b"\x02" + bytes(80)),
        *[
            (AUTHENTICATOR, ADVERT_CARRIER, ADVERT, data)
            for data in (
                PLAINTEXT[:14] + b"\x01\x00",
                b"\x01" + PLAINTEXT[1:14] + b"\xff\x00",
                SEALED,
                SEALED[:19],
                SEALED + b"\xa1\x01\x18\xc0",
                SEALED + b"\xa2\x00\x05\x01\x19\x12\x34",
                *[
                    SEALED + suffix
                    for suffix in (b"\xa0", b"\xa1\x01\x00", b"\xa1\x01\x1a\x00\x01\x00\x00", b"\xa1\x00\x05")
                ],
                *[
                    SEALED + suffix
                    for suffix in (b"\x00\x00", b"\xa1\x01\x19", b"\xa1\x01\x61a", b"\xa1\x01\x05\x00", b"\xbf")
                ],
            )
        ],
        (7, 9, 9, b"\x01"),
    ]


def bad_cbor():
    """What no sender may send, behind the type byte and the command of getAssertion."""
    deep = b"\x81" * 99 + b"\x00"
    long_text = dumps({1: "\u00e4" * 200})
    parameters = [
        *[b"", b"\xa1", b"\xa2\x01\x61", b"\xa1\x01", b"\xa1\x01\x7a\xff\xff\xff\xff", b"\xa1\x01\x7b" + b"\xff" * 8],
        *[
            b"\xbb" + b"\xff" * 8,
            b"\x9b\x00\x00\x00\x01\x00\x00\x00\x00",
            b"\xbf\x01\x02\xff",
            b"\xa1\x01\x1c",
            b"\xa1\x01\xff",
        ],
        *[
            b"\xa1\x01\xc0\x00",
            b"\xa1\x01\xfb" + bytes(8),
            b"\xa1\x01\xf8\x20",
            b"\xa1\x01\x18\x05",
            b"\xa1\x01\x58\x01\x00",
        ],
        *[
            b"\xa2\x01\x00\x01\x00",
            b"\xa2\x02\x00\x01\x00",
            b"\xa2\x61a\x00\x01\x00",
            b"\xa1\x81\x01\x00",
            b"\xa0\x00",
            deep,
        ],
        *[b"\xa1\x03" + deep, dumps({1: 5, 2: "text", 3: {}}), b"\xa1\x01\x63\xff\xfe\x00", long_text],
        *[
            dumps({1: "a\x00b\n\x1b[31m\u202ec"}),
            dumps({1: 2**64 - 1, 2: -(2**64), 3: -(2**31), 4: 2**31}),
            dumps({1: "", 2: b""}),
        ],
        *[
            dumps({5: {"rk": None, "up": False, "uv": 1, "": True, "x" * 99: 1.5}}),
            dumps({-1: 0, b"k": 0, "k": 0, "kk": 0, 1: 0}),
        ],
    ]
    # Longer than need be, a surrogate, beyond the last character, cut off; and what is right beside each.
    for text in (
        b"\xc0\x80\xe0\x9f\xbf\xe0\xa0\x80",
        b"\xed\xa0\x80\xed\x9f\xbf",
        b"\xf4\x90\x80\x80\xf4\x8f\xbf\xbf\xe2\x82",
    ):
        parameters.append(b"\xa1\x01" + bytes([0x60 + len(text)]) + text)
    data = [
        *[
            b"",
            bytes(36),
            AUTH_DATA[:32] + b"\x41" + bytes(4),
            AUTH_DATA[:32] + b"\x41" + bytes(4 + 16) + b"\xff\xff" + bytes(40),
        ],
        *[
            AUTH_DATA[:32] + b"\x41" + bytes(4 + 18) + b"\xa1",
            AUTH_DATA[:32] + b"\x81" + bytes(4) + b"\xff",
            AUTH_DATA + b"\x00",
        ],
        AUTH_DATA[:32] + b"\x41" + bytes(4 + 18) + deep,
    ]
    return [
        *[from_client(b"\x01\x02" + encoded) for encoded in parameters],
        *[from_authenticator(b"\x01\x00" + dumps({1: "packed", 2: encoded, 3: {}})) for encoded in data],
        from_authenticator(dumps({1: b"\xa1"})),
        from_authenticator(dumps({1: INFO}) + b"\x00"),
        from_authenticator(dumps({1: 5, 2: 5, 3: 5})),
    ]


def acl(handle, channel, payload, sent, adapter=0):
    """An L2CAP frame in an HCI ACL packet, as btmon records it."""
    frame = struct.pack("<HH", len(payload), channel) + payload
    data = struct.pack("<HH", handle | (0 if sent else 0x2000), len(frame)) + frame
    return adapter, 4 if sent else 5, data


def btsnoop(records):
    """A file of the Linux monitor's format, one packet a millisecond."""
    out = b"btsnoop\0" + struct.pack(">II", 1, 2001)
    for number, (adapter, opcode, data) in enumerate(records):
        time = 0x00E03AB44A676000 + 820_454_400_000_000 + number * 1000
        out += struct.pack(">IIIIq", len(data), len(data), adapter << 16 | opcode, 0, time) + data
    return out


def channel(handle, sdus):
    """A channel of PSM 192 on a connection of its own, at the end that connects. An SDU: (from the client, bytes)."""
    connected = struct.pack(
        "<BBBHBB6sHHHB", 0x3E, 19, 1, handle, 0, 0, bytes([handle & 0xFF, 2, 3, 4, 5, 6]), 24, 0, 42, 0
    )
    connected = connected[:2] + b"\x01\x00" + connected[3:]
    yield 0, 3, connected
    yield acl(handle, 5, struct.pack("<BBHHHHHH", 0x14, 1, 10, 192, 0x40, 512, 100, 10), True)
    yield acl(handle, 5, struct.pack("<BBHHHHHH", 0x15, 1, 10, 0x41, 512, 100, 10, 0), False)
    for is_client, sdu in sdus:
        pieces = [struct.pack("<H", len(sdu)) + sdu[:98]] + [sdu[at : at + 100] for at in range(98, len(sdu), 100)]
        for piece in pieces:
            yield acl(handle, 0x41 if is_client else 0x40, piece, is_client)


def ends():
    """Channels on which messages end in every way."""
    first, second = POINT + bytes(16), b"\x04" + bytes(range(80))
    frame = bytes(range(1, 49))
    longer = bytes(20) + TERMINATOR + bytes(58) + TERMINATOR + bytes(32 * 5 + 17 - 82)
    both = [(True, first + TERMINATOR), (False, second + TERMINATOR)]
    yield from channel(0x10, [*both, (True, frame + TERMINATOR), (False, frame + TERMINATOR + longer + TERMINATOR)])
    yield from channel(
        0x11, [*both, (True, frame), (True, TERMINATOR), (False, longer + b"\r"), (False, b"\n"), (False, frame)]
    )
    yield from channel(
        0x12, [*[(True, bytes([byte])) for byte in first], *[(True, part) for part in (b"\r", b"\n", frame)]]
    )
    yield from channel(
        0x13, [(True, first), (False, second), (True, frame), (False, longer), (True, bytes(47)), (True, b"\x01")]
    )
    # 0D 0A where no frame of a usual length ends, 64 bytes in; and two frames in one SDU.
    odd = bytes(64) + TERMINATOR + bytes(47)
    yield from channel(0x16, [(True, first + TERMINATOR), (True, odd + TERMINATOR + frame + TERMINATOR)])
    yield from channel(
        0x17, [(True, first + TERMINATOR), (True, odd + b"\r"), (True, b"\n"), (True, frame + TERMINATOR)]
    )
    yield from channel(0x18, [(True, first), (True, b"\r"), (True, b"\n"), (True, b"\n" + frame[1:] + TERMINATOR)])
    yield from channel(0x14, [(True, b"\x05 no handshake"), (False, frame)])
    yield from channel(
        0x15, [(True, first + TERMINATOR + frame[:20]), (True, frame[20:]), (True, TERMINATOR + frame + b"\r\n")]
    )


def air():
    """Packets of the air: adverts of both UUIDs in legacy and extended packets."""

    def packet(kind, body, access=0x8E89BED6):
        return struct.pack("<IBB", access, kind, len(body)) + body + bytes(3)

    def service_data(uuid, data):
        return struct.pack("<BBH", len(data) + 3, 0x16, uuid) + data

    address = bytes([1, 2, 3, 4, 5, 6])
    yield packet(0x42, address + service_data(0xFFF9, SEALED))
    yield packet(0x40, address + b"\x02\x01\x06" + service_data(0xFDE2, SEALED))
    yield packet(0x42, address + service_data(0xFCF1, bytes(22)))
    # AUX_ADV_IND: an extended header with an address and ADI.
    yield packet(0x47, bytes([9, 0x09]) + address + b"\x34\x12" + service_data(0xFFF9, SEALED + b"\xa1\x01\x18\xc0"))


def make(folder):
    """Writes all of them into a folder. Returns their paths."""
    folder = Path(folder)
    for name, messages in (("ctap", ctap()), ("session", session()), ("bad-cbor", bad_cbor())):
        exports.write(folder / f"{name}.pcapng", messages)
    exports.write(folder / "version-2.pcapng", [request(4)], version=2)
    (folder / "header.pcapng").write_bytes(exports.pcapng([exports.exported(bytes(size)) for size in range(4)]))
    (folder / "ends.btsnoop").write_bytes(btsnoop(ends()))
    (folder / "air.pcapng").write_bytes(exports.pcapng(air(), link_type=251))
    return sorted(folder.iterdir())
