"""A hand-over of passkeys (the article HandOver)."""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed25519

from . import Refused, cbor, curve, digits, noise, secrets

LABEL = b"hybrid passkey hand-over 1"
PREFIX = "HYBRID-HANDOVER:/"
PATTERN = "KNpsk0"
NAMES = {1: "hello", 2: "greeting", 3: "typing", 4: "reveal", 5: "opening", 6: "identity", 7: "offer", 8: "acceptance", 9: "payload",
         10: "receipt", 11: "settled", 12: "stopped"}
OFFER, ACCEPTANCE, PAYLOAD, RECEIPT, SETTLED, STOPPED = range(7, 13)
OF_RECEIVER = {1, 4, 6, ACCEPTANCE, RECEIPT}
MOST_PASSKEYS, MOST_DIGESTS, LONGEST = 100, 1024, 1 << 18


def session_secret(secret):
    return secrets.hkdf(secret, b"", LABEL, 16)


def parse(url):
    if url[: len(PREFIX)].upper() != PREFIX:
        raise Refused("other-purpose" if url.upper().startswith(secrets.PREFIX) else "not-fido-url")
    contents = secrets.parse_contents(digits.decode(url[len(PREFIX) :]))
    session = session_secret(bytes.fromhex(contents["secret"]))
    named = {name: contents[name] for name in ("public_key", "secret", "known_domains", "timestamp", "channels")}
    tunnel_id = secrets.derive(session, b"", secrets.TUNNEL_ID, 16)
    return named | {"session_secret": session, "tunnel_id": tunnel_id, "eid_key": secrets.eid_key(session)}


def commitment(handshake_hash, nonce):
    return hashlib.sha256(LABEL + b" commitment" + handshake_hash + nonce).digest()


def code(handshake_hash, receiver, sender):
    number = int.from_bytes(secrets.hkdf(handshake_hash, receiver + sender, LABEL + b" code", 8), "big")
    return f"{number % 1_000_000:06}"


def typing(handshake_hash, code, nonce):
    return hashlib.sha256(LABEL + b" typed" + handshake_hash + code.encode() + nonce).digest()


def identity(private_key, handshake_hash):
    key = ed25519.Ed25519PrivateKey.from_private_bytes(private_key)
    public = key.public_key().public_bytes_raw()
    number = hashlib.sha256(LABEL + b" receiver" + public).digest()
    return {"public_key": public, "receiver_id": number, "signature": key.sign(LABEL + b" identity" + handshake_hash)}


def digest(credential_id):
    return hashlib.sha256(LABEL + b" credential" + credential_id).digest()


def field(mapping, key, kind, fits=lambda value: True, optional=False):
    value, present = cbor.get(mapping, key)
    if not present:
        if optional:
            return None
        raise Refused("missing-field")
    if type(value) is not kind or kind is int and value < 0:
        raise Refused("wrong-type")
    if not fits(value):
        raise Refused("wrong-length")
    return value


def only(mapping, count):
    if set(mapping) - {cbor.typed(key) for key in range(1, count + 1)}:
        raise Refused("unknown-field")


def text(most, least=0):
    return lambda value: least <= len(value.encode()) <= most


def of(count):
    return lambda value: len(value) == count


def members(mapping, key, most):
    values = field(mapping, key, list)
    if len(values) > most:
        raise Refused("too-long")
    return values


def all_of(values, fits):
    if not all(fits(value) for value in values):
        raise Refused("wrong-type")
    return values


def read_hello(mapping):
    if field(mapping, 1, int) != 2:
        raise Refused("unsupported-version")
    only(mapping, 2)
    field(mapping, 2, bytes, of(32))


def read_number(mapping):
    only(mapping, 1)
    field(mapping, 1, bytes, of(32))


def read_opening(mapping):
    only(mapping, 2)
    field(mapping, 1, bytes, of(32)), field(mapping, 2, str, text(64))


def read_identity(mapping):
    only(mapping, 4)
    field(mapping, 1, bytes, of(32)), field(mapping, 2, bytes, of(64)), field(mapping, 3, str, text(64))
    field(mapping, 4, bytes, of(16), optional=True)


def read_offer(mapping):
    only(mapping, 3)
    if field(mapping, 1, int) not in (1, 2):
        raise Refused("wrong-type")
    for passkey in all_of(members(mapping, 2, MOST_PASSKEYS), lambda value: type(value) is dict):
        only(passkey, 3)
        field(passkey, 1, str, text(253, 1))
        field(passkey, 2, str, text(256), optional=True), field(passkey, 3, str, text(256), optional=True)
    if any(len(value) != 32 for value in all_of(members(mapping, 3, MOST_DIGESTS), lambda value: type(value) is bytes)):
        raise Refused("wrong-length")


def read_acceptance(mapping):
    only(mapping, 1)
    all_of(members(mapping, 1, MOST_DIGESTS), lambda value: type(value) is bool)


def read_receipt(mapping):
    only(mapping, 1)
    all_of(members(mapping, 1, MOST_PASSKEYS), lambda value: type(value) is int and 1 <= value <= 4)


def read_stopped(mapping):
    only(mapping, 1)
    if field(mapping, 1, int) not in range(1, 9):
        raise Refused("wrong-type")


READERS = {1: read_hello, 2: read_number, 3: read_number, 4: read_number, 5: read_opening, 6: read_identity, OFFER: read_offer,
           ACCEPTANCE: read_acceptance, RECEIPT: read_receipt, SETTLED: lambda mapping: only(mapping, 0), STOPPED: read_stopped}


def read(plaintext):
    """The number of a message, and its fields."""
    if not plaintext:
        raise Refused("empty")
    kind, contents = plaintext[0], plaintext[1:]
    if kind not in NAMES:
        raise Refused("unknown-type")
    if kind == PAYLOAD:
        if not contents:
            raise Refused("empty")
        return kind, contents
    if len(contents) > LONGEST:
        raise Refused("too-long")
    try:
        mapping = cbor.decode(contents)
    except Refused as refusal:
        raise Refused("invalid-cbor", str(refusal))
    if not isinstance(mapping, dict):
        raise Refused("not-a-map")
    READERS[kind](mapping)
    return kind, mapping


def decode(plaintext):
    kind, _ = read(plaintext)
    return {"type": NAMES[kind], "plaintext": plaintext}


class Session:
    """The turns of both ends, which are the same."""

    def __init__(self, handshake_hash):
        self.hash, self.expected, self.code = handshake_hash, 1, None
        self.offered = self.asked = 0

    def take(self, plaintext):
        kind, fields = read(plaintext)
        if self.expected is None:
            raise Refused("session-ended")
        if kind not in (self.expected, STOPPED):
            raise Refused("unexpected-message")
        value = lambda key: cbor.get(fields, key)[0]
        if kind == 1:
            self.commitment = value(2)
        elif kind == 2:
            self.sender = value(1)
        elif kind == 3:
            self.typed = value(1)
        elif kind == 4:
            if commitment(self.hash, value(1)) != self.commitment:
                raise Refused("wrong-commitment")
            self.code = code(self.hash, value(1), self.sender)
        elif kind == 5:
            if typing(self.hash, self.code, value(1)) != self.typed:
                raise Refused("wrong-digits")
        elif kind == 6:
            try:
                ed25519.Ed25519PublicKey.from_public_bytes(value(1)).verify(value(2), LABEL + b" identity" + self.hash)
            except InvalidSignature:
                raise Refused("bad-signature")
        elif kind == OFFER:
            self.offered, self.asked = len(value(2)), len(value(3))
        elif kind in (ACCEPTANCE, RECEIPT) and len(value(1)) != (self.asked if kind == ACCEPTANCE else self.offered):
            raise Refused("unexpected-message")
        ends = kind in (SETTLED, STOPPED)
        self.expected = None if ends else SETTLED if kind == ACCEPTANCE and not self.offered else kind + 1
        return kind


def converse(given):
    raw = {name: bytes.fromhex(value) for name, value in given.items() if name != "messages"}
    psk = secrets.derive(session_secret(raw["secret"]), raw["advert_plaintext"], secrets.PSK, 32)
    public = curve.public(raw["static_private"])
    first, state = noise.write_message_1(PATTERN, psk, public, raw["initiator_ephemeral_private"], LABEL)
    second, keys = noise.answer(PATTERN, psk, public, first, raw["responder_ephemeral_private"], LABEL)
    assert keys == noise.finish(PATTERN, state, raw["initiator_ephemeral_private"], raw["static_private"], second)
    session, frames, counters = Session(bytes.fromhex(keys["handshake_hash"])), [], {True: 0, False: 0}
    for plaintext in map(bytes.fromhex, given["messages"]):
        is_receivers = session.take(plaintext) in OF_RECEIVER
        key = keys["client_to_authenticator_key" if is_receivers else "authenticator_to_client_key"]
        frames.append(noise.seal(bytes.fromhex(key), counters[is_receivers], plaintext))
        counters[is_receivers] += 1
    return {"message_1": first, "message_2": second, "handshake_hash": keys["handshake_hash"], "frames": frames, "code": session.code}
