#!/usr/bin/env python3
"""Answers questions with the package `cryptography`, which carries a libcrypto of its own.

The argument is a file: a JSON array of objects with "ask" and hexadecimal arguments. One line of hexadecimal digits comes
out for each; "good" or "refused" where the question is about a signature or a tag.
Needs: pip install cryptography
"""

import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes, hmac, padding, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric import padding as rsa_padding
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CURVE = ec.SECP256R1()
OAKLEY_2 = int(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74020bbea63b139b22514a08798e3404dd"
    "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
    "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff", 16)
UNCOMPRESSED = (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
COMPRESSED = (serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)


def private(scalar):
    return ec.derive_private_key(int.from_bytes(scalar, "big"), CURVE)


def public(point):
    return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)


def hash_of(message):
    digest = hashes.Hash(hashes.SHA256())
    digest.update(message)
    return digest.finalize()


def code_of(key, message):
    code = hmac.HMAC(key, hashes.SHA256())
    code.update(message)
    return code.finalize()


def derive(secret, salt, info, count):
    return HKDF(hashes.SHA256(), int.from_bytes(count, "big"), salt, info).derive(secret)


def encrypt_block(key, block):
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(block) + encryptor.finalize()


def open_sealed(key, nonce, data, sealed):
    try:
        return AESGCM(key).decrypt(nonce, sealed, data)
    except InvalidTag:
        return "refused"


def scrypt(passphrase, salt, cost, count):
    return hashlib.scrypt(passphrase, salt=salt, n=1 << cost[0], r=cost[1], p=cost[2], maxmem=1 << 30, dklen=count[0])


def power(base, exponent):
    """In the Second Oakley Group, whose prime is that of RFC 2409 section 6.2."""
    return pow(int.from_bytes(base, "big"), int.from_bytes(exponent, "big"), OAKLEY_2).to_bytes(128, "big")


def cbc(key, vector):
    return Cipher(algorithms.AES(key), modes.CBC(vector))


def encrypt_cbc(key, vector, message):
    padder = padding.PKCS7(128).padder()
    encryptor = cbc(key, vector).encryptor()
    return encryptor.update(padder.update(message) + padder.finalize()) + encryptor.finalize()


def verify(point, signature, message):
    try:
        public(point).verify(signature, message, ec.ECDSA(hashes.SHA256()))
        return "good"
    except InvalidSignature:
        return "refused"


PKCS1 = (rsa_padding.PKCS1v15(), hashes.SHA256())


def verify_ed25519(key, signature, message):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return "good"
    except InvalidSignature:
        return "refused"


def verify_rsa(info, signature, message):
    try:
        serialization.load_der_public_key(info).verify(signature, message, *PKCS1)
        return "good"
    except InvalidSignature:
        return "refused"


def sign_rsa(pkcs8, message):
    return serialization.load_der_private_key(pkcs8, None).sign(message, *PKCS1)


def rsa_public(pkcs8):
    return serialization.load_der_private_key(pkcs8, None).public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


ANSWERS = {
    "scrypt": scrypt,
    "power": power,
    "encrypt-cbc": encrypt_cbc,
    "hash": hash_of,
    "code": code_of,
    "derive": derive,
    "encrypt-block": encrypt_block,
    "seal": lambda key, nonce, data, plaintext: AESGCM(key).encrypt(nonce, plaintext, data),
    "open": open_sealed,
    "public": lambda scalar: private(scalar).public_key().public_bytes(*UNCOMPRESSED),
    "compressed": lambda point: public(point).public_bytes(*COMPRESSED),
    "uncompressed": lambda point: public(point).public_bytes(*UNCOMPRESSED),
    "shared": lambda scalar, point: private(scalar).exchange(ec.ECDH(), public(point)),
    "sign": lambda scalar, message: private(scalar).sign(message, ec.ECDSA(hashes.SHA256())),
    "verify": verify,
    "public-ed25519": lambda seed: Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw(),
    "sign-ed25519": lambda seed, message: Ed25519PrivateKey.from_private_bytes(seed).sign(message),
    "verify-ed25519": verify_ed25519,
    "public-rsa": rsa_public,
    "sign-rsa": sign_rsa,
    "verify-rsa": verify_rsa,
}

with open(sys.argv[1]) as file:
    for question in json.load(file):
        answer = ANSWERS[question["ask"]](*map(bytes.fromhex, question["arguments"]))
        print(answer if isinstance(answer, str) else answer.hex())
