"""What the words in the vectors mean: certainties, flags, failure kinds.

The README's tables and the JSON schemas are made from these.
"""

CERTAINTIES = {
    "certain": "several implementations, an RFC, or one implementation and a recomputation say so",
    "second-hand": "an account of the specification's text says so, or a single implementation",
    "implied": "the reference's other rules imply it",
    "disputed": "implementations differ; the case says what this project does",
    "policy": "this project's own choice, a limit or a time; others may choose otherwise",
}

# Each with what it means, and what an implementation that fails such a case gets wrong.
FLAGS = {
    "published": (
        "the number comes from the unit test of another implementation (see `source`)",
        "a contradiction to the implementation that published it",
    ),
    "recorded": (
        "recorded from a real browser's session (see `source`)",
        "no session with that browser would come about",
    ),
    "optional": (
        "a feature that a conforming implementation may leave out; if it has it, the case must hold",
        "nothing, if the implementation lacks the feature: leave the case out, and say so",
    ),
    "lenient": (
        "accepting this is required or recommended although a sender should not produce it",
        "a good peer is turned away",
    ),
    "foreign": (
        "shape seen from, or particular to, another implementation",
        "sessions with that implementation fail",
    ),
    "boundary": (
        "the last value on this side of a limit",
        "a comparison is off by one",
    ),
    "not-canonical-cbor": (
        "well-formed CBOR that breaks CTAP2's canonical rules",
        "a lenient CBOR reader where the protocol wants a strict one: two ways to write one message",
    ),
    "curve": (
        "an attack on, or a mistake with, an elliptic-curve point",
        "points are not checked, or a library's answer to an unusual one is not: keys may leak, or good sessions fail",
    ),
    "tamper": (
        "an honest message with something changed",
        "something that must be authenticated is not, or is compared in part only",
    ),
    "order": (
        "right bytes in the wrong place, order or direction",
        "state is not kept: replay, reflection, or a mix of two sessions goes through",
    ),
}

# Each with what it means, and what is wrong where the refusal does not come.
FAILURES = {
    "not-fido-url": (
        "the text does not start with `FIDO:/`",
        "another QR code was scanned",
    ),
    "other-purpose": (
        "a QR code of another kind: a client's where a hand-over's is wanted",
        "two kinds of session that can be taken for one another",
    ),
    "wrong-commitment": (
        "a number that is opened is not the one that was committed to",
        "somebody between the two can search for sessions whose digits agree",
    ),
    "wrong-digits": (
        "a commitment to other digits than those of the session",
        "who answers in the sender's place learns who the receiver is",
    ),
    "unknown-field": (
        "a key that may not be there",
        "an unknown key is passed over, where the edition says all that there is",
    ),
    "unsupported-version": (
        "an edition that is not known",
        "a message of another edition is misread",
    ),
    "non-digit": (
        "a character that is not ASCII 0-9 (looked for in the whole text, before count and range)",
        "a number parser that takes signs, spaces or other digits",
    ),
    "digit-count": (
        "a number of digits that no byte string encodes to",
        "a client that forgets to pad its last group, or a cut text",
    ),
    "digit-range": (
        "a group of digits whose value does not fit its bytes",
        "17 digits hold more than 7 bytes",
    ),
    "too-long": (
        "more than the protocol can ever need",
        "no bound on the messages of an unauthenticated peer",
    ),
    "too-short": (
        "fewer bytes than the smallest possible",
        "an index behind the end",
    ),
    "wrong-length": (
        "a value of fixed length has another length",
        "a slice is taken before the length is looked at",
    ),
    "invalid-cbor": (
        "not canonical CBOR, or bytes left over after the item",
        "a CBOR reader that is lenient, or ignores the bytes after the item",
    ),
    "not-a-map": (
        "CBOR, but not a map, where a map must be",
        "a type is assumed",
    ),
    "missing-field": (
        "a required key is absent",
        "a default where there is none",
    ),
    "wrong-type": (
        "a key is present with a value of another type",
        "a type is assumed, or a wrong one read as absent",
    ),
    "invalid-point": (
        "not a point of P-256 in the required form",
        "the point is not checked: an invalid-curve attack",
    ),
    "unassigned-domain": (
        "a tunnel domain number 2-255",
        "a URL made of a number that nobody owns",
    ),
    "bad-tag": (
        "an authentication tag does not match",
        "a tag is not compared, not whole, or after the contents were used; or keys, nonces or hash differ",
    ),
    "reserved-byte": (
        "the advert's first plaintext byte is not zero",
        "a later edition's advert would be misread",
    ),
    "bad-padding": (
        "the padding count is larger than the plaintext",
        "an index below the start",
    ),
    "empty": (
        "no bytes where at least one is needed",
        "the first byte of nothing is read",
    ),
    "counter-exhausted": (
        "a message counter above 2^24 - 1",
        "a nonce would come again",
    ),
    "unknown-type": (
        "a message type other than 0-3",
        "an unknown message is taken for one that is known",
    ),
    "unexpected-message": (
        "a message that may not come from this side, or not at this time",
        "no account is kept of whose turn it is",
    ),
    "feature-mismatch": (
        "getInfo is present without `ctap` among the features, or absent with it",
        "a session that can do nothing, or that is used for a feature it lacks",
    ),
    "non-empty-payload": (
        "a payload where none may be",
        "something is smuggled along",
    ),
    "invalid-hex": (
        "text that is not an even number of hexadecimal digits",
        "a hexadecimal parser that takes prefixes or signs",
    ),
    "invalid-text": (
        "text that is not UTF-8",
        "text that two readers read differently",
    ),
    "session-ended": (
        "a message after the one that ended the session",
        "a session goes on after its end",
    ),
    "invalid-base64": (
        "text that is not base64url without padding, in its one form",
        "a decoder that takes padding, the other alphabet, or unused bits: two URLs for one contact",
    ),
    "bad-signature": (
        "the linking map's signature is not that of its key for this session",
        "the sender of the map need not own the key in it",
    ),
    "linking-not-offered": (
        "linking data where the client has not offered to be linked: only the data is dropped",
        "a link that nobody asked for",
    ),
    "already-linked": (
        "linking data after a good linking map in the same session: only the data is dropped",
        "a link that is replaced behind the user's back",
    ),
    "unsupported-hint": (
        "a hint other than `ga` and `mc` in a state-assisted transaction",
        "a transaction that the protocol does not have",
    ),
    "wrong-sequence": (
        "a continuation packet that is not the next one, or a message that begins inside another",
        "a message with a hole in it is taken for whole",
    ),
    "truncated": (
        "CBOR: the input ends inside an item",
        "an index behind the end",
    ),
    "trailing-bytes": (
        "CBOR: bytes after the item",
        "these bytes are ignored: two ways to write one message",
    ),
    "not-canonical": (
        "CBOR: a longer integer than needed, or an indefinite length",
        "two ways to write one message",
    ),
    "unsorted-keys": (
        "CBOR: map keys not in CTAP2 order",
        "two ways to write one message",
    ),
    "duplicate-key": (
        "CBOR: the same map key twice",
        "two readers take different values",
    ),
    "too-deep": (
        "CBOR: more nesting than the reader allows",
        "the stack runs over",
    ),
    "malformed": (
        "CBOR: no CBOR at all: a reserved form, a break that ends nothing",
        "a reserved form is read as something",
    ),
    "unsupported": (
        "CBOR: a type that CTAP2 does not use (float, tag, undefined, other simple values)",
        "a type that no rule is about",
    ),
}
