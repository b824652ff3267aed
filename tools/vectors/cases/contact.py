"""Layer tunnel-domain: how a linked client asks a tunnel service for its phone (PROTOCOL.md 5.1, 8)."""

from reference import cbor, linking
from reference.curve import seeded

RULE = "5.1"
LINK, NONCE = seeded("contact/link", 8), seeded("contact/nonce", 16)


def add(layer):
    contact_ids(layer)
    requests(layer)
    refused_requests(layer)


def contact_ids(layer):
    values = {str(count): seeded(f"contact/{count}", count) for count in (1, 2, 3, 4, 41, 152, 4096)}
    values |= {"plus-and-slash": b"\xfb\xef\xff\xfa", "zeros": bytes(3)}
    for slug, value in values.items():
        text = linking.encode_contact_id(value)
        expected = {"url": f"wss://cable.ua5v.com/cable/contact/{text}"}
        given = {"domain_id": 0, "contact_id": value}
        layer.valid(f"contact-url-{slug}", f"a contact ID ({slug})", RULE, "tunnel.contact-url", given, expected)
        comment = f"a contact ID ({slug}) in a URL"
        layer.valid(f"contact-id-{slug}", comment, RULE, "contact-id.parse", {"text": text}, {"contact_id": value})
    for count in (0, 4097):
        given = {"domain_id": 0, "contact_id": bytes(count)}
        comment = f"a contact ID of {count} bytes"
        layer.invalid(f"contact-url-{count}-bytes", comment, RULE, "tunnel.contact-url", given, "wrong-length")
    given = {"domain_id": 2, "contact_id": b"x"}
    comment = "no URL on an unassigned domain"
    layer.invalid("contact-url-unassigned", comment, "2", "tunnel.contact-url", given, "unassigned-domain")
    for slug, text, failure in (
        ("empty", "", "wrong-length"),
        ("4097-bytes", "A" * 5463, "wrong-length"),
        ("padded", "QQ==", "invalid-base64"),
        ("half-padded", "QQ=", "invalid-base64"),
        ("one-digit", "Q", "invalid-base64"),
        ("five-digits", "QUJDR", "invalid-base64"),
        ("one-digit-zero", "A", "invalid-base64"),
        ("five-digits-zero", "QUJDA", "invalid-base64"),
        ("unused-bits-4", "QR", "invalid-base64"),
        ("unused-bits-2", "QUJ", "invalid-base64"),
        ("plus", "-_+_", "invalid-base64"),
        ("slash", "-_/_", "invalid-base64"),
        ("space", "QU JD", "invalid-base64"),
        ("percent", "QUI%3D", "invalid-base64"),
        ("dots", "..", "invalid-base64"),
        ("full-width", "\uff31\uff31", "invalid-base64"),
        ("line", "QUJD\n", "invalid-base64"),
    ):
        comment = f"not base64url without padding in its one form ({slug})"
        layer.invalid(f"contact-id-{slug}", comment, RULE, "contact-id.parse", {"text": text}, failure)


def requests(layer):
    for hint in ("ga", "mc"):
        given = {"link_id": LINK, "nonce": NONCE, "hint": hint}
        payload = linking.encode_request(LINK, NONCE, hint)
        expected = {"payload": payload, "header": payload.hex()}
        layer.valid(f"contact-request-encode-{hint}", "the client payload", "8", "contact-request.encode", given, expected)
        comment = "the client payload as the phone reads it"
        parse = "contact-request.parse"
        layer.valid(f"contact-request-{hint}", comment, "8", parse, {"header": payload.hex()}, given)
        layer.valid(f"contact-request-{hint}-upper", "in upper case", RULE, parse, {"header": payload.hex().upper()}, given)
    for slug, mapping in (("unknown-key", {4: 1}), ("text-key", {"x": b""})):
        header = cbor.encode({1: LINK, 2: NONCE, 3: "mc"} | mapping).hex()
        layer.valid(
            f"contact-request-{slug}",
            "an unknown key is ignored",
            "8",
            "contact-request.parse",
            {"header": header},
            given,
            certainty="implied",
            flags=["lenient"],
        )
    for slug, change, failure in (
        ("link-7", {"link_id": bytes(7)}, "wrong-length"),
        ("nonce-15", {"nonce": bytes(15)}, "wrong-length"),
        ("nonce-17", {"nonce": bytes(17)}, "wrong-length"),
        ("dcp", {"hint": "dcp"}, "unsupported-hint"),
        ("dci", {"hint": "dci"}, "unsupported-hint"),
    ):
        comment = f"no client payload ({slug})"
        name = f"contact-request-encode-{slug}"
        layer.invalid(name, comment, "8", "contact-request.encode", given | change, failure)


def refused_requests(layer):
    good = {1: LINK, 2: NONCE, 3: "ga"}

    def refuse(slug, header, failure, **more):
        text = header if isinstance(header, str) else header.hex()
        comment = f"a client payload that is refused ({slug})"
        given = {"header": text}
        layer.invalid(f"contact-request-{slug}", comment, "8", "contact-request.parse", given, failure, **more)

    for key in good:
        refuse(f"without-{key}", cbor.encode({k: v for k, v in good.items() if k != key}), "missing-field")
        for kind, value in (("integer", 1), ("null", None), ("array", [])):
            refuse(f"{key}-{kind}", cbor.encode(good | {key: value}), "wrong-type")
    refuse("1-text", cbor.encode(good | {1: "12345678"}), "wrong-type")
    refuse("3-bytes", cbor.encode(good | {3: b"ga"}), "wrong-type")
    for key, counts in ((1, (0, 7, 9)), (2, (0, 15, 17, 32))):
        for count in counts:
            refuse(f"{key}-{count}-bytes", cbor.encode(good | {key: bytes(count)}), "wrong-length", flags=["boundary"])
    for hint in ("dcp", "dci", "GA", "ga ", "", "getAssertion"):
        slug = {"": "empty", "ga ": "space", "GA": "upper-ga"}.get(hint, hint.lower())
        refuse(f"hint-{slug}", cbor.encode(good | {3: hint}), "unsupported-hint")
    refuse("nothing", "", "invalid-cbor")
    refuse("array", cbor.encode([LINK, NONCE, "ga"]), "not-a-map")
    refuse("trailing", cbor.encode(good) + b"\x00", "invalid-cbor")
    refuse("cut", cbor.encode(good)[:-1], "invalid-cbor")
    unsorted = b"\xa3\x02\x50" + NONCE + b"\x01\x48" + LINK + b"\x03\x62ga"
    refuse("unsorted", unsorted, "invalid-cbor", flags=["not-canonical-cbor"])
    refuse("long-length", b"\xa3\x01\x58\x08" + cbor.encode(good)[3:], "invalid-cbor", flags=["not-canonical-cbor"])
    refuse("odd", cbor.encode(good).hex()[:-1], "invalid-hex")
    refuse("letter", cbor.encode(good).hex()[:-1] + "g", "invalid-hex")
    refuse("base64", "owFI", "invalid-hex")
    refuse("prefix", "0x" + cbor.encode(good).hex(), "invalid-hex")
    refuse("257-bytes", cbor.encode(good | {4: bytes(221)}), "too-long", certainty="implied", flags=["boundary"])
    refuse("1200-digits", "a1" * 600, "too-long", certainty="implied")
