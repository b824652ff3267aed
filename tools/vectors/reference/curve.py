"""P-256 keys and points."""

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import Refused

N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
COORDINATE = 32


def _key(scalar):
    return ec.derive_private_key(int.from_bytes(scalar, "big"), ec.SECP256R1())


def public(scalar, compressed=False):
    form = PublicFormat.CompressedPoint if compressed else PublicFormat.UncompressedPoint
    return _key(scalar).public_key().public_bytes(Encoding.X962, form)


def load(point):
    """Checks an encoded point; refuses what is not a point of the curve."""
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except ValueError:
        raise Refused("invalid-point")


def uncompress(point):
    return load(point).public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def shared(scalar, point):
    return _key(scalar).exchange(ec.ECDH(), load(point))
