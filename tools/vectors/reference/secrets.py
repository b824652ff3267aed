"""Key schedule, adverts, and the invitation's contents (the articles KeyDerivation, Advert and QRCode)."""

import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from . import Refused, cbor, curve, digits

EID_KEY, TUNNEL_ID, PSK = 1, 2, 3
PLAINTEXT_BYTES, TAG_BYTES, ADVERT_BYTES = 16, 4, 20


def hmac_sha256(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(ikm, salt, info, count):
    prk = hmac_sha256(salt or bytes(32), ikm)
    out, block, index = b"", b"", 1
    while len(out) < count:
        block = hmac_sha256(prk, block + info + bytes([index]))
        out, index = out + block, index + 1
    return out[:count]


def derive(secret, salt, purpose, count):
    return hkdf(secret, salt, purpose.to_bytes(4, "little"), count)


def eid_key(secret, nonce=b""):
    return derive(secret, nonce, EID_KEY, 64)


def _block(key, data, decrypt=False):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    context = cipher.decryptor() if decrypt else cipher.encryptor()
    return context.update(data) + context.finalize()


def seal(key, plaintext):
    body = _block(key[:32], plaintext)
    return body + hmac_sha256(key[32:], body)[:TAG_BYTES]


def parse_plaintext(plaintext, linked=False):
    if len(plaintext) != PLAINTEXT_BYTES:
        raise Refused("wrong-length")
    if plaintext[0] != 0:
        raise Refused("reserved-byte")
    if linked:
        return {"plaintext": plaintext.hex()}
    number = int.from_bytes(plaintext[14:], "little")
    return {
        "plaintext": plaintext.hex(),
        "nonce": plaintext[1:11].hex(),
        "routing_id": plaintext[11:14].hex(),
        "domain_id": number,
        "domain": digits.domain(number),
    }


def open_advert(key, advert, linked=False):
    if len(advert) < ADVERT_BYTES:
        raise Refused("too-short")
    body, tag = advert[:PLAINTEXT_BYTES], advert[PLAINTEXT_BYTES:ADVERT_BYTES]
    if hmac_sha256(key[32:], body)[:TAG_BYTES] != tag:
        raise Refused("bad-tag")
    fields = parse_plaintext(_block(key[:32], body, decrypt=True), linked)
    return fields if linked else fields | {"psm": suffix_psm(advert[ADVERT_BYTES:])}


def suffix_psm(suffix):
    """The PSM of a suffix, or None: whatever is wrong with a suffix, the advert is kept."""
    try:
        mapping = cbor.decode(suffix)
    except Refused:
        return None
    if not isinstance(mapping, dict):
        return None
    psm, _ = cbor.get(mapping, 1)
    return psm if type(psm) is int and 0 < psm <= 0xFFFF else None


KNOWN_CHANNELS = (0, 1)
KNOWN_HINTS = ("ga", "mc", "dcp", "dci")


def parse_contents(data):
    try:
        mapping = cbor.decode(data)
    except Refused as refusal:
        raise Refused("invalid-cbor", str(refusal))
    if not isinstance(mapping, dict):
        raise Refused("not-a-map")
    key, secret = _required(mapping, 0, 33), _required(mapping, 1, 16)
    if key[0] not in (2, 3):
        raise Refused("invalid-point")
    curve.load(key)
    known, has_known = cbor.get(mapping, 2)
    if has_known and not (type(known) is int and known >= 0):
        raise Refused("wrong-type", "key 2")
    time, _ = cbor.get(mapping, 3)
    linking, has_linking = cbor.get(mapping, 4)
    if has_linking and type(linking) is not bool:
        raise Refused("wrong-type", "key 4")
    hint, has_hint = cbor.get(mapping, 5)
    if has_hint and type(hint) is not str:
        raise Refused("wrong-type", "key 5")
    return {
        "public_key": key.hex(),
        "secret": secret.hex(),
        "known_domains": known if has_known else 0,
        "timestamp": time if type(time) is int and time >= 0 else None,
        "linking": linking,
        "hint": hint if hint in KNOWN_HINTS else "ga",
        "channels": _channels(mapping),
    }


def _required(mapping, number, count):
    value, present = cbor.get(mapping, number)
    if not present:
        raise Refused("missing-field", f"key {number}")
    if type(value) is not bytes:
        raise Refused("wrong-type", f"key {number}")
    if len(value) != count:
        raise Refused("wrong-length", f"key {number}")
    return value


def _channels(mapping):
    value, _ = cbor.get(mapping, 6)
    if type(value) is not list or any(type(x) is not int or x < 0 for x in value):
        return [0]
    return sorted(set(value) & set(KNOWN_CHANNELS)) or [0]


PREFIX = "FIDO:/"


def parse_url(url):
    prefix = url[: len(PREFIX)]
    if not prefix.isascii() or prefix.upper() != PREFIX:
        raise Refused("not-fido-url")
    return parse_contents(digits.decode(url[len(PREFIX) :]))
