"""Reads and writes files of passkeys with python's cryptography, and tells their public keys as python-fido2 encodes them.

    peer.py write FORMAT FILE    makes a key of each algorithm, writes a file with them
    peer.py read FORMAT FILE     reads a file; each key signs, and verifies what it has signed

Either tells the passkeys, a line of JSON each, ordered by credential ID.
"""
import base64
import datetime
import json
import os
import sys
import uuid
import xml.etree.ElementTree

import pykeepass
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding, NoEncryption, PrivateFormat, load_der_private_key, load_pem_private_key)
from fido2 import cbor
from fido2.cose import CoseKey, ES256, EdDSA, RS256

MESSAGE = b"round trip"
PASSPHRASE = "open sesame"


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


def write_keepassxc(passkeys):
    passkey, = passkeys
    return json.dumps({
        "relyingParty": passkey.rp, "url": "https://example.com/login", "username": passkey.name,
        "credentialId": b64(passkey.id), "userHandle": b64(passkey.user), "privateKey": pem(passkey.key)}, indent=4)


def read_keepassxc(text):
    file = json.loads(text)
    assert set(file) == {"relyingParty", "url", "username", "credentialId", "userHandle", "privateKey"}
    assert file["url"].startswith("https://") and all(file.values())
    # As KeePassXC looks at it.
    key = file["privateKey"]
    assert key.startswith("-----BEGIN PRIVATE KEY-----") and key.strip().endswith("-----END PRIVATE KEY-----")
    yield Passkey(unb64(file["credentialId"]), file["relyingParty"], unb64(file["userHandle"]), file["username"],
                  load_pem_private_key(key.encode(), None))


def write_bitwarden(passkeys):
    passkey, = passkeys
    fido2 = {
        "credentialId": str(uuid.UUID(bytes=passkey.id)), "keyType": "public-key", "keyAlgorithm": "ECDSA",
        "keyCurve": "P-256", "keyValue": b64(der(passkey.key)), "rpId": passkey.rp, "userHandle": b64(passkey.user),
        "userName": passkey.name, "counter": "0", "rpName": "Example", "userDisplayName": "Alice",
        "discoverable": "true", "creationDate": "2023-11-14T22:13:20.123Z"}
    login = {"uris": [{"match": None, "uri": "https://example.com"}], "username": "alice", "password": "secret",
             "totp": None, "fido2Credentials": [fido2]}
    return json.dumps({"encrypted": False, "folders": [{"id": str(uuid.uuid4()), "name": "Mine"}], "items": [
        {"id": str(uuid.uuid4()), "type": 2, "name": "a note", "notes": "x", "secureNote": {"type": 0}},
        {"id": str(uuid.uuid4()), "type": 1, "name": "Example", "login": login}]}, indent=2)


def read_bitwarden(text):
    export = json.loads(text)
    assert export["encrypted"] is False
    for item in export["items"]:
        uuid.UUID(item["id"])
        assert item["type"] == 1 and item["name"]
        for fido2 in item["login"]["fido2Credentials"]:
            id = fido2["credentialId"]
            assert fido2["keyType"] == "public-key" and fido2["counter"] == "0"
            assert (fido2["keyAlgorithm"], fido2["keyCurve"]) == ("ECDSA", "P-256")
            assert fido2["discoverable"] in ("true", "false")
            datetime.datetime.strptime(fido2["creationDate"], "%Y-%m-%dT%H:%M:%S.%fZ")
            yield Passkey(unb64(id[4:]) if id.startswith("b64.") else uuid.UUID(id).bytes, fido2["rpId"],
                          unb64(fido2["userHandle"]), fido2["userName"], load_der_private_key(unb64(fido2["keyValue"]), None))


def database(passkeys, path):
    """A database of pykeepass's, with an entry that has no passkey, a history, and a passkey in the recycle bin."""
    database = pykeepass.create_database(path, password=PASSPHRASE)
    database.add_entry(database.root_group, "a login", "alice", "secret")
    group = database.add_group(database.root_group, "Imported Passkeys")
    entries = []
    for passkey in passkeys + [Passkey(b"gone", "example.org", b"gone", "gone", passkeys[0].key)]:
        entry = database.add_entry(group, "Example", "title " + passkey.name, "", url="https://example.com")
        for name, value, protect in [
            ("CREDENTIAL_ID", b64(passkey.id), True), ("PRIVATE_KEY_PEM", pem(passkey.key), True),
            ("RELYING_PARTY", passkey.rp, False), ("USERNAME", passkey.name, False),
            ("USER_HANDLE", b64(passkey.user), True), ("FLAG_BE", "1", False), ("FLAG_BS", "1", False),
        ]:
            entry.set_custom_property("KPEX_PASSKEY_" + name, value, protect=protect)
        entry.save_history()
        entries.append(entry)
    database.trash_entry(entries[-1])
    database.save()
    return database


def write_kdbx(passkeys, path):
    database(passkeys, path)


def write_xml(passkeys, path):
    database(passkeys, path + ".kdbx").dump_xml(path)
    os.remove(path + ".kdbx")


def keepass_passkey(attributes):
    assert attributes["KPEX_PASSKEY_FLAG_BE"] == attributes["KPEX_PASSKEY_FLAG_BS"] == "1"
    return Passkey(
        unb64(attributes["KPEX_PASSKEY_CREDENTIAL_ID"]), attributes["KPEX_PASSKEY_RELYING_PARTY"],
        unb64(attributes["KPEX_PASSKEY_USER_HANDLE"]), attributes["KPEX_PASSKEY_USERNAME"],
        load_pem_private_key(attributes["KPEX_PASSKEY_PRIVATE_KEY_PEM"].encode(), None))


def read_kdbx(path):
    database = pykeepass.PyKeePass(path, password=PASSPHRASE)
    for entry in database.entries:
        # Not every format tells a name of the site.
        assert entry.title in ("Example", "example.com") and entry.url == "https://example.com" and entry.ctime
        for name in ("CREDENTIAL_ID", "PRIVATE_KEY_PEM", "USER_HANDLE"):
            assert entry.is_custom_property_protected("KPEX_PASSKEY_" + name)
        yield keepass_passkey(entry.custom_properties)


def read_xml(text):
    for entry in xml.etree.ElementTree.fromstring(text).iter("Entry"):
        datetime.datetime.strptime(entry.findtext("Times/CreationTime"), "%Y-%m-%dT%H:%M:%SZ")
        yield keepass_passkey({string.findtext("Key"): string.findtext("Value") for string in entry.iter("String")})


WRITERS = {"cxf": write_cxf, "keepassxc-passkey": write_keepassxc, "bitwarden": write_bitwarden}
READERS = {"cxf": read_cxf, "keepassxc-passkey": read_keepassxc, "bitwarden": read_bitwarden, "keepass-xml": read_xml}
# What keeps one passkey, or those of one algorithm, of those that are made: the first.
ONE = ("keepassxc-passkey", "bitwarden")


def main(verb, format, path):
    if verb == "write":
        passkeys = made()[:1 if format in ONE else None]
        if format in ("kdbx", "keepass-xml"):
            {"kdbx": write_kdbx, "keepass-xml": write_xml}[format](passkeys, path)
        else:
            open(path, "w").write(WRITERS[format](passkeys))
    elif format == "kdbx":
        passkeys = list(read_kdbx(path))
    else:
        passkeys = list(READERS[format](open(path).read()))
    for passkey in sorted(passkeys, key=lambda passkey: passkey.id):
        print(passkey.line())


main(*sys.argv[1:])
