"""Layer session: over the BLE channel (PROTOCOL.md 10), and with digital credentials (7.2)."""

from reference import cbor

PSM = 0x00F2


def add(layer):
    over_l2cap(layer)
    digital_credentials(layer)
    not_offered(layer)


def over_l2cap(layer):
    from .session import SCRIPTS, Session

    for slug in ("sign-in", "declined"):
        comment, steps = SCRIPTS[slug]
        session = Session(f"l2cap/{slug}", channels=[0, 1]).exchange(*steps)
        given, expected = session.authenticator()
        about = "key 6 of the QR code offers L2CAP"
        name = f"l2cap-{slug}"
        more = {"flags": ["optional"], "certainty": "second-hand"}
        layer.valid(f"{name}-authenticator", f"{comment}; {about}", "10", "session.authenticator", given, expected, **more)
        given, expected = session.client()
        given["advert"] = session.advert + cbor.encode({1: PSM})
        about = "the advert names a PSM, which no key depends on"
        layer.valid(f"{name}-client", f"{comment}; {about}", "10", "session.client", given, expected, **more)
    for slug, suffix in (("garbage", b"\xff\xff"), ("other-psm", cbor.encode({1: 0x80})), ("channel-0", b"\xa1\x00\x01")):
        given, expected = Session(f"l2cap/{slug}", channels=[0, 1]).exchange(*SCRIPTS["declined"][1]).client()
        given["advert"] = given["advert"] + suffix
        comment = f"a suffix that somebody changed ({slug}) changes nothing else"
        layer.valid(f"l2cap-{slug}-client", comment, "4.4", "session.client", given, expected, flags=["tamper"])


def json_of(text):
    return b"\x03" + text.encode()


REQUEST = json_of(
    '{"origin":"https://verifier.example","request":{"digital":{"requests":[{"data":{"nonce":"bm9uY2U"},'
    '"protocol":"openid4vp-v1-unsigned"}]}},"requestType":"credential.get"}'
)
CREATE = json_of('{"origin":"https://issuer.example","request":{"digital":{}},"requestType":"credential.create"}')
REPLY = json_of('{"response":{"digital":{"data":{"vp_token":"eyJ"},"protocol":"openid4vp-v1-unsigned"}}}')
NO_CREDENTIAL = json_of('{"response":{"digital":{"error":"NO_CREDENTIAL"}}}')


def digital_credentials(layer):
    from .session import DC_FIRST, INFO, REPLY as CTAP_REPLY, REQUEST as CTAP_REQUEST, SHUTDOWN, A, C, Session, both_sides

    only = cbor.encode({3: ["dc"]})
    reversed_order = cbor.encode({1: INFO, 3: ["dc", "ctap", "x"]})
    long = json_of('{"response":{"digital":{"data":"' + "x" * 10_000 + '"}}}')
    scripts = {
        "presented": ("dcp", "a credential is presented", [(A, DC_FIRST), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)]),
        "issued": ("dci", "a credential is issued", [(A, DC_FIRST), (C, CREATE), (A, REPLY), (C, SHUTDOWN)]),
        "none": ("dcp", "the phone has none", [(A, DC_FIRST), (C, REQUEST), (A, NO_CREDENTIAL), (C, SHUTDOWN)]),
        "only": ("dcp", "a phone without CTAP", [(A, only), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)]),
        "and-ctap": (
            "dcp",
            "JSON, CTAP, JSON, each with its answer",
            [(A, DC_FIRST), (C, REQUEST), (A, REPLY), (C, CTAP_REQUEST), (A, CTAP_REPLY), (C, REQUEST), (A, NO_CREDENTIAL)],
        ),
        "utf-8": ("dcp", "JSON beyond ASCII", [(A, DC_FIRST), (C, json_of('{"n":"Zoë 𝄞"}')), (A, json_of('"ü"'))]),
        "long": ("dcp", "an answer of 10 KB", [(A, DC_FIRST), (C, REQUEST), (A, long)]),
    }
    for slug, (hint, comment, steps) in scripts.items():
        both_sides(layer, f"credential-{slug}", comment, Session(f"credential/{slug}", hint=hint).exchange(*steps))
    given, expected = Session("credential/order").exchange((A, reversed_order), (C, REQUEST), (A, REPLY)).client()
    comment = "features in another order, as microG sends them, and an unknown one"
    layer.valid("credential-order-client", comment, "7.1", "session.client", given, expected, flags=["foreign"])


def not_offered(layer):
    """A type that the session did not offer."""
    from .session import DC_FIRST, FIRST, REQUEST as CTAP_REQUEST, A, C, Session

    only = cbor.encode({3: ["dc"]})
    for side, slug, comment, steps, failure in (
        ("authenticator", "ctap", "CTAP, though the phone offers JSON only", [(A, only), (C, CTAP_REQUEST)], "unexpected-message"),
        ("client", "json", "JSON from a phone that offers CTAP only", [(A, FIRST), (A, REPLY)], "unexpected-message"),
        ("client", "json-unasked", "JSON that nobody asked for", [(A, DC_FIRST), (A, REPLY)], "unexpected-message"),
        ("client", "json-empty", "JSON of no bytes", [(A, DC_FIRST), (C, REQUEST), (A, b"\x03")], "empty"),
        ("client", "json-latin-1", "JSON that is not UTF-8", [(A, DC_FIRST), (C, REQUEST), (A, b'\x03"\xe4"')], "invalid-text"),
        ("authenticator", "json-second", "a second JSON request", [(A, DC_FIRST), (C, REQUEST), (C, REQUEST)], "unexpected-message"),
        ("authenticator", "json-cut", "a request cut within a character", [(A, DC_FIRST), (C, b'\x03"\xe2\x82')], "invalid-text"),
        ("client", "no-info", "a phone that says dc and sends getInfo", [(A, cbor.encode({1: b"\xa0", 3: ["dc"]}))], "feature-mismatch"),
    ):
        given, _ = getattr(Session(f"not-offered/{slug}").exchange(*steps), side)()
        flags = ["order"] if failure == "unexpected-message" else []
        layer.invalid(f"not-offered-{slug}-{side}", comment, "7.2", f"session.{side}", given, failure, flags=flags)
