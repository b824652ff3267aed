"""Layer message: PROTOCOL.md 7. The first message, of either revision, is in message_first.py."""

from reference import cbor, linking, messages
from reference.curve import seeded

from . import message_first
from .case import Layer

RULE = "7.2"
GET_ASSERTION = bytes.fromhex("02") + cbor.encode({1: "example.com", 2: seeded("message/hash", 32), 5: {"uv": True}})


def build():
    layer = Layer("message", "message", "What the sealed frames hold: the first message, then typed messages, updates.")
    types(layer)
    refused(layer)
    updates(layer)
    written_updates(layer)
    message_first.add(layer)
    return layer


def types(layer):
    for slug, plaintext, comment in (
        ("shutdown", b"\x00", "shutdown is its type byte alone"),
        ("ctap-request", b"\x01" + GET_ASSERTION, "a CTAP request: command and CBOR"),
        ("ctap-get-info", b"\x01\x04", "a CTAP command without parameters"),
        ("ctap-unknown-command", b"\x01\xee", "the command is for CTAP to judge"),
        ("ctap-response", b"\x01\x00" + cbor.encode({1: "x"}), "a CTAP response: status 00 and CBOR"),
        ("ctap-status-only", b"\x01\x27", "a CTAP response that is a status alone"),
        ("ctap-garbage", b"\x01\x02\xff\xff", "the payload is for CTAP to judge"),
        ("update", b"\x02\xa0", "an update"),
        ("json", b"\x03" + b'{"origin":"https://example.com"}', "JSON"),
        ("json-utf-8", b"\x03" + '{"name":"Zoë 𝄞"}'.encode(), "JSON beyond ASCII"),
        ("json-not-an-object", b"\x03null", "JSON that is no object: for the next layer to judge"),
    ):
        layer.valid(slug, comment, RULE, "message.decode", {"plaintext": plaintext}, messages.decode(plaintext))
    large = b"\x01" + seeded("message/large", 20000)
    layer.valid(
        "ctap-large",
        "a CTAP message of 20,000 bytes",
        RULE,
        "message.decode",
        {"plaintext": large},
        messages.decode(large),
    )


def refused(layer):
    def refuse(slug, comment, plaintext, failure, **more):
        layer.invalid(slug, comment, RULE, "message.decode", {"plaintext": plaintext}, failure, **more)

    refuse("empty", "an empty plaintext", b"", "empty")
    for value in (4, 5, 0x10, 0x7F, 0x80, 0xA1, 0xFF):
        refuse(
            f"type-{value:02x}",
            f"type {value:02x} is unknown",
            bytes([value]) + b"\xa0",
            "unknown-type",
            flags=["boundary"] if value == 4 else [],
        )
    refuse("type-04-alone", "an unknown type without payload", b"\x04", "unknown-type")
    refuse(
        "first-message-again",
        "a first message where a typed one must be: a1 is no type",
        cbor.encode({1: b"\xa0"}),
        "unknown-type",
        flags=["order"],
    )
    for slug, payload in (("zero", b"\x00"), ("ctap", b"\x01\x04"), ("map", b"\xa0"), ("padding", bytes(31))):
        refuse(
            f"shutdown-with-{slug}",
            f"shutdown has no payload ({slug})",
            b"\x00" + payload,
            "non-empty-payload",
            certainty="implied",
        )
    refuse("ctap-empty", "CTAP without even a command or a status", b"\x01", "empty", certainty="implied")
    refuse("json-empty", "JSON without any text", b"\x03", "empty", certainty="implied")
    for slug, payload in (
        ("continuation", b'{"a":"\x80"}'),
        ("latin-1", b'{"a":"\xe9"}'),
        ("cut", b'{"a":"\xe2\x82"}'),
        ("surrogate", b'"\xed\xa0\x80"'),
        ("overlong", b'"\xc0\xaf"'),
        ("utf-16", b"\xff\xfe{\x00}\x00"),
    ):
        refuse(f"json-not-utf-8-{slug}", f"JSON text that is not UTF-8: {slug}", b"\x03" + payload, "invalid-text")


LINKING = {
    1: seeded("contact", 40),
    2: seeded("link", 8),
    3: seeded("link-secret", 32),
    4: b"\x04" + bytes(64),
    5: "Phone",
    6: seeded("signature", 32),
}


def updates(layer):
    def accept(slug, comment, item, **more):
        payload = cbor.encode(item)
        layer.valid(
            f"update-{slug}",
            comment,
            "7.4",
            "update.parse",
            {"payload": payload},
            messages.parse_update(payload),
            **more,
        )

    def refuse(slug, comment, payload, failure, **more):
        layer.invalid(f"update-{slug}", comment, "7.4", "update.parse", {"payload": payload}, failure, **more)

    accept("empty-map", "an update with nothing in it", {})
    accept("filler", "zero filler only: what Chromium's phone sends when there is nothing to link", {0: bytes(400)})
    accept("filler-empty", "filler of no bytes", {0: b""})
    accept("linking", "a linking map; its contents are another layer's", {1: LINKING})
    accept("filler-and-linking", "both", {0: bytes(200), 1: LINKING})
    accept("unknown-key", "an unknown key is ignored", {0: b"", 7: 1}, certainty="implied", flags=["lenient"])
    size_512 = b"\x02" + cbor.encode({0: bytes(511 - 5)})
    assert len(size_512) == 512
    layer.valid(
        "update-512",
        "type byte and update together 512 bytes, as from Chromium's phone",
        "7.4",
        "update.parse",
        {"payload": size_512[1:]},
        {"has_linking": False},
        flags=["foreign"],
    )
    refuse("no-payload", "an update without a map", b"", "invalid-cbor")
    refuse("not-a-map", "an update that is an array", b"\x80", "not-a-map")
    refuse("trailing", "bytes after the map", b"\xa0\x00", "invalid-cbor")
    refuse("cut", "a map that is cut off", cbor.encode({0: bytes(10)})[:-1], "invalid-cbor")
    refuse(
        "unsorted",
        "keys out of order",
        b"\xa2\x01\xa0\x00\x40",
        "invalid-cbor",
        certainty="implied",
        flags=["not-canonical-cbor"],
    )
    for slug, value in (("bytes", b"\xa0"), ("integer", 1), ("null", None), ("array", [])):
        refuse(
            f"linking-{slug}",
            f"key 1 is not a map ({slug})",
            cbor.encode({1: value}),
            "wrong-type",
            certainty="implied",
        )


def written_updates(layer):
    """All the lengths around the places where no filler makes 512 bytes."""

    def write(slug, comment, mapping, **more):
        given = {"linking": mapping and cbor.encode(mapping)}
        expected = {"plaintext": linking.update(mapping)}
        layer.valid(f"update-encode-{slug}", comment, "7.4", "update.encode", given, expected, **more)

    write("filler", "an update that says nothing has 512 bytes with its type byte", None)
    write("linking", "with a linking map it has as many", LINKING)
    # What is left beside a map {1: {1: text of n bytes}}: 1, 26 and 259 bytes cannot be filled exactly.
    overhead = len(b"\x02" + cbor.encode({1: {1: b""}})) - 1
    for left in (0, 1, 2, 3, 25, 26, 27, 28, 257, 258, 259, 260, 261, 300):
        count = next(n for n in range(512) if overhead + len(cbor.encode(bytes(n))) + left == 512)
        flags = ["boundary"] if left in (1, 26, 259) else []
        write(f"left-{left}", f"{left} bytes are left to fill", {1: bytes(count)}, certainty="implied", flags=flags)
    for count in (600, 1010, 4096):
        comment = "what does not fit 512 bytes has the next multiple"
        write(f"long-{count}", comment, {1: bytes(count)}, certainty="implied")
