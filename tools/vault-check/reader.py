"""Reads a vault without any code of ours: cbor2, hashlib and the package cryptography."""

import hashlib
import io

import cbor2
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

DIGEST = 32
SCALAR = 32
ID, LAST_USED, KEY_LENGTH, HAS_PRF = 1, 13, 9, 10
PRF = 32


class Vault:
    """A vault's contents; an exception where it is torn."""

    def __init__(self, data, passphrase=None, keyring_key=None):
        if hashlib.sha256(data[:-DIGEST]).digest() != data[-DIGEST:]:
            raise ValueError("torn: the checksum does not match")
        file = io.BytesIO(data)
        header = cbor2.load(file)
        front = data[: file.tell()]
        assert header["format"] == "hybrid passkey vault" and header["version"] == 1, header
        for lock in header["locks"]:
            secret = {"passphrase": passphrase, "keyring": keyring_key}[lock["kind"]]
            if secret is None:
                continue
            shown = {name: value for name, value in lock.items() if name not in ("nonce", "key")}
            if lock["kind"] == "passphrase":
                secret = hashlib.scrypt(secret, salt=lock["salt"], n=1 << lock["log-n"], r=lock["r"], p=lock["p"],
                                        maxmem=1 << 30, dklen=32)
            self.wrapping_key = secret
            context = cbor2.dumps([header["id"], shown], canonical=True)
            self.key = AESGCM(secret).decrypt(lock["nonce"], lock["key"], context)
            self.cost = {name: shown[name] for name in ("log-n", "r", "p") if name in shown}
        contents = AESGCM(self.key).decrypt(header["nonce"], data[len(front) : -DIGEST], front)
        assert hashlib.sha256(contents[:-DIGEST]).digest() == contents[-DIGEST:]
        file = io.BytesIO(contents)
        self.credentials = cbor2.load(file)["credentials"]
        self.private_keys, self.prf_secrets = [], []
        for credential in self.credentials:
            self.private_keys.append(file.read(credential.get(KEY_LENGTH, SCALAR)))
            if credential.get(HAS_PRF):
                self.prf_secrets.append(file.read(PRF))

    @property
    def times(self):
        return [credential[LAST_USED] for credential in self.credentials]
