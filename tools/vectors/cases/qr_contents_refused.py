"""Layer qr-contents: every refusal of PROTOCOL.md 1.3."""

from reference import cbor, curve
from reference.curve import seeded

RULE = "1.3"


def add(layer, full):
    def refuse(slug, comment, mapping, failure, **more):
        data = mapping if isinstance(mapping, bytes) else cbor.encode(mapping)
        layer.invalid(slug, comment, RULE, "invitation.decode", {"cbor": data}, failure, **more)

    required(refuse, full)
    points(refuse, full)
    types(refuse, full)
    shapes(refuse, full)
    canonical(refuse, full)


def without(full, key):
    return {k: v for k, v in full.items() if k != key}


def required(refuse, full):
    refuse("no-public-key", "key 0 is missing", without(full, 0), "missing-field")
    refuse("no-secret", "key 1 is missing", without(full, 1), "missing-field")
    refuse("empty-map", "an empty map", {}, "missing-field")
    for slug, value in (
        ("integer", 42),
        ("text", "x" * 33),
        ("array", [1]),
        ("null", None),
        ("map", {1: 1}),
        ("bool", True),
    ):
        refuse(f"public-key-{slug}", f"key 0 is a {slug}", full | {0: value}, "wrong-type")
    for slug, value in (
        ("integer", 42),
        ("text", "x" * 16),
        ("array", [1]),
        ("null", None),
        ("map", {1: 1}),
        ("bool", False),
    ):
        refuse(f"secret-{slug}", f"key 1 is a {slug}", full | {1: value}, "wrong-type")
    for count in (0, 1, 15, 17, 32):
        refuse(f"secret-{count}-bytes", f"a secret of {count} bytes", full | {1: seeded("s", count)}, "wrong-length")


def points(refuse, full):
    key = full[0]
    for slug, value in (
        ("empty", b""),
        ("32-bytes", key[:32]),
        ("34-bytes", key + b"\x00"),
        ("x-only", key[1:]),
        ("one-byte", b"\x00"),
    ):
        refuse(
            f"public-key-{slug}",
            f"key 0 of another length ({len(value)} bytes)",
            full | {0: value},
            "wrong-length",
            flags=["curve"],
        )
    refuse(
        "public-key-uncompressed",
        "key 0 in the uncompressed form, 65 bytes",
        full | {0: curve.uncompress(key)},
        "wrong-length",
        flags=["curve"],
    )
    off = curve.x_without_point(int.from_bytes(key[1:], "big"))
    for slug, value, comment in (
        ("off-curve", key[:1] + off, "no point of the curve has this X"),
        ("off-curve-other-sign", bytes([5 - key[0]]) + off, "nor with the other sign"),
        ("x-above-prime", b"\x02" + b"\xff" * 32, "X is not below the field's prime"),
        ("x-is-prime", b"\x02" + curve.P.to_bytes(32, "big"), "X equals the field's prime"),
        ("all-zero", bytes(33), "33 zero bytes: the form byte is 00"),
        ("form-01", b"\x01" + key[1:], "form byte 01"),
        ("form-04", b"\x04" + key[1:], "form byte 04 on 33 bytes"),
        ("form-05", b"\x05" + key[1:], "form byte 05"),
        ("form-06", b"\x06" + key[1:], "form byte 06 (hybrid form) on 33 bytes"),
        ("form-ff", b"\xff" + key[1:], "form byte ff"),
    ):
        refuse(f"public-key-{slug}", comment, full | {0: value}, "invalid-point", flags=["curve"])


def types(refuse, full):
    for slug, value in (
        ("text", "foo"),
        ("bytes", b"\x02"),
        ("bool", True),
        ("null", None),
        ("array", [2]),
        ("map", {}),
    ):
        refuse(f"known-domains-{slug}", f"key 2 is a {slug}", full | {2: value}, "wrong-type")
    refuse("known-domains-negative", "key 2 is a negative integer", full | {2: -1}, "wrong-type")
    for slug, value in (
        ("text", "true"),
        ("bytes", b"\x01"),
        ("zero", 0),
        ("one", 1),
        ("null", None),
        ("array", [True]),
    ):
        refuse(f"linking-{slug}", f"key 4 is not a bool ({slug})", full | {4: value}, "wrong-type")
    for slug, value in (("integer", 42), ("bytes", b"ga"), ("bool", False), ("null", None), ("array", ["ga"])):
        refuse(f"hint-{slug}", f"key 5 is not text ({slug})", full | {5: value}, "wrong-type")
    for slug, value in (("integer", 1), ("text", "0"), ("bytes", b"\x00"), ("map", {0: 1}), ("null", None)):
        refuse(
            f"channels-{slug}",
            f"key 6 is neither an array nor a bool ({slug})",
            full | {6: value},
            "wrong-type",
            certainty="implied",
        )
    for slug, value in (
        ("text-inside", [0, "1"]),
        ("negative-inside", [0, -1]),
        ("bool-inside", [True]),
        ("array-inside", [[0]]),
    ):
        refuse(
            f"channels-{slug}",
            "key 6 holds something that is not an unsigned integer",
            full | {6: value},
            "wrong-type",
            certainty="implied",
        )


def shapes(refuse, full):
    for slug, value in (("integer", 1), ("text", "FIDO"), ("bytes", bytes(20)), ("null", None), ("bool", True)):
        refuse(f"not-a-map-{slug}", f"the contents are a {slug}", cbor.encode(value), "not-a-map")
    refuse("not-a-map-array", "the fields as an array instead of a map", cbor.encode(list(full.values())), "not-a-map")
    data = cbor.encode(full)
    refuse("empty", "no bytes", b"", "invalid-cbor")
    for cut in (1, 2, 3, 17, 36, len(data) - 1):
        refuse(f"cut-at-{cut}", f"the map ends after {cut} bytes of {len(data)}", data[:cut], "invalid-cbor")
    for slug, tail in (("zero", b"\x00"), ("map", b"\xa0"), ("itself", data)):
        refuse(f"trailing-{slug}", "bytes follow the map", data + tail, "invalid-cbor")


def canonical(refuse, full):
    def broken(slug, comment, data, **more):
        refuse(slug, comment, data, "invalid-cbor", flags=["not-canonical-cbor"], **({"certainty": "implied"} | more))

    pairs = [(cbor.encode(k), cbor.encode(v)) for k, v in full.items()]

    def joined(items):
        return cbor.head(5, len(items)) + b"".join(k + v for k, v in items)

    broken("keys-unsorted", "keys 0 and 1 exchanged", joined([pairs[1], pairs[0], *pairs[2:]]))
    broken("keys-reversed", "the keys in falling order", joined(pairs[::-1]))
    broken(
        "key-twice",
        "key 1 twice, with different secrets",
        joined([*pairs[:2], (pairs[1][0], cbor.encode(bytes(16))), *pairs[2:]]),
    )
    broken("key-twice-same", "key 5 twice, with the same value", joined([*pairs, pairs[5]]))
    broken(
        "unknown-key-unsorted", "an unknown key out of order", joined([*pairs[:3], (b"\x18\x40", b"\x00"), *pairs[3:]])
    )
    broken(
        "long-map-head",
        "the count of the map in two bytes",
        b"\xb8" + bytes([len(pairs)]) + b"".join(k + v for k, v in pairs),
    )
    broken("indefinite-map", "a map of indefinite length", b"\xbf" + b"".join(k + v for k, v in pairs) + b"\xff")
    broken("long-key", "key 2 in two bytes", joined([*pairs[:2], (b"\x18\x02", pairs[2][1]), *pairs[3:]]))
    broken(
        "long-value", "the value of key 2 in two bytes", joined([*pairs[:2], (pairs[2][0], b"\x18\x02"), *pairs[3:]])
    )
    broken(
        "long-time",
        "the time in eight bytes",
        joined([*pairs[:3], (b"\x03", b"\x1b" + full[3].to_bytes(8, "big")), *pairs[4:]]),
    )
    broken(
        "long-byte-string",
        "the length of the secret in two bytes",
        joined([pairs[0], (b"\x01", b"\x58\x10" + full[1]), *pairs[2:]]),
    )
    broken(
        "indefinite-byte-string",
        "the secret as a string of indefinite length",
        joined([pairs[0], (b"\x01", b"\x5f\x50" + full[1] + b"\xff"), *pairs[2:]]),
    )
    broken("tagged", "the map under tag 55799 (self-described CBOR)", b"\xd9\xd9\xf7" + joined(pairs))
    broken("float-time", "the time as a float", joined([*pairs[:3], (b"\x03", b"\xfb" + bytes(8)), *pairs[4:]]))
    broken("hint-not-utf-8", "the hint's bytes are not UTF-8", joined([*pairs[:5], (b"\x05", b"\x62\xff\xfe")]))
    broken("undefined-value", "an unknown key with the value undefined", joined([*pairs, (b"\x07", b"\xf7")]))
