"""Layer cbor: the canonical form that PROTOCOL.md asks for (1.3, 9), as CTAP2 defines it."""

from reference import cbor

from .case import Layer

RULE = "9"


def build():
    layer = Layer("cbor", "cbor", "CTAP2 canonical CBOR: what strict decoding takes, and why it refuses the rest.")
    accepted(layer)
    numbers(layer)
    orders(layer)
    refused(layer)
    return layer


def keep(layer, slug, comment, item, **more):
    data = item if isinstance(item, bytes) and not isinstance(item, cbor.Raw) else cbor.encode(item)
    layer.valid(slug, comment, RULE, "cbor.canonical", {"cbor": data}, {"cbor": data}, **more)


def refuse(layer, slug, comment, text, failure, **more):
    layer.invalid(slug, comment, RULE, "cbor.canonical", {"cbor": bytes.fromhex(text)}, failure, **more)


def accepted(layer):
    for slug, item in (
        ("zero", 0),
        ("23", 23),
        ("24", 24),
        ("255", 255),
        ("256", 256),
        ("65535", 65535),
        ("65536", 65536),
        ("32-bit", 2**32 - 1),
        ("33-bit", 2**32),
        ("63-bit", 2**63 - 1),
        ("64-bit", 2**63),
        ("largest", 2**64 - 1),
        ("minus-1", -1),
        ("minus-24", -24),
        ("minus-25", -25),
        ("minus-256", -256),
        ("minus-257", -257),
        ("minus-63-bit", -(2**63)),
        ("most-negative", -(2**64)),
    ):
        keep(layer, f"integer-{slug}", f"the integer {item}", item)
    for count in (0, 1, 23, 24, 255, 256, 65536):
        keep(layer, f"bytes-{count}", f"a byte string of {count} bytes", cbor.encode(bytes(count)))
        if count < 65536:
            keep(layer, f"text-{count}", f"a text of {count} bytes", "a" * count)
    keep(layer, "text-utf-8", "text of characters of 1 to 4 bytes", "aü水𝄞")
    keep(layer, "text-nul", "text with a zero byte", "a\u0000b")
    for slug, item in (
        ("empty-array", []),
        ("empty-map", {}),
        ("array-24", [0] * 24),
        ("true", True),
        ("false", False),
        ("null", None),
        ("nested", {1: [{"a": [1]}]}),
        ("mixed-array", [1, -1, b"", "", True, None]),
    ):
        keep(layer, slug, f"{slug.replace('-', ' ')}", item)


def numbers(layer):
    for major, what in ((0, "integer"), (1, "negative"), (2, "bytes"), (3, "text"), (4, "array"), (5, "map")):
        for info, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
            head = bytes([major << 5 | info]) + bytes(width)
            refuse(
                layer,
                f"long-{what}-{width}",
                f"{what}: the number 0 in {width} more bytes than needed",
                head.hex(),
                "not-canonical",
                flags=["not-canonical-cbor"],
            )
    for slug, text in (
        ("23-in-1", "1817"),
        ("255-in-2", "1900ff"),
        ("65535-in-4", "1a0000ffff"),
        ("32-bit-in-8", "1b00000000ffffffff"),
    ):
        refuse(
            layer,
            f"long-{slug}",
            "the largest value that the next shorter form holds",
            text,
            "not-canonical",
            flags=["not-canonical-cbor", "boundary"],
        )


def orders(layer):
    keep(layer, "order-type-first", "integers before byte strings before text", {100000: 0, b"": 0, "": 0})
    keep(layer, "order-negative-after", "unsigned before negative, whatever their length", {2**40: 0, -1: 0})
    keep(layer, "order-length", "id before name before displayName", {"id": 0, "name": 0, "displayName": 0})
    keep(layer, "order-bytes", "of the same length, by bytes", {"rk": 0, "uv": 0})
    keep(layer, "order-integers", "numeric order", {1: 0, 23: 0, 24: 0, 255: 0, 256: 0})
    for slug, text, comment in (
        ("two-integers", "a2020001 00", "key 2 before key 1"),
        ("length", "a2646e616d65006269640 0", "name before id"),
        ("bytes", "a26275760062726b00", "uv before rk"),
        ("types", "a2616100 0100", "text before an integer"),
        ("negative-first", "a220000000", "-1 before 0"),
        ("nested", "a101a2020001 00", "inside a value"),
        ("in-array", "81a202000100", "inside an array"),
        ("bytewise-not-canonical", "a2186400 0a00", "100 before 10: longer first"),
    ):
        refuse(
            layer,
            f"unsorted-{slug}",
            f"keys out of order: {comment}",
            text.replace(" ", ""),
            "unsorted-keys",
            flags=["not-canonical-cbor"],
        )
    for slug, text in (
        ("integer", "a201000100"),
        ("text", "a26161006161 01"),
        ("bytes", "a241000041 0000"),
        ("third", "a3010002000200"),
        ("nested", "a101a201000100"),
    ):
        refuse(
            layer,
            f"duplicate-{slug}",
            f"a key twice ({slug})",
            text.replace(" ", ""),
            "duplicate-key",
            flags=["not-canonical-cbor"],
        )


def refused(layer):
    refuse(layer, "empty", "no bytes", "", "truncated")
    for slug, text in (
        ("head", "18"),
        ("two-bytes", "1901"),
        ("four-bytes", "1a010203"),
        ("eight-bytes", "1b01020304050607"),
        ("bytes", "43aabb"),
        ("text", "6361 62"),
        ("array", "8201"),
        ("map-key", "a1"),
        ("map-value", "a101"),
        ("map-second", "a2010002"),
        ("bytes-length", "58"),
        ("nested", "8182"),
    ):
        refuse(layer, f"truncated-{slug}", f"the input ends too early ({slug})", text.replace(" ", ""), "truncated")
    for slug, text in (
        ("bytes-4-gib", "5affffffff"),
        ("bytes-64-bit", "5bffffffffffffffff"),
        ("text-64-bit", "7bffffffffffffffff"),
        ("bytes-63-bit", "5b7fffffffffffffff"),
    ):
        refuse(
            layer,
            f"truncated-claim-{slug}",
            "a length far beyond the input must not be allocated",
            text + "00",
            "truncated",
        )
    for slug, text in (("zero", "0000"), ("after-map", "a000"), ("after-text", "616100"), ("second-item", "f5f5")):
        refuse(layer, f"trailing-{slug}", "bytes after the item", text, "trailing-bytes")
    for slug, text in (
        ("bytes", "5f4100ff"),
        ("text", "7f6161ff"),
        ("array", "9f01ff"),
        ("map", "bf0101ff"),
        ("empty-array", "9fff"),
    ):
        refuse(
            layer,
            f"indefinite-{slug}",
            f"indefinite length: {slug}",
            text,
            "not-canonical",
            flags=["not-canonical-cbor"],
        )
    for slug, text in (
        ("half", "f93c00"),
        ("single", "fa3f800000"),
        ("double", "fb3ff0000000000000"),
        ("undefined", "f7"),
        ("simple-16", "f0"),
        ("simple-255", "f8ff"),
        ("tag", "c000"),
        ("tag-2", "c24101"),
        ("tag-55799", "d9d9f700"),
    ):
        refuse(layer, f"unsupported-{slug}", f"a type that CTAP2 does not use: {slug}", text, "unsupported")
    for slug, text in (
        ("reserved-28", "1c"),
        ("reserved-29", "5d"),
        ("reserved-30", "be"),
        ("break", "ff"),
        ("break-in-array", "82 01ff"),
        ("indefinite-integer", "1f"),
        ("simple-0-in-2", "f800"),
        ("true-in-2", "f815"),
    ):
        refuse(layer, f"malformed-{slug}", f"no CBOR at all: {slug}", text.replace(" ", ""), "malformed")
    for slug, text in (
        ("lone-continuation", "6180"),
        ("overlong", "62c080"),
        ("surrogate", "63eda080"),
        ("cut", "62e282"),
        ("above-10ffff", "64f4908080"),
        ("ff", "61ff"),
    ):
        refuse(layer, f"text-{slug}", f"text that is not UTF-8: {slug}", text, "invalid-text")
    refuse(layer, "deep-arrays", "256 arrays in one another", "81" * 256 + "00", "too-deep")
    refuse(layer, "deep-maps", "256 maps in one another", "a100" * 256 + "00", "too-deep")
