"""What the words in the vectors mean: certainties, flags, failure kinds, rules.

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
    "non-digit": "a character that is not ASCII 0-9 (looked for in the whole text, before count and range)",
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
    "session-ended": "a message after the one that ended the session",
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
