"""Both Noise patterns (the article NoiseHandshake) and the transport phase (Framing)."""

import hashlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from . import Refused, curve
from .secrets import hkdf

MESSAGE_BYTES, POINT_BYTES, TAG_BYTES, BLOCK = 81, 65, 16, 32
COUNTER_LIMIT = 1 << 24
PROLOGUE = {"KNpsk0": b"\x01", "NKpsk0": b"\x00"}


class State:
    """The symmetric state, after the prologue, the pre-message and the PSK."""

    def __init__(self, pattern, static_public, psk, prologue=None):
        name = f"Noise_{pattern}_P256_AESGCM_SHA256".encode()
        self.h = self.ck = name + bytes(32 - len(name))
        self.k, self.n = None, 0
        self.mix_hash(PROLOGUE[pattern] if prologue is None else prologue)
        self.mix_hash(static_public)
        self.ck, t, self.k = self._three(psk)
        self.mix_hash(t)

    def _three(self, ikm):
        out = hkdf(ikm, self.ck, b"", 96)
        return out[:32], out[32:64], out[64:]

    def mix_hash(self, data):
        self.h = hashlib.sha256(self.h + data).digest()

    def mix_key(self, ikm):
        out = hkdf(ikm, self.ck, b"", 64)
        self.ck, self.k, self.n = out[:32], out[32:], 0

    def mix_point(self, point):
        self.mix_hash(point)
        self.mix_key(point)

    def _nonce(self):
        return self.n.to_bytes(4, "big") + bytes(8)

    def encrypt(self):
        """The tag of an empty payload, which is all that either message carries."""
        sealed = AESGCM(self.k).encrypt(self._nonce(), b"", self.h)
        self.mix_hash(sealed)
        self.n += 1
        return sealed

    def decrypt(self, sealed):
        try:
            plaintext = AESGCM(self.k).decrypt(self._nonce(), sealed, self.h)
        except InvalidTag:
            raise Refused("bad-tag")
        self.mix_hash(sealed)
        self.n += 1
        return plaintext

    def split(self):
        out = hkdf(b"", self.ck, b"", 64)
        return {
            "handshake_hash": self.h.hex(),
            "client_to_authenticator_key": out[:32].hex(),
            "authenticator_to_client_key": out[32:].hex(),
        }


def write_message_1(pattern, psk, static_public, ephemeral, prologue=None):
    """The client's message; its state waits for message 2."""
    state = State(pattern, static_public, psk, prologue)
    point = curve.public(ephemeral)
    state.mix_point(point)
    if pattern == "NKpsk0":
        state.mix_key(curve.shared(ephemeral, static_public))
    return point + state.encrypt(), state


def read(state, message):
    if len(message) != MESSAGE_BYTES:
        raise Refused("wrong-length")
    point = message[:POINT_BYTES]
    if point[0] != 4:
        raise Refused("invalid-point")
    curve.load(point)
    state.mix_point(point)
    return point, message[POINT_BYTES:]


def answer(pattern, psk, static, message_1, ephemeral, prologue=None):
    """The phone's side: message 1 in, message 2 and the keys out.

    ``static``: KNpsk0: the client's public key; NKpsk0: the phone's private key."""
    state = State(pattern, static if pattern == "KNpsk0" else curve.public(static), psk, prologue)
    point, sealed = read(state, message_1)
    if pattern == "NKpsk0":
        state.mix_key(curve.shared(static, point))
    state.decrypt(sealed)
    mine = curve.public(ephemeral)
    state.mix_point(mine)
    state.mix_key(curve.shared(ephemeral, point))
    if pattern == "KNpsk0":
        state.mix_key(curve.shared(ephemeral, static))
    message_2 = mine + state.encrypt()
    return message_2, state.split()


def finish(pattern, state, ephemeral, static_private, message_2):
    """The client's side: message 2 in, the keys out. ``static_private`` is for KNpsk0 only."""
    point, sealed = read(state, message_2)
    state.mix_key(curve.shared(ephemeral, point))
    if pattern == "KNpsk0":
        state.mix_key(curve.shared(static_private, point))
    state.decrypt(sealed)
    return state.split()


def pad(message):
    zeros = -(len(message) + 1) % BLOCK
    return message + bytes(zeros) + bytes([zeros])


def unpad(padded):
    if not padded:
        raise Refused("empty")
    count = padded[-1] + 1
    if count > len(padded):
        raise Refused("bad-padding")
    return padded[:-count]


def nonce(counter, old=False):
    if counter >= COUNTER_LIMIT:
        raise Refused("counter-exhausted")
    return counter.to_bytes(4, "little") + bytes(8) if old else bytes(8) + counter.to_bytes(4, "big")


OLD_DATA = b"\x02"


def seal(key, counter, message, old=False):
    return AESGCM(key).encrypt(nonce(counter, old), pad(message), OLD_DATA if old else b"")


def open_frame(key, counter, frame, old=False):
    number = nonce(counter, old)
    if len(frame) < TAG_BYTES:
        raise Refused("too-short")
    try:
        return unpad(AESGCM(key).decrypt(number, frame, OLD_DATA if old else b""))
    except InvalidTag:
        raise Refused("bad-tag")
