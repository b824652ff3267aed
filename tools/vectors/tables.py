"""What the words in the vectors mean: operations, failure kinds, flags, certainties.

The README's tables and the JSON schemas are made from these.
"""

CERTAINTIES = {
    "certain": "several implementations, or one and a recomputation, say so",
    "second-hand": "an account of the specification's text says so, or a single implementation",
    "implied": "the reference is silent; this is what its other rules come to",
    "disputed": "implementations differ; the case says what this project does",
}

FLAGS = {
    "published": "the number comes from the unit test of another implementation (see `source`)",
    "recorded": "recorded from a real browser's session (see `source`)",
    "optional": "a feature that a conforming implementation may leave out; if it has it, the case must hold",
    "lenient": "accepting this is required or recommended although a sender should not produce it",
    "foreign": "shape seen from, or particular to, another implementation",
    "boundary": "the last value on this side of a limit",
    "not-canonical-cbor": "well-formed CBOR that breaks CTAP2's canonical rules",
    "curve": "an attack on, or a mistake with, an elliptic-curve point",
    "tamper": "an honest message with something changed",
    "order": "right bytes in the wrong place, order or direction",
}

FAILURES = {
    "not-fido-url": "the text does not start with `FIDO:/`",
    "non-digit": "a character that is not ASCII 0-9 (looked for in the whole text, before anything else)",
    "digit-count": "a number of digits that no byte string encodes to",
    "digit-range": "a group of digits whose value does not fit its bytes",
    "too-long": "more than the protocol can ever need",
    "too-short": "fewer bytes than the smallest possible",
    "wrong-length": "a value of fixed length has another length",
    "invalid-cbor": "not canonical CBOR, or bytes left over after the item",
    "not-a-map": "CBOR, but not a map, where a map must be",
    "missing-field": "a required key is absent",
    "wrong-type": "a key is present with a value of another type",
    "invalid-point": "not a point of P-256 in the required form",
    "unassigned-domain": "a tunnel domain number 2-255",
    "bad-tag": "an authentication tag does not match",
    "reserved-byte": "the advert's first plaintext byte is not zero",
    "bad-padding": "the padding count is larger than the plaintext",
    "empty": "no bytes where at least one is needed",
    "counter-exhausted": "a message counter above 2^24 - 1",
    "unknown-type": "a message type other than 0-3",
    "unexpected-message": "a message that may not come from this side, or not at this time",
    "feature-mismatch": "getInfo is present without `ctap` among the features, or absent with it",
    "non-empty-payload": "a payload where none may be",
    "invalid-hex": "text that is not an even number of hexadecimal digits",
    "invalid-text": "text that is not UTF-8",
    "truncated": "CBOR: the input ends inside an item",
    "trailing-bytes": "CBOR: bytes after the item",
    "not-canonical": "CBOR: a longer integer than needed, or an indefinite length",
    "unsorted-keys": "CBOR: map keys not in CTAP2 order",
    "duplicate-key": "CBOR: the same map key twice",
    "too-deep": "CBOR: more nesting than the reader allows",
    "malformed": "CBOR: no CBOR at all: a reserved form, a break that ends nothing",
    "unsupported": "CBOR: a type that CTAP2 does not use (float, tag, undefined, other simple values)",
}

RULES = {
    "0": "the whole exchange",
    "1.1": "QR code: text form",
    "1.2": "QR code: digits",
    "1.3": "QR code: contents",
    "2": "tunnel service domains",
    "3": "key derivation",
    "4.1": "advert: plaintext",
    "4.2": "advert: sealing",
    "4.4": "advert: CTAP 2.3 suffix",
    "5.1": "tunnel: requests",
    "6": "Noise handshake",
    "6.1": "transport phase",
    "7.1": "first message",
    "7.2": "later messages",
    "7.3": "ending",
    "7.4": "update and linking map",
    "7.5": "protocol revisions",
    "9": "CTAP2 inside the channel",
    "10": "the BLE channel (L2CAP)",
}

# Operation: (layer, inputs, outputs, what it does). A name ending in ? may be left out.
CONTENTS = {
    "public_key": "hex",
    "secret": "hex",
    "known_domains": "integer",
    "timestamp": "integer|null",
    "linking": "boolean|null",
    "hint": "text",
    "channels": "integers",
}
PLAINTEXT = {"plaintext": "hex", "nonce?": "hex", "routing_id?": "hex", "domain_id?": "integer", "domain?": "text"}
KEYS = {"handshake_hash": "hex", "client_to_authenticator_key": "hex", "authenticator_to_client_key": "hex"}
FIRST = {"revision": "integer", "features": "texts", "get_info": "hex|null", "has_linking": "boolean"}

OPERATIONS = {
    "digits.encode": ("qr-digits", {"bytes": "hex"}, {"digits": "text"}, "bytes to decimal digits"),
    "digits.decode": ("qr-digits", {"digits": "text"}, {"bytes": "hex"}, "decimal digits to bytes"),
    "invitation.parse": ("qr-contents", {"url": "text"}, CONTENTS, "read a whole `FIDO:/` text"),
    "invitation.decode": ("qr-contents", {"cbor": "hex"}, CONTENTS, "read the map that the digits hold"),
    "invitation.encode": (
        "qr-contents",
        CONTENTS,
        {"cbor": "hex", "url": "text"},
        "write the map and the text; `linking` null leaves key 4 out, `channels` [0] leaves key 6 out",
    ),
    "domain.name": ("tunnel-domain", {"id": "integer"}, {"domain": "text"}, "host name of a tunnel domain number"),
    "tunnel.new-url": (
        "tunnel-domain",
        {"domain_id": "integer", "tunnel_id": "hex"},
        {"url": "text"},
        "where a phone opens its tunnel",
    ),
    "tunnel.connect-url": (
        "tunnel-domain",
        {"domain_id": "integer", "routing_id": "hex", "tunnel_id": "hex"},
        {"url": "text"},
        "where a client joins it",
    ),
    "routing-id.parse": (
        "tunnel-domain",
        {"text": "text"},
        {"routing_id": "hex"},
        "read the header in which the tunnel service tells the phone the routing ID",
    ),
    "key.derive": (
        "key-schedule",
        {"secret": "hex", "salt": "hex", "purpose": "integer", "length": "integer"},
        {"output": "hex"},
        "HKDF-SHA-256 with the purpose as info",
    ),
    "advert.seal": ("advert", {"eid_key": "hex", "plaintext": "hex"}, {"advert": "hex"}, "seal 16 bytes into 20"),
    "advert.open": (
        "advert",
        {"eid_key": "hex", "advert": "hex"},
        PLAINTEXT | {"psm": "integer|null"},
        "open a QR-initiated advert, with or without suffix; `psm` is null where no BLE channel is offered",
    ),
    "advert.open-linked": (
        "advert",
        {"eid_key": "hex", "advert": "hex"},
        {"plaintext": "hex"},
        "open a state-assisted advert: no routing ID or domain in it",
    ),
    "advert.parse": ("advert", {"plaintext": "hex"}, PLAINTEXT, "read the 16 bytes of a QR-initiated advert"),
    "advert.suffix": (
        "advert",
        {"suffix": "hex"},
        {"psm": "integer|null"},
        "read the bytes after the 20; a bad suffix is ignored, so this never fails",
    ),
    "cbor.canonical": ("cbor", {"cbor": "hex"}, {"cbor": "hex"}, "strict decoding, then encoding again"),
    "noise.handshake": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_private": "hex",
            "initiator_ephemeral_private": "hex",
            "responder_ephemeral_private": "hex",
        },
        {"message_1": "hex", "message_2": "hex"} | KEYS,
        "both sides; `static_private` is the client's for KNpsk0, the phone's for NKpsk0",
    ),
    "noise.respond": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_public?": "hex",
            "static_private?": "hex",
            "ephemeral_private": "hex",
            "message_1": "hex",
        },
        {"message_2": "hex"} | KEYS,
        "the phone reads message 1 and answers",
    ),
    "noise.finish": (
        "noise",
        {
            "pattern": "text",
            "psk": "hex",
            "static_public?": "hex",
            "static_private?": "hex",
            "ephemeral_private": "hex",
            "message_2": "hex",
        },
        KEYS,
        "the client writes message 1 (again, from its ephemeral key) and reads message 2",
    ),
    "transport.pad": ("transport", {"message": "hex"}, {"padded": "hex"}, "pad a message to a multiple of 32"),
    "transport.unpad": ("transport", {"padded": "hex"}, {"message": "hex"}, "take the padding off"),
    "transport.seal": (
        "transport",
        {"key": "hex", "counter": "integer", "message": "hex"},
        {"frame": "hex"},
        "pad and seal one message at a given counter",
    ),
    "transport.open": (
        "transport",
        {"key": "hex", "counter": "integer", "frame": "hex"},
        {"message": "hex"},
        "open one frame at a given counter",
    ),
    "transport.sequence": (
        "transport",
        {"key": "hex", "frames": "hexes"},
        {"messages": "hexes"},
        "open frames in turn from counter 0; in an invalid case all but the last open, and the last is refused",
    ),
    "transport.open-old": (
        "transport",
        {"key": "hex", "counter": "integer", "frame": "hex"},
        {"message": "hex"},
        "open one frame of the old construction (additional data 02, counter first, little-endian)",
    ),
    "message.decode": (
        "message",
        {"plaintext": "hex"},
        {"type": "text", "payload": "hex"},
        "read the type byte and what follows",
    ),
    "first-message.parse": (
        "message",
        {"plaintext": "hex"},
        FIRST,
        "read the phone's first message, of either revision",
    ),
    "first-message.encode": (
        "message",
        {"get_info": "hex|null", "features": "texts"},
        {"plaintext": "hex"},
        "write a revision 1 first message; features [ctap] alone leaves key 3 out",
    ),
    "revision-0.unpad": (
        "message",
        {"plaintext": "hex"},
        {"cbor": "hex"},
        "take the padding of a revision 0 first message off",
    ),
    "update.parse": ("message", {"payload": "hex"}, {"has_linking": "boolean"}, "read an update's payload"),
    "session.authenticator": (
        "session",
        {
            "url": "text",
            "domain_id": "integer",
            "routing_id": "hex",
            "advert_nonce": "hex",
            "ephemeral_private": "hex",
            "message_1": "hex",
            "frames": "frames",
        },
        {"tunnel_id": "hex", "eid_key": "hex", "advert": "hex", "psk": "hex", "message_2": "hex"}
        | KEYS
        | {"results": "hexes"},
        (
            "the phone's side of a whole session, byte for byte; in an invalid case everything up to the last "
            "frame (or message 1, if there is none) holds and that is refused"
        ),
    ),
    "session.client": (
        "session",
        {
            "static_private": "hex",
            "secret": "hex",
            "advert": "hex",
            "ephemeral_private": "hex",
            "message_2": "hex",
            "frames": "frames",
        },
        {"tunnel_id": "hex", "eid_key": "hex", "plaintext": "hex", "psk": "hex", "message_1": "hex"}
        | KEYS
        | {"results": "hexes"},
        "the client's side of a whole session, likewise",
    ),
    "l2cap.split": (
        "l2cap",
        {"buffer": "hex"},
        {"messages": "hexes", "rest": "hex"},
        "cut a byte stream at 0D 0A as libwebauthn does",
    ),
}

LAYERS = (
    "qr-digits",
    "qr-contents",
    "tunnel-domain",
    "key-schedule",
    "advert",
    "cbor",
    "noise",
    "transport",
    "message",
    "session",
    "l2cap",
)
