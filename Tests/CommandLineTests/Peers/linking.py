"""Links, and sessions without a code, either end; and how this project's tunnel service wakes an authenticator.

Written from the articles Linking, StateAssistedTransactions and ContactSide; as hybrid_peer.py, which it needs.
"""

import base64
import hashlib
import hmac
import json
import os
from urllib.parse import urlparse

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hybrid_peer import *

HELLO, REGISTRATION, REGISTERED, WAKE, JOINING, DECLINED = range(1, 7)
UPDATE_BYTES = 512


def signature(private, public, handshake_hash):
    """The same from either end."""
    return hmac.new(private.exchange(ec.ECDH(), public), handshake_hash, hashlib.sha256).digest()


def update(linking):
    """An update of 512 bytes."""
    bare = len(canonical({0: bytes(256), 1: linking})) - 256
    return b"\2" + canonical({0: bytes(UPDATE_BYTES - 1 - bare), 1: linking})


def accept(linking, static, handshake_hash):
    """What a client keeps of a linking map, if its signature is right."""
    assert set(linking) - {999} == {1, 2, 3, 4, 5, 6}, linking.keys()
    assert linking[6] == signature(static, public_key(linking[4]), handshake_hash), "the signature is wrong"
    assert (len(linking[2]), len(linking[3]), len(linking[4])) == (8, 32, 65), linking
    return {name: linking[key].hex() for name, key in (("contact", 1), ("id", 2), ("secret", 3), ("public", 4))}


class Links:
    """An authenticator's key, and the links that it has given, in a file."""

    def __init__(self, path):
        self.path, self.secrets = path, {}
        self.key = ec.generate_private_key(ec.SECP256R1())
        if os.path.exists(path):
            with open(path) as file:
                kept = json.load(file)
            self.key = ec.derive_private_key(kept["scalar"], ec.SECP256R1())
            self.secrets = {bytes.fromhex(link): bytes.fromhex(secret) for link, secret in kept["secrets"].items()}

    async def offer(self, service, ca, client_static, handshake_hash):
        """The linking map of a new link, which the tunnel service has named."""
        link, secret = os.urandom(8), os.urandom(32)
        self.secrets[link] = secret
        async with tunnel(service, "listen", ca) as socket:
            contact = (await self.register(socket, service, [*self.secrets], listens=False))[-1]
        with open(self.path, "w") as file:
            secrets = {link.hex(): secret.hex() for link, secret in self.secrets.items()}
            json.dump({"scalar": self.key.private_numbers().private_value, "secrets": secrets}, file)
        mac = signature(self.key, public_key(client_static), handshake_hash)
        return {1: contact, 2: link, 3: secret, 4: point(self.key.public_key()), 5: "Python", 6: mac}

    async def register(self, socket, service, labels, listens):
        """The contact IDs of links, from a tunnel service of this project's kind."""
        hello = cbor2.loads(await socket.recv())
        assert hello[0] == HELLO, hello
        host, wanted = urlparse(service).hostname.encode(), bytes([listens]) + b"".join(labels)
        statement = b"hybrid contact registration 1" + bytes([len(host)]) + host + hello[1] + hashlib.sha256(wanted).digest()
        public = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint)
        signed = self.key.sign(statement, ec.ECDSA(hashes.SHA256()))
        await socket.send(canonical({0: REGISTRATION, 1: public, 2: signed, 3: labels, 4: listens}))
        registered = cbor2.loads(await socket.recv())
        assert registered[0] == REGISTERED, registered
        return registered[1]

    async def wakes(self, service, ca):
        """What comes from linked clients: tunnel ID, routing ID, link secret, nonce."""
        async with tunnel(service, "listen", ca) as socket:
            await self.register(socket, service, [*self.secrets], listens=True)
            print("listening", flush=True)
            async for message in socket:
                wake = cbor2.loads(message)
                assert wake[0] == WAKE, wake
                payload = cbor2.loads(wake[4])
                secret = self.secrets.get(payload.get(1))
                await socket.send(canonical({0: JOINING if secret else DECLINED, 1: wake[2]}))
                if secret:
                    yield wake[2], wake[3], secret, payload[2]


async def respond_linked(socket, identity, psk):
    """The authenticator's handshake with a linked client."""
    message = await socket.recv()
    assert len(message) == 81, len(message)
    noise, private = Noise(point(identity.public_key()), psk, b"NKpsk0"), ec.generate_private_key(ec.SECP256R1())
    noise.ephemeral(message[:65])
    noise.mix_key(identity.exchange(ec.ECDH(), public_key(message[:65])))
    noise.check(message[65:])
    noise.ephemeral(point(private.public_key()))
    noise.mix_key(private.exchange(ec.ECDH(), public_key(message[:65])))
    await socket.send(point(private.public_key()) + noise.tag())
    to_phone, to_client = noise.keys()
    return Channel(socket, to_client, to_phone, noise.h)


async def initiate_linked(socket, identity, psk):
    """The linked client's handshake."""
    private, noise = ec.generate_private_key(ec.SECP256R1()), Noise(identity, psk, b"NKpsk0")
    noise.ephemeral(point(private.public_key()))
    noise.mix_key(private.exchange(ec.ECDH(), public_key(identity)))
    await socket.send(point(private.public_key()) + noise.tag())
    message = await socket.recv()
    assert len(message) == 81, len(message)
    noise.ephemeral(message[:65])
    noise.mix_key(private.exchange(ec.ECDH(), public_key(message[:65])))
    noise.check(message[65:])
    to_phone, to_client = noise.keys()
    return Channel(socket, to_phone, to_client, noise.h)


def contact(link, hint, service, ca):
    """The nonce of a contact request, and the tunnel that it opens."""
    nonce, name = os.urandom(16), base64.urlsafe_b64encode(bytes.fromhex(link["contact"])).decode().rstrip("=")
    payload = canonical({1: bytes.fromhex(link["id"]), 2: nonce, 3: hint}).hex()
    headers = {"X-caBLE-Client-Payload": payload, "X-caBLE-Signal-Connection": "true"}
    return nonce, tunnel(service, f"contact/{name}", ca, headers.items())
