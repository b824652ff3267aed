"""The hybrid transport once more, small, in Python, with other people's cryptography, CBOR and WebSockets.

Written from the protocol reference alone, to be talked to: it shares no code and no habit with the program under test.
Needs: pip install cbor2 cryptography websockets
"""

import asyncio
import hashlib
import hmac
import json
import os
import socket
import ssl
import struct
import time

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from websockets.asyncio.client import connect

DIGITS = {1: 3, 2: 5, 3: 8, 4: 10, 5: 13, 6: 15, 7: 17}
EID_KEY, TUNNEL_ID, PSK = 1, 2, 3


def reached(stage):
    """Writes that a stage is reached, and when, as our programs do with --json; only if the environment asks for it."""
    if os.environ.get("PEER_STAGES"):
        print(json.dumps({"event": "stage", "stage": stage, "time": time.time()}), flush=True)


def bytes_of_digits(text):
    """Section 1.2."""
    lengths = {digits: count for count, digits in DIGITS.items()}
    out = b""
    for start in range(0, len(text), 17):
        group = text[start : start + 17]
        out += int(group).to_bytes(lengths[len(group)], "little")
    return out


def digits_of_bytes(data):
    groups = [data[start : start + 7] for start in range(0, len(data), 7)]
    return "".join(str(int.from_bytes(group, "little")).zfill(DIGITS[len(group)]) for group in groups)


def canonical(value):
    return cbor2.dumps(value, canonical=True)


def hkdf(secret, salt, info, length):
    return HKDF(hashes.SHA256(), length, salt or None, info).derive(secret)


def derive(secret, salt, purpose, length):
    """Section 3."""
    return hkdf(secret, salt, struct.pack("<I", purpose), length)


def block(key, data, encrypt):
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    side = cipher.encryptor() if encrypt else cipher.decryptor()
    return side.update(data) + side.finalize()


def seal_advert(secret, plaintext, salt=b""):
    """Section 4.2; the salt is the nonce of a linked client."""
    key = derive(secret, salt, EID_KEY, 64)
    sealed = block(key[:32], plaintext, True)
    return sealed + hmac.new(key[32:], sealed, hashlib.sha256).digest()[:4]


def open_advert(secret, advert, salt=b""):
    key = derive(secret, salt, EID_KEY, 64)
    if hmac.new(key[32:], advert[:16], hashlib.sha256).digest()[:4] != advert[16:20]:
        return None
    return block(key[:32], advert[:16], False)


def point(public_key):
    return public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def public_key(encoded):
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), encoded)


class Noise:
    """KNpsk0 of section 6 with the client's static key, or NKpsk0 with the authenticator's; either end."""

    def __init__(self, static, psk, pattern=b"KNpsk0"):
        self.h = self.ck = b"Noise_" + pattern + b"_P256_AESGCM_SHA256\0"
        self.mix_hash(b"\1" if pattern == b"KNpsk0" else b"\0")
        self.mix_hash(static)
        self.ck, mixed, self.key = self.split(psk, 3)
        self.mix_hash(mixed)

    def split(self, material, count):
        out = hkdf(material, self.ck, b"", 32 * count)
        return [out[start : start + 32] for start in range(0, len(out), 32)]

    def mix_hash(self, data):
        self.h = hashlib.sha256(self.h + data).digest()

    def mix_key(self, material):
        self.ck, self.key = self.split(material, 2)

    def ephemeral(self, encoded):
        self.mix_hash(encoded)
        self.mix_key(encoded)

    def tag(self):
        tag = AESGCM(self.key).encrypt(bytes(12), b"", self.h)
        self.mix_hash(tag)
        return tag

    def check(self, tag):
        AESGCM(self.key).decrypt(bytes(12), tag, self.h)
        self.mix_hash(tag)

    def keys(self):
        return self.split(b"", 2)


class Channel:
    """The transport phase, section 6.1, over a WebSocket."""

    def __init__(self, socket, sending, receiving, handshake_hash):
        self.socket, self.sending, self.receiving = socket, AESGCM(sending), AESGCM(receiving)
        self.sent, self.received, self.handshake_hash = 0, 0, handshake_hash

    async def send(self, message, prefix=b""):
        """`prefix` stands before the padded part, as libwebauthn writes it."""
        zeros = 31 - len(message) % 32
        padded = prefix + message + bytes(zeros) + bytes([zeros])
        await self.socket.send(self.sending.encrypt(struct.pack(">QI", 0, self.sent), padded, b""))
        self.sent += 1

    async def receive(self):
        padded = self.receiving.decrypt(struct.pack(">QI", 0, self.received), await self.socket.recv(), b"")
        self.received += 1
        return padded[: -padded[-1] - 1]


async def respond(socket, private, client_static, psk):
    """The authenticator's handshake."""
    message = await socket.recv()
    assert len(message) == 81, len(message)
    noise = Noise(client_static, psk)
    noise.ephemeral(message[:65])
    noise.check(message[65:])
    noise.ephemeral(point(private.public_key()))
    noise.mix_key(private.exchange(ec.ECDH(), public_key(message[:65])))
    noise.mix_key(private.exchange(ec.ECDH(), public_key(client_static)))
    await socket.send(point(private.public_key()) + noise.tag())
    to_phone, to_client = noise.keys()
    return Channel(socket, to_client, to_phone, noise.h)


async def initiate(socket, static, psk):
    """The client's handshake."""
    private = ec.generate_private_key(ec.SECP256R1())
    noise = Noise(point(static.public_key()), psk)
    noise.ephemeral(point(private.public_key()))
    await socket.send(point(private.public_key()) + noise.tag())
    message = await socket.recv()
    assert len(message) == 81, len(message)
    noise.ephemeral(message[:65])
    noise.mix_key(private.exchange(ec.ECDH(), public_key(message[:65])))
    noise.mix_key(static.exchange(ec.ECDH(), public_key(message[:65])))
    noise.check(message[65:])
    to_phone, to_client = noise.keys()
    return Channel(socket, to_phone, to_client, noise.h)


def tunnel(service, path, ca, headers=()):
    """A WebSocket to a tunnel service, section 5.1."""
    context = ssl.create_default_context(cafile=ca) if service.startswith("wss:") else None
    url, named = f"{service}/cable/{path}", list(headers)
    return connect(url, subprotocols=["fido.cable"], ssl=context, max_size=1 << 20, additional_headers=named)


async def advertise(radio, advert, service=0xFFF9):
    """Sends an advert on the simulated radio until it is cancelled."""
    host, port = radio.rsplit(":", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        while True:
            sender.sendto(struct.pack(">H", service) + advert, (host, int(port)))
            await asyncio.sleep(0.1)


async def hear(radio, secret, salt=b""):
    """The plaintext of the first advert that opens."""
    host, port = radio.rsplit(":", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind((host, int(port)))
        listener.setblocking(False)
        while True:
            datagram = await asyncio.get_running_loop().sock_recv(listener, 512)
            plaintext = open_advert(secret, datagram[2:], salt)
            if plaintext:
                return plaintext


def read_code(url):
    """The contents of a QR code: client's public key, secret."""
    contents = cbor2.loads(bytes_of_digits(url.removeprefix("FIDO:/")))
    return point(public_key(contents[0])), contents[1]


def plaintext(routing_id, domain):
    return b"\0" + os.urandom(10) + routing_id + struct.pack("<H", domain)
