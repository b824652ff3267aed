"""Reads and writes files of passkeys with python's cryptography, and tells their public keys as python-fido2 encodes them.

    peer.py write FORMAT FILE    makes a key of each algorithm, writes a file with them
    peer.py read FORMAT FILE     reads a file; each key signs, and verifies what it has signed

Either tells the passkeys, a line of JSON each, ordered by credential ID.
"""
import base64
import json
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding, NoEncryption, PrivateFormat, load_der_private_key, load_pem_private_key)
from fido2 import cbor
from fido2.cose import CoseKey, ES256, EdDSA, RS256

MESSAGE = b"round trip"


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def unb64(text):
    assert "=" not in text
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def der(key):
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def pem(key):
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def cose(key):
    """The public half in COSE, after the key has verified what it has signed."""
    if isinstance(key, ed25519.Ed25519PrivateKey):
        signature, kind = key.sign(MESSAGE), EdDSA
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        signature, kind = key.sign(MESSAGE, ec.ECDSA(hashes.SHA256())), ES256
    else:
        signature, kind = key.sign(MESSAGE, padding.PKCS1v15(), hashes.SHA256()), RS256
    public = kind.from_cryptography_key(key.public_key())
    CoseKey.parse(public).verify(MESSAGE, signature)
    return cbor.encode(dict(public))


class Passkey:
    def __init__(self, id, rp, user, name, key):
        self.id, self.rp, self.user, self.name, self.key = id, rp, user, name, key

    def line(self):
        return json.dumps({
            "cose": cose(self.key).hex(), "id": self.id.hex(), "name": self.name, "rp": self.rp, "user": self.user.hex(),
        }, sort_keys=True)


def made():
    keys = [
        ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate(),
        rsa.generate_private_key(65537, 2048),
    ]
    return [Passkey(bytes([index]) * 16, "example.com", b"user%d" % index, "alice%d" % index, key)
            for index, key in enumerate(keys, 1)]


def write_cxf(passkeys):
    item = lambda passkey: {
        "id": b64(passkey.id), "title": "Example", "creationAt": 1700000000, "credentials": [
            {"type": "basic-auth", "username": {"fieldType": "string", "value": "alice"}},
            {"type": "passkey", "credentialId": b64(passkey.id), "rpId": passkey.rp, "username": passkey.name,
             "userDisplayName": "Alice", "userHandle": b64(passkey.user), "key": b64(der(passkey.key))}]}
    return json.dumps({
        "version": {"major": 1, "minor": 0}, "exporterRpId": "example.org", "exporterDisplayName": "peer",
        "timestamp": 1700000000, "accounts": [
            {"id": b64(b"account"), "username": "", "email": "", "collections": [], "items": [item(p) for p in passkeys]}]})


def read_cxf(text):
    header = json.loads(text)
    assert header["version"] == {"major": 1, "minor": 0}
    ids = set()
    for account in header["accounts"]:
        assert account["username"] == account["email"] == "" and account["collections"] == []
        for item in account["items"]:
            assert len(unb64(item["id"])) <= 64 and item["id"] not in ids
            ids.add(item["id"])
            for credential in item["credentials"]:
                assert credential["type"] == "passkey" and isinstance(credential["userDisplayName"], str)
                yield Passkey(unb64(credential["credentialId"]), credential["rpId"], unb64(credential["userHandle"]),
                              credential["username"], load_der_private_key(unb64(credential["key"]), None))


WRITERS = {"cxf": write_cxf}
READERS = {"cxf": read_cxf}


def main(verb, format, path):
    if verb == "write":
        passkeys = made()
        content = WRITERS[format](passkeys)
        if content is not None:
            open(path, "w").write(content)
    else:
        passkeys = list(READERS[format](open(path).read()))
    for passkey in sorted(passkeys, key=lambda passkey: passkey.id):
        print(passkey.line())


main(*sys.argv[1:])
