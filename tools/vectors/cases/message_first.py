"""Layer message: the first message (PROTOCOL.md 7.1) and the two revisions (7.5)."""

from reference import cbor, messages

RULE = "7.1"
INFO = cbor.encode(
    {
        1: ["FIDO_2_0", "FIDO_2_1"],
        3: bytes.fromhex("f24a8e70d0d3f82c293732523cc4de5a"),
        4: {"rk": True, "uv": True},
        9: ["internal", "hybrid"],
    }
)
LINKING = {1: b"contact", 2: bytes(8), 3: bytes(32), 4: b"\x04" + bytes(64), 5: "Phone", 6: bytes(32)}


def add(layer):
    def accept(slug, comment, plaintext, rule=RULE, **more):
        data = plaintext if isinstance(plaintext, bytes) else cbor.encode(plaintext)
        layer.valid(
            f"first-{slug}",
            comment,
            rule,
            "first-message.parse",
            {"plaintext": data},
            messages.parse_first(data),
            **more,
        )

    def refuse(slug, comment, plaintext, failure, rule=RULE, **more):
        data = plaintext if isinstance(plaintext, bytes) else cbor.encode(plaintext)
        layer.invalid(f"first-{slug}", comment, rule, "first-message.parse", {"plaintext": data}, failure, **more)

    accepted(accept)
    refused(refuse)
    mistyped(refuse)
    revision_0(layer, accept, refuse)
    encoding(layer)


def accepted(accept):
    accept("info-only", "getInfo alone: ctap is implied", {1: INFO})
    accept("ctap", "getInfo and the feature ctap", {1: INFO, 3: ["ctap"]})
    accept("ctap-dc", "both features, as an iPhone of 2026", {1: INFO, 3: ["ctap", "dc"]})
    accept("dc-ctap", "both features in the other order, as microG", {1: INFO, 3: ["dc", "ctap"]}, flags=["foreign"])
    accept("dc-only", "digital credentials only: no getInfo", {3: ["dc"]})
    accept("no-features", "an empty list of features and no getInfo", {3: []}, certainty="implied")
    accept("unknown-feature", "an unknown feature is ignored", {1: INFO, 3: ["ctap", "teleport"]}, flags=["lenient"])
    accept(
        "unknown-feature-first",
        "an unknown feature before the known ones",
        {1: INFO, 3: ["", "x", "ctap", "dc"]},
        flags=["lenient"],
    )
    accept("unknown-feature-only", "only an unknown feature, and no getInfo", {3: ["teleport"]}, certainty="implied")
    accept(
        "feature-twice",
        "a feature twice is that feature",
        {1: INFO, 3: ["ctap", "ctap"]},
        certainty="implied",
        flags=["lenient"],
    )
    accept("filler", "zero filler in key 0", {0: bytes(300), 1: INFO, 3: ["ctap"]})
    accept("filler-empty", "filler of no bytes", {0: b"", 1: INFO})
    accept("linking-in-key-2", "the older place of the linking map, still read", {1: INFO, 2: LINKING})
    accept(
        "linking-empty",
        "an empty linking map in key 2: to be dropped later, not here",
        {1: INFO, 2: {}},
        certainty="implied",
    )
    accept(
        "unknown-key", "an unknown key is ignored", {1: INFO, 4: "x", 99: []}, certainty="implied", flags=["lenient"]
    )
    accept(
        "unknown-text-key", "an unknown text key is ignored", {1: INFO, "x": 1}, certainty="implied", flags=["lenient"]
    )
    accept("info-empty", "getInfo of no bytes: its contents are for CTAP to judge", {1: b""}, certainty="implied")
    accept(
        "info-with-status",
        "getInfo with a status byte in front: wrong, and for CTAP to judge",
        {1: b"\x00" + INFO},
        certainty="implied",
    )


def refused(refuse):
    refuse("empty", "no bytes", b"", "invalid-cbor")
    refuse("empty-map", "no getInfo, though ctap is implied", {}, "feature-mismatch")
    refuse("ctap-without-info", "ctap among the features, and no getInfo", {3: ["ctap"]}, "feature-mismatch")
    refuse("ctap-dc-without-info", "both features, and no getInfo", {3: ["ctap", "dc"]}, "feature-mismatch")
    refuse("info-without-ctap", "getInfo, but only dc", {1: INFO, 3: ["dc"]}, "feature-mismatch")
    refuse("info-no-features", "getInfo, and an empty list of features", {1: INFO, 3: []}, "feature-mismatch")
    refuse(
        "info-unknown-feature", "getInfo, and only an unknown feature", {1: INFO, 3: ["teleport"]}, "feature-mismatch"
    )
    refuse("feature-case", "CTAP is not ctap", {1: INFO, 3: ["CTAP"]}, "feature-mismatch")
    refuse("filler-only", "only filler", {0: bytes(16)}, "feature-mismatch")
    for slug, value in (("array", [INFO]), ("bytes", INFO), ("integer", 1), ("text", "ctap"), ("null", None)):
        refuse(f"not-a-map-{slug}", f"the first message is a {slug}", cbor.encode(value), "not-a-map")
    data = cbor.encode({1: INFO, 3: ["ctap"]})
    for cut in (1, 2, 10, len(data) - 1):
        refuse(f"cut-at-{cut}", f"cut to {cut} bytes of {len(data)}", data[:cut], "invalid-cbor", flags=["tamper"])
    refuse(
        "type-byte",
        "a type byte in front, which the first message has not",
        b"\x01" + data,
        "invalid-cbor",
        flags=["order"],
    )
    refuse("trailing", "a byte behind that is no padding count either", data + b"\xff", "invalid-cbor")
    refuse(
        "unsorted",
        "keys out of order",
        b"\xa2\x03\x81\x64ctap\x01" + cbor.encode(INFO),
        "invalid-cbor",
        certainty="implied",
        flags=["not-canonical-cbor"],
    )
    refuse(
        "duplicate",
        "key 1 twice",
        b"\xa2" + (b"\x01" + cbor.encode(INFO)) * 2,
        "invalid-cbor",
        certainty="implied",
        flags=["not-canonical-cbor"],
    )
    refuse(
        "indefinite",
        "a map of indefinite length",
        b"\xbf\x01" + cbor.encode(INFO) + b"\xff",
        "invalid-cbor",
        certainty="implied",
        flags=["not-canonical-cbor"],
    )


def mistyped(refuse):
    for slug, value in (("map", {1: 2}), ("text", "info"), ("integer", 4), ("null", None), ("array", [])):
        refuse(f"info-{slug}", f"key 1 is not bytes ({slug})", {1: value}, "wrong-type")
    for slug, value in (("bytes", b"\xa0"), ("integer", 1), ("null", None), ("array", []), ("bool", True)):
        refuse(
            f"linking-{slug}", f"key 2 is not a map ({slug})", {1: INFO, 2: value}, "wrong-type", certainty="implied"
        )
    for slug, value in (("text", "ctap"), ("integer", 1), ("null", None), ("map", {"ctap": True}), ("bytes", b"ctap")):
        refuse(f"features-{slug}", f"key 3 is not an array ({slug})", {1: INFO, 3: value}, "wrong-type")
    for slug, value in (("integer", ["ctap", 1]), ("bytes", ["ctap", b"dc"]), ("null", ["ctap", None])):
        refuse(
            f"features-with-{slug}",
            f"key 3 holds something that is not text ({slug})",
            {1: INFO, 3: value},
            "wrong-type",
        )


def revision_0(layer, accept, refuse):
    rule = "7.5"
    data = cbor.encode({1: INFO})
    for block, width in ((512, "two bytes"), (256, "one byte")):
        padded = messages.pad_revision_0(data, block)
        accept(f"revision-0-{block}", f"revision 0: zeros to {block} and their count in {width}", padded, rule=rule)
        layer.valid(
            f"unpad-{block}",
            f"take off a padding to {block}",
            rule,
            "revision-0.unpad",
            {"plaintext": padded},
            {"cbor": data},
        )
        linking = cbor.encode({1: INFO, 2: LINKING})
        accept(
            f"revision-0-{block}-linking",
            "revision 0 with a linking map, which is in key 2 there",
            messages.pad_revision_0(linking, block),
            rule=rule,
        )
        short = cbor.encode({1: bytes(block - (2 if block == 512 else 1) - 5)})
        exact = messages.pad_revision_0(short, block)
        layer.valid(
            f"unpad-{block}-none",
            f"CBOR that needs no zero: count 0 in {width}",
            rule,
            "revision-0.unpad",
            {"plaintext": exact},
            {"cbor": short},
            flags=["boundary"],
        )
    exact = cbor.encode({1: bytes(512 - 5)})
    assert len(exact) == 512
    two_blocks = messages.pad_revision_0(exact)
    assert len(two_blocks) == 1024
    layer.valid(
        "unpad-512-two-blocks",
        "CBOR of exactly 512 bytes needs a second block",
        rule,
        "revision-0.unpad",
        {"plaintext": two_blocks},
        {"cbor": exact},
        flags=["boundary"],
    )
    accept(
        "revision-1-of-512", "512 bytes of CBOR without padding are revision 1", exact, rule=rule, flags=["boundary"]
    )
    refuse(
        "revision-0-count-too-large",
        "the count of zeros is larger than the message",
        data + bytes(100) + b"\xff\xff",
        "invalid-cbor",
        rule=rule,
    )
    refuse(
        "revision-0-count-short",
        "the count leaves zeros behind the CBOR",
        data + bytes(512 - 2 - len(data)) + (512 - 2 - len(data) - 1).to_bytes(2, "little"),
        "invalid-cbor",
        rule=rule,
    )
    big = data + bytes(512 - 2 - len(data)) + (512 - 2 - len(data)).to_bytes(2, "big")
    refuse("revision-0-big-endian", "the count is big-endian", big, "invalid-cbor", rule=rule)
    refuse("revision-0-all-zero", "512 zero bytes: no CBOR map at any padding", bytes(512), "invalid-cbor", rule=rule)
    refuse("revision-0-array", "an array, padded", messages.pad_revision_0(b"\x80"), "not-a-map", rule=rule)
    refuse(
        "revision-0-no-info",
        "a padded map without getInfo",
        messages.pad_revision_0(b"\xa0"),
        "feature-mismatch",
        rule=rule,
    )
    for slug, plaintext, comment in (
        ("plain", data, "a message of revision 1 has no padding to take off"),
        ("empty", b"", "no bytes"),
        ("count-too-large", data + bytes(100) + b"\xff\xff", "a count larger than the message"),
        ("garbage", b"\xff" * 512, "512 bytes that are nothing"),
    ):
        layer.invalid(
            f"unpad-{slug}",
            comment,
            rule,
            "revision-0.unpad",
            {"plaintext": plaintext},
            "invalid-cbor",
            certainty="implied",
        )


def encoding(layer):
    for slug, info, features in (("ctap", INFO, ["ctap"]), ("ctap-dc", INFO, ["ctap", "dc"]), ("dc", None, ["dc"])):
        mapping = ({1: info} if info is not None else {}) | ({3: features} if features != ["ctap"] else {})
        layer.valid(
            f"first-encode-{slug}",
            f"write a first message: {slug}",
            RULE,
            "first-message.encode",
            {"get_info": info, "features": features},
            {"plaintext": cbor.encode(mapping)},
        )
