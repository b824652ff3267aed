"""P-256 points, by hand where a library would refuse what a test wants to make."""

import hashlib

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from . import Refused

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
COORDINATE = 32


def seeded(label, count):
    """``count`` bytes that depend on the label alone: the only randomness in these vectors."""
    out = b""
    while len(out) < count:
        out += hashlib.sha256(f"hybrid vectors/{label}/{len(out)}".encode()).digest()
    return out[:count]


def private_key(label):
    """A private scalar, 32 bytes."""
    return (int.from_bytes(seeded(f"scalar/{label}", 40), "big") % (N - 1) + 1).to_bytes(COORDINATE, "big")


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


def compress(point):
    return load(point).public_bytes(Encoding.X962, PublicFormat.CompressedPoint)


def shared(scalar, point):
    return _key(scalar).exchange(ec.ECDH(), load(point))


def has_point(x):
    """Whether some point of the curve has this X."""
    square = (x**3 - 3 * x + B) % P
    return pow(square, (P - 1) // 2, P) in (0, 1)


def x_without_point(start):
    """The first X from ``start`` on that no point has."""
    while has_point(start):
        start += 1
    return start.to_bytes(COORDINATE, "big")


def negated(point):
    """The uncompressed point with the other Y."""
    y = int.from_bytes(point[33:], "big")
    return point[:33] + (P - y).to_bytes(COORDINATE, "big")
