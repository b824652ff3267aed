"""Layer advert: PROTOCOL.md 4. Suffixes are in advert_suffix.py."""

from reference import secrets
from reference.curve import seeded

from . import advert_suffix, edges
from .case import Layer, flipped

KEY = secrets.eid_key(seeded("advert/secret", 16))
NONCE, ROUTING = seeded("advert/nonce", 10), seeded("advert/routing", 3)


def plain(domain=0, reserved=0, routing=ROUTING, nonce=NONCE):
    return bytes([reserved]) + nonce + routing + domain.to_bytes(2, "little")


def build():
    layer = Layer("advert", "advert", "The BLE advertisement: 16 bytes sealed into 20, and the suffix behind them.")
    sealing(layer)
    opening(layer)
    refusals(layer)
    plaintexts(layer)
    linked(layer)
    advert_suffix.add(layer, KEY, plain())
    edges.add_adverts(layer, KEY, secrets.seal(KEY, plain()))
    return layer


def sealing(layer):
    for slug, plaintext, comment in (
        ("domain-0", plain(0), "domain 0"),
        ("domain-1", plain(1), "domain 1: 01 00, little-endian"),
        ("domain-266", plain(266), "domain 266: 0a 01"),
        ("domain-65535", plain(65535), "the last domain number"),
        ("zeros", bytes(16), "a plaintext of zeros"),
        ("ones", b"\x00" + b"\xff" * 15, "every free bit set"),
        ("linked", b"\x00" + seeded("advert/linked", 15), "a state-assisted plaintext"),
    ):
        layer.valid(
            f"seal-{slug}",
            f"seal: {comment}",
            "4.2",
            "advert.seal",
            {"eid_key": KEY, "plaintext": plaintext},
            {"advert": secrets.seal(KEY, plaintext)},
        )
    for count in (0, 15, 17):
        layer.invalid(
            f"seal-{count}-bytes",
            f"a plaintext of {count} bytes cannot be sealed",
            "4.1",
            "advert.seal",
            {"eid_key": KEY, "plaintext": bytes(count)},
            "wrong-length",
            certainty="implied",
        )


def opened(layer, slug, comment, advert, key=KEY, rule="4.2", **more):
    layer.valid(
        slug, comment, rule, "advert.open", {"eid_key": key, "advert": advert}, secrets.open_advert(key, advert), **more
    )


def opening(layer):
    for domain in (0, 1, 256, 257, 266, 63872, 65535):
        opened(layer, f"open-domain-{domain}", f"open: domain {domain}", secrets.seal(KEY, plain(domain)))
    opened(layer, "open-zero-routing", "a routing ID of zeros", secrets.seal(KEY, plain(routing=bytes(3))))
    opened(layer, "open-zero-nonce", "a nonce of zeros", secrets.seal(KEY, plain(nonce=bytes(10))))
    opened(layer, "open-zero-plaintext", "a plaintext of zeros", secrets.seal(KEY, bytes(16)))
    opened(
        layer,
        "open-other-key",
        "another key",
        secrets.seal(secrets.eid_key(bytes(16)), plain()),
        key=secrets.eid_key(bytes(16)),
    )


def refuse(layer, slug, comment, advert, failure, rule="4.2", key=KEY, operation="advert.open", **more):
    layer.invalid(slug, comment, rule, operation, {"eid_key": key, "advert": advert}, failure, **more)


def refusals(layer):
    advert = secrets.seal(KEY, plain())
    for count in range(20):
        refuse(
            layer,
            f"open-{count}-bytes",
            f"an advert of {count} bytes",
            advert[:count],
            "too-short",
            flags=["boundary"] if count == 19 else [],
        )
    for bit in (0, 7, 8, 63, 64, 120, 127):
        refuse(
            layer,
            f"open-body-bit-{bit}",
            f"bit {bit} of the sealed block flipped",
            flipped(advert, bit),
            "bad-tag",
            flags=["tamper"],
        )
    for bit in (128, 135, 136, 152, 159):
        refuse(
            layer,
            f"open-tag-bit-{bit}",
            f"bit {bit} (in the tag) flipped",
            flipped(advert, bit),
            "bad-tag",
            flags=["tamper"],
        )
    other = secrets.eid_key(seeded("advert/other", 16))
    refuse(layer, "open-wrong-key", "somebody else's advert", advert, "bad-tag", key=other)
    refuse(
        layer,
        "open-halves-exchanged",
        "the two halves of the key exchanged",
        advert,
        "bad-tag",
        key=KEY[32:] + KEY[:32],
    )
    refuse(
        layer,
        "open-wrong-mac-key",
        "the right cipher key, another MAC key",
        advert,
        "bad-tag",
        key=KEY[:32] + other[32:],
    )
    refuse(
        layer, "open-tag-first", "the tag in front of the block", advert[16:] + advert[:16], "bad-tag", flags=["order"]
    )
    refuse(layer, "open-unsealed", "the plaintext with a tag of zeros", plain() + bytes(4), "bad-tag")
    refuse(layer, "open-zeros", "20 zero bytes", bytes(20), "bad-tag")
    tag = secrets.hmac_sha256(KEY[32:], advert[:16])
    refuse(
        layer,
        "open-tag-cut-last",
        "the last 4 bytes of the MAC instead of the first",
        advert[:16] + tag[-4:],
        "bad-tag",
    )
    refuse(
        layer,
        "open-tag-over-plaintext",
        "the MAC made over the plaintext",
        advert[:16] + secrets.hmac_sha256(KEY[32:], plain())[:4],
        "bad-tag",
    )
    refuse(
        layer,
        "open-tag-over-suffix",
        "the MAC made over block and suffix",
        advert[:16] + secrets.hmac_sha256(KEY[32:], advert[:16] + b"\xa0")[:4] + b"\xa0",
        "bad-tag",
        rule="4.4",
    )
    for value in (1, 2, 0x80, 0xFF):
        refuse(
            layer,
            f"open-reserved-{value:02x}",
            f"the first plaintext byte is {value:02x}",
            secrets.seal(KEY, plain(reserved=value)),
            "reserved-byte",
        )
    for domain in (2, 3, 127, 128, 254, 255):
        refuse(
            layer,
            f"open-domain-{domain}",
            f"domain {domain} is unassigned",
            secrets.seal(KEY, plain(domain)),
            "unassigned-domain",
            flags=["boundary"] if domain in (2, 255) else [],
        )


def plaintexts(layer):
    for domain in (0, 1, 256, 511, 65535):
        data = plain(domain)
        layer.valid(
            f"parse-domain-{domain}",
            f"read the plaintext: domain {domain}",
            "4.1",
            "advert.parse",
            {"plaintext": data},
            secrets.parse_plaintext(data),
        )
    layer.valid(
        "parse-little-endian",
        "01 00 is Apple's domain 1, not 256",
        "4.1",
        "advert.parse",
        {"plaintext": bytes(14) + b"\x01\x00"},
        secrets.parse_plaintext(bytes(14) + b"\x01\x00"),
    )
    layer.valid(
        "parse-big-endian-would-be-1",
        "00 01 is domain 256, not 1",
        "4.1",
        "advert.parse",
        {"plaintext": bytes(14) + b"\x00\x01"},
        secrets.parse_plaintext(bytes(14) + b"\x00\x01"),
    )
    for count in (0, 1, 14, 15, 17, 20):
        layer.invalid(
            f"parse-{count}-bytes",
            f"a plaintext of {count} bytes",
            "4.1",
            "advert.parse",
            {"plaintext": bytes(count)},
            "wrong-length",
        )
    for value in (1, 0xFF):
        layer.invalid(
            f"parse-reserved-{value:02x}",
            f"the first byte is {value:02x}",
            "4.1",
            "advert.parse",
            {"plaintext": plain(reserved=value)},
            "reserved-byte",
        )
    for domain in (2, 255):
        layer.invalid(
            f"parse-domain-{domain}",
            f"domain {domain} is unassigned",
            "4.1",
            "advert.parse",
            {"plaintext": plain(domain)},
            "unassigned-domain",
            flags=["boundary"],
        )


def linked(layer):
    def accept(slug, comment, plaintext, suffix=b"", **more):
        advert = secrets.seal(KEY, plaintext) + suffix
        layer.valid(
            slug,
            comment,
            "4.1",
            "advert.open-linked",
            {"eid_key": KEY, "advert": advert},
            secrets.open_advert(KEY, advert, linked=True),
            **more,
        )

    accept("linked-random", "15 random bytes after the zero", b"\x00" + seeded("advert/linked", 15))
    accept("linked-zeros", "all zero, as Clavertus sends", bytes(16), flags=["foreign"])
    for domain in (2, 100, 255):
        accept(
            f"linked-domain-{domain}",
            f"bytes 14-15 read as {domain}: no domain is meant, a client does not look",
            plain(domain),
        )
    advert = secrets.seal(KEY, plain())
    refuse(
        layer,
        "linked-bad-tag",
        "the tag is checked as ever",
        flipped(advert, 3),
        "bad-tag",
        rule="4.2",
        operation="advert.open-linked",
        flags=["tamper"],
    )
    refuse(
        layer,
        "linked-reserved",
        "the zero byte is checked as ever",
        secrets.seal(KEY, plain(reserved=1)),
        "reserved-byte",
        rule="4.1",
        operation="advert.open-linked",
        certainty="second-hand",
    )
    refuse(
        layer,
        "linked-19-bytes",
        "the length is checked as ever",
        advert[:19],
        "too-short",
        rule="4.2",
        operation="advert.open-linked",
    )
