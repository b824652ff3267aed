"""Every honest handshake again with the package noiseprotocol, to which P-256 is added here."""

import random
import warnings

from noise.backends.default.backend import DefaultNoiseBackend
from noise.connection import Keypair, NoiseConnection
from noise.functions.dh import DH
from noise.functions.keypair import KeyPair

from reference import curve, noise

RANDOM_RUNS = 50
warnings.filterwarnings("ignore", message="One of ephemeral keypairs is already set")


class P256Pair(KeyPair):
    @classmethod
    def from_private_bytes(cls, private_bytes):
        return cls(private=private_bytes, public=curve.public(private_bytes), public_bytes=curve.public(private_bytes))

    @classmethod
    def from_public_bytes(cls, public_bytes):
        return cls(public=public_bytes, public_bytes=public_bytes)


class P256Exchange(DH):
    klass = P256Pair
    dhlen = noise.POINT_BYTES

    def generate_keypair(self):
        raise NotImplementedError("ephemeral keys are given")

    def dh(self, private_key, public_key):
        return curve.shared(private_key, public_key)


class Backend(DefaultNoiseBackend):
    def __init__(self):
        super().__init__()
        self.diffie_hellmans["P256"] = P256Exchange
        self.keypairs["P256"] = P256Pair


def library(pattern, psk, static, e1, e2):
    """The same handshake, by the library."""
    sides = []
    for initiator in (True, False):
        side = NoiseConnection.from_name(f"Noise_{pattern}_P256_AESGCM_SHA256".encode(), backend=Backend())
        side.set_psks(psk)
        side.set_prologue(noise.PROLOGUE[pattern])
        (side.set_as_initiator if initiator else side.set_as_responder)()
        side.set_keypair_from_private_bytes(Keypair.EPHEMERAL, e1 if initiator else e2)
        if initiator == (pattern == "KNpsk0"):
            side.set_keypair_from_private_bytes(Keypair.STATIC, static)
        else:
            side.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, curve.public(static))
        side.start_handshake()
        sides.append(side)
    client, phone = sides
    first = bytes(client.write_message())
    phone.read_message(first)
    second = bytes(phone.write_message())
    client.read_message(second)
    return {
        "message_1": first.hex(),
        "message_2": second.hex(),
        "handshake_hash": client.get_handshake_hash().hex(),
        "client_to_authenticator_key": client.noise_protocol.cipher_state_encrypt.k.hex(),
        "authenticator_to_client_key": phone.noise_protocol.cipher_state_encrypt.k.hex(),
    }


def reference(pattern, psk, static, e1, e2):
    public = curve.public(static)
    first, _ = noise.write_message_1(pattern, psk, public, e1)
    second, keys = noise.answer(pattern, psk, public if pattern == "KNpsk0" else static, first, e2)
    return {"message_1": first.hex(), "message_2": second.hex()} | keys


def random_scalar():
    return (random.randrange(curve.N - 1) + 1).to_bytes(curve.COORDINATE, "big")


def compare(cases):
    """What differs, in the vectors and in some random runs."""
    wrong = []
    for case in cases:
        if case["operation"] != "noise.handshake":
            continue
        given = {k: v if k == "pattern" else bytes.fromhex(v) for k, v in case["input"].items()}
        found = library(
            given["pattern"],
            given["psk"],
            given["static_private"],
            given["initiator_ephemeral_private"],
            given["responder_ephemeral_private"],
        )
        if found != case["expected"]:
            wrong.append(f"{case['id']}: noiseprotocol disagrees")
    for run in range(RANDOM_RUNS):
        for pattern in noise.PROLOGUE:
            values = [random_scalar() for _ in range(4)]
            if library(pattern, *values) != reference(pattern, *values):
                wrong.append(f"{pattern}, random run {run}: noiseprotocol disagrees")
    return wrong
