"""CTAP2 canonical CBOR: an encoder, and a strict decoder that names what is wrong."""

import struct

from . import Refused

MAX_DEPTH = 16  # far more than CTAP2's four, of which its own extensions make more
INDEFINITE = 31


class Raw(bytes):
    """Bytes that are already CBOR and are written as they are."""


def head(major, value):
    for limit, info, code in (
        (24, None, "B"),
        (1 << 8, 24, "B"),
        (1 << 16, 25, "H"),
        (1 << 32, 26, "I"),
        (1 << 64, 27, "Q"),
    ):
        if value < limit:
            if info is None:
                return bytes([major << 5 | value])
            return bytes([major << 5 | info]) + struct.pack(">" + code, value)
    raise ValueError(value)


def encode(item):
    if isinstance(item, Raw):
        return bytes(item)
    if item is None:
        return b"\xf6"
    if isinstance(item, bool):
        return b"\xf5" if item else b"\xf4"
    if isinstance(item, int):
        return head(0, item) if item >= 0 else head(1, -1 - item)
    if isinstance(item, bytes):
        return head(2, len(item)) + item
    if isinstance(item, str):
        data = item.encode()
        return head(3, len(data)) + data
    if isinstance(item, (list, tuple)):
        return head(4, len(item)) + b"".join(encode(x) for x in item)
    if isinstance(item, dict):
        pairs = sorted(((encode(k), encode(v)) for k, v in item.items()), key=lambda pair: key_order(pair[0]))
        return head(5, len(pairs)) + b"".join(k + v for k, v in pairs)
    raise TypeError(type(item))


def key_order(encoded):
    """CTAP2 order: by major type, then by encoded length, then by bytes."""
    return (encoded[0] >> 5, len(encoded), encoded)


def decode(data):
    item, end = decode_at(data, 0, 0)
    if end != len(data):
        raise Refused("trailing-bytes")
    return item


def take(data, at, count):
    if count > len(data) - at:
        raise Refused("truncated")
    return data[at : at + count], at + count


def argument(data, at):
    first, at = take(data, at, 1)
    info = first[0] & 31
    if info < 24:
        return first[0] >> 5, info, at
    if info == INDEFINITE and first[0] >> 5 in (2, 3, 4, 5):
        raise Refused("not-canonical", "an indefinite length")
    if info > 27:
        raise Refused("malformed", "a reserved form, or a break that ends nothing")
    raw, at = take(data, at, 1 << (info - 24))
    value = int.from_bytes(raw, "big")
    if first[0] >> 5 != 7 and value < (24 if info == 24 else 1 << (8 << (info - 25))):
        raise Refused("not-canonical", "a longer integer than needed")
    return first[0] >> 5, value, at


def decode_at(data, at, depth):
    start = at
    major, value, at = argument(data, at)
    if major == 0:
        return value, at
    if major == 1:
        return -1 - value, at
    if major == 2:
        return take(data, at, value)
    if major == 3:
        raw, at = take(data, at, value)
        try:
            return raw.decode("utf-8"), at
        except UnicodeDecodeError:
            raise Refused("invalid-text")
    if major in (4, 5):
        return container(data, at, major, value, depth + 1)
    if major == 7 and data[start] in (0xF4, 0xF5, 0xF6):
        return {0xF4: False, 0xF5: True, 0xF6: None}[data[start]], at
    if data[start] == 0xF8 and value < 32:
        raise Refused("malformed", "a simple value in the wrong form")
    raise Refused("unsupported", "a type that CTAP2 does not use")


def container(data, at, major, count, depth):
    if depth > MAX_DEPTH:
        raise Refused("too-deep")
    if count > len(data) - at:
        raise Refused("truncated")
    if major == 4:
        items = []
        for _ in range(count):
            item, at = decode_at(data, at, depth)
            items.append(item)
        return items, at
    mapping, last = {}, None
    for _ in range(count):
        begin = at
        key, at = decode_at(data, at, depth)
        order = key_order(data[begin:at])
        if last is not None and order <= last:
            raise Refused("duplicate-key" if order == last else "unsorted-keys")
        last = order
        value, at = decode_at(data, at, depth)
        mapping[typed(key)] = value
    return mapping, at


def typed(key):
    """A dictionary key under which ``1`` and ``True`` are different."""
    return (type(key).__name__, bytes(encode(key)))


def get(mapping, key):
    """The value under ``key``, or ``None``; and whether it is there."""
    name = typed(key)
    return mapping.get(name), name in mapping
