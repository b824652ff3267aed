"""cbor2 and cryptography, as far as they do what the hybrid transport needs, against its vectors."""
import hmac

import cbor2
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hybrid_transport_vectors import Refused


def derive(secret, salt, purpose, length):
    return HKDF(hashes.SHA256(), length, salt or None, purpose.to_bytes(4, "little")).derive(secret)


def nonce(counter):
    if counter >= 1 << 24:
        raise Refused("counter-exhausted")
    return bytes(8) + counter.to_bytes(4, "big")


def pad(message):
    count = -(len(message) + 1) % 32
    return message + bytes(count) + bytes([count])


def unpad(padded):
    if not padded:
        raise Refused("empty")
    if padded[-1] >= len(padded):
        raise Refused("bad-padding")
    return padded[:-padded[-1] - 1]


def seal(key, counter, message):
    return AESGCM(key).encrypt(nonce(counter), pad(message), None)


def open_frame(key, counter, frame):
    place = nonce(counter)
    if len(frame) < 16:
        raise Refused("too-short")
    try:
        return unpad(AESGCM(key).decrypt(place, frame, None))
    except InvalidTag:
        raise Refused("bad-tag") from None


def seal_advert(eid_key, plaintext):
    if len(plaintext) != 16:
        raise Refused("wrong-length")
    block = Cipher(algorithms.AES(eid_key[:32]), modes.ECB()).encryptor().update(plaintext)
    return block + hmac.digest(eid_key[32:], block, "sha256")[:4]


def canonical(cbor):
    """cbor2 is no strict reader: what it takes is held against what it writes."""
    value = cbor2.loads(cbor)
    written = cbor2.dumps(value, canonical=True)
    if written != cbor:
        raise Refused
    return written


hybrid_operations = {
    "key.derive": derive, "transport.pad": pad, "transport.unpad": unpad, "transport.seal": seal, "transport.open": open_frame,
    "advert.seal": seal_advert, "cbor.canonical": canonical,
}
hybrid_refusals = (cbor2.CBORDecodeError, ValueError, TypeError, RecursionError)
hybrid_expected_failures = {
    "cbor-order-type-first": "RFC 7049's order: shorter keys first, whatever their type",
    "cbor-order-negative-after": "RFC 7049's order: shorter keys first, whatever their type",
    "cbor-unsupported-half": "it takes all of CBOR", "cbor-unsupported-undefined": "it takes all of CBOR",
    "cbor-unsupported-simple-16": "it takes all of CBOR", "cbor-unsupported-simple-255": "it takes all of CBOR",
    "cbor-deep-arrays": "its depth is the stack's", "cbor-deep-maps": "its depth is the stack's",
}


def test_hybrid(hybrid_case):
    hybrid_case()
