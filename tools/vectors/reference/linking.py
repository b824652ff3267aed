"""Linking (the article Linking) and what a state-assisted transaction starts from (StateAssistedTransactions)."""

import base64
import binascii
import hmac

from . import Refused, cbor, curve, messages, secrets

PAIRED_SECRET, IDENTITY_SEED, CONTACT_SECRET = 4, 5, 6
LINK_ID_BYTES, NONCE_BYTES, SECRET_BYTES, POINT_BYTES, HASH_BYTES = 8, 16, 32, 65, 32
CONTACT_ID_BYTES, NAME_BYTES, REQUEST_BYTES, BLOCK = range(1, 4097), 128, 256, 512
IDENTITY_INFO, CONTACT_INFO = "derive EC key P-256", "hybrid transport contact key P-256"
HINTS = ("ga", "mc")


def sized(value, count):
    if len(value) != count:
        raise Refused("wrong-length")
    return value


def contact_id(value):
    if len(value) not in CONTACT_ID_BYTES:
        raise Refused("wrong-length")
    return value


def expand(seed, info):
    """A P-256 private key: 48 bytes of HKDF modulo the order, as BoringSSL's EC_KEY_derive_from_secret."""
    return (int.from_bytes(secrets.hkdf(seed, b"", info.encode(), 48), "big") % curve.N).to_bytes(32, "big")


def identity_seed(root):
    return secrets.derive(sized(root, SECRET_BYTES), b"", IDENTITY_SEED, 32)


def identity_key(root):
    return expand(identity_seed(root), IDENTITY_INFO)


def contact_key(root):
    return expand(sized(root, SECRET_BYTES), CONTACT_INFO)


def contact_secret(root, contact):
    return secrets.derive(sized(root, SECRET_BYTES), contact_id(contact), CONTACT_SECRET, 32)


def link_secret(root, contact, link):
    return secrets.derive(contact_secret(root, contact), sized(link, LINK_ID_BYTES), PAIRED_SECRET, 32)


def sign(private, public, handshake_hash):
    """The same for both ends, each with its private and the other's public key."""
    return secrets.hmac_sha256(curve.shared(private, public), handshake_hash)


def cut(name):
    """The longest beginning of at most 128 bytes of UTF-8, cut between two scalars."""
    return name.encode()[:NAME_BYTES].decode(errors="ignore")


def linking_map(contact, link, secret, identity, name, client_public, handshake_hash):
    return {
        1: contact_id(contact),
        2: sized(link, LINK_ID_BYTES),
        3: sized(secret, SECRET_BYTES),
        4: curve.public(identity),
        5: cut(name),
        6: sign(identity, client_public, handshake_hash),
    }


def update(linking=None):
    """Type byte and map, with the one filler that makes 512 bytes, or 513 where none does."""
    mapping = {} if linking is None else {1: linking}
    bare = bytes([messages.UPDATE]) + cbor.encode(mapping)
    wanted = -(-len(bare) // BLOCK) * BLOCK
    if len(bare) == wanted:
        return bare
    for total in (wanted, wanted + 1):
        for zeros in range(total):
            filled = bytes([messages.UPDATE]) + cbor.encode({0: bytes(zeros)} | mapping)
            if len(filled) == total:
                return filled
    raise AssertionError(len(bare))


def verify(mapping, static_private, handshake_hash):
    """The fields of a linking map as it was decoded, if everything is right."""
    fields = {}
    for number, name, kind in (
        (1, "contact_id", bytes),
        (2, "link_id", bytes),
        (3, "link_secret", bytes),
        (4, "public_key", bytes),
        (5, "name", str),
        (6, "signature", bytes),
    ):
        value, present = cbor.get(mapping, number)
        if not present:
            raise Refused("missing-field", f"key {number}")
        if type(value) is not kind:
            raise Refused("wrong-type", f"key {number}")
        if number == 1:
            contact_id(value)
        elif number != 5:
            sized(value, {2: LINK_ID_BYTES, 3: SECRET_BYTES, 4: POINT_BYTES, 6: HASH_BYTES}[number])
        if number == 4:
            if value[0] != 4:
                raise Refused("invalid-point")
            curve.load(value)
        fields[name] = value
    if not hmac.compare_digest(fields.pop("signature"), sign(static_private, fields["public_key"], handshake_hash)):
        raise Refused("bad-signature")
    return fields | {"name": cut(fields["name"])}


def encode_request(link, nonce, hint):
    if hint not in HINTS:
        raise Refused("unsupported-hint")
    return cbor.encode({1: sized(link, LINK_ID_BYTES), 2: sized(nonce, NONCE_BYTES), 3: hint})


def parse_header(text):
    if len(text.encode()) > 2 * REQUEST_BYTES:
        raise Refused("too-long")
    try:
        data = binascii.unhexlify(text)
    except ValueError:
        raise Refused("invalid-hex")
    return parse_request(data)


def parse_request(data):
    if len(data) > REQUEST_BYTES:
        raise Refused("too-long")
    mapping = messages.attempt(data)
    if mapping is messages.NOT_CBOR:
        raise Refused("invalid-cbor")
    if not isinstance(mapping, dict):
        raise Refused("not-a-map")
    out = {}
    for number, name, kind, count in ((1, "link_id", bytes, 8), (2, "nonce", bytes, 16), (3, "hint", str, None)):
        value, present = cbor.get(mapping, number)
        if not present:
            raise Refused("missing-field", f"key {number}")
        if type(value) is not kind:
            raise Refused("wrong-type", f"key {number}")
        out[name] = sized(value, count) if count else value
    if out["hint"] not in HINTS:
        raise Refused("unsupported-hint")
    return out


def linked_plaintext(random):
    """A zero and 15 random bytes; a number that Chromium would not take for a domain gets another high byte."""
    plaintext = bytes(1) + sized(random, 15)
    return plaintext if int.from_bytes(plaintext[14:], "little") not in range(2, 256) else plaintext[:15] + b"\x01"


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def encode_contact_id(value):
    return base64.urlsafe_b64encode(contact_id(value)).decode().rstrip("=")


def decode_contact_id(text):
    if len(text.encode()) > len(base64.urlsafe_b64encode(bytes(max(CONTACT_ID_BYTES))).rstrip(b"=")):
        raise Refused("wrong-length")
    if len(text) % 4 == 1 or any(character not in ALPHABET for character in text):
        raise Refused("invalid-base64")
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(value).decode().rstrip("=") != text:
        raise Refused("invalid-base64", "unused bits that are not zero")
    return contact_id(value)
