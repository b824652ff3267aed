"""Layer advert: the suffix of CTAP 2.3 (PROTOCOL.md 4.4)."""

from reference import cbor, secrets


def add(layer, key, plaintext):
    def both(slug, comment, suffix, **more):
        more = {"certainty": "second-hand"} | more
        layer.valid(
            f"suffix-{slug}",
            comment,
            "4.4",
            "advert.suffix",
            {"suffix": suffix},
            {"psm": secrets.suffix_psm(suffix)},
            **more,
        )
        advert = secrets.seal(key, plaintext) + suffix
        layer.valid(
            f"open-suffix-{slug}",
            f"the advert opens with it: {comment}",
            "4.4",
            "advert.open",
            {"eid_key": key, "advert": advert},
            secrets.open_advert(key, advert),
            **more,
        )

    for psm in (0x80, 0xFF, 0x1234, 65535):
        both(f"psm-{psm}", f"PSM {psm}", cbor.encode({1: psm}), flags=["boundary"] if psm == 65535 else [])
    both("psm-and-unknown", "the PSM among unknown channels", cbor.encode({0: 1, 1: 0x80, 2: b"x", 9: {}}))
    lenient = ["lenient"]
    both("psm-0", "PSM 0 is no PSM", cbor.encode({1: 0}), certainty="implied", flags=lenient)
    both("psm-65536", "a PSM above 16 bits: no BLE channel", cbor.encode({1: 65536}), flags=["lenient", "boundary"])
    both("psm-huge", "a PSM of 64 bits", cbor.encode({1: 2**64 - 1}), flags=lenient)
    for slug, value in (
        ("text", "128"),
        ("bytes", b"\x80"),
        ("negative", -1),
        ("bool", True),
        ("null", None),
        ("array", [128]),
    ):
        both(f"psm-{slug}", f"a PSM that is a {slug}: no BLE channel", cbor.encode({1: value}), flags=lenient)
    both("empty-map", "an empty map: no BLE channel", b"\xa0", flags=lenient)
    both(
        "channel-0",
        "{0: 1}, Firefox's draft reading: no BLE channel here",
        cbor.encode({0: 1}),
        certainty="disputed",
        flags=["lenient", "foreign"],
    )
    both("text-key", "the channel as text", cbor.encode({"1": 128}), flags=lenient)
    for slug, value, comment in (
        ("integer", b"\x01", "not a map but an integer: ignored"),
        ("array", b"\x81\x01", "not a map but an array: ignored"),
        ("garbage", b"\xff\x00\x13", "not CBOR: ignored"),
        ("one-zero", b"\x00", "a single zero byte: ignored"),
        ("zeros", bytes(11), "zeros, as a radio might pad: ignored"),
        ("cut", cbor.encode({1: 0x1234})[:-1], "a map that is cut off: ignored"),
        ("reserved-info", b"\x1c", "a reserved CBOR form: ignored"),
        ("break", b"\xff", "a lone break: ignored"),
    ):
        both(slug, comment, value, flags=lenient)
    layer.valid("suffix-none", "no suffix at all", "4.4", "advert.suffix", {"suffix": b""}, {"psm": None})
    long = cbor.encode({1: 0x80, 9: bytes(200)})
    both("long", "a long suffix, as extended advertising allows", long)
