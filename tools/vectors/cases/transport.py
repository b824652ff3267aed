"""Layer transport: PROTOCOL.md 6.1. Refusals and sequences are in transport_refused.py."""

from reference import noise
from reference.curve import seeded

from . import edges, transport_refused
from .case import Layer

RULE = "6.1"
KEY = seeded("transport/key", 32)
LAST = noise.COUNTER_LIMIT - 1


def build():
    layer = Layer("transport", "transport", "Padding and sealing of the messages after the handshake.")
    padding(layer)
    unpadding(layer)
    sealing(layer)
    opening(layer)
    transport_refused.add(layer)
    edges.add_transport(layer)
    return layer


def padding(layer):
    for count in (*range(34), 62, 63, 64, 65, 511, 512, 1024):
        message = seeded("transport/message", count)
        flags = ["boundary"] if count in (0, 31, 32) else []
        layer.valid(
            f"pad-{count}",
            f"{count} bytes and {-(count + 1) % 32} zeros",
            RULE,
            "transport.pad",
            {"message": message},
            {"padded": noise.pad(message)},
            flags=flags,
        )


def unpadding(layer):
    def unpad(slug, comment, padded, **more):
        layer.valid(
            f"unpad-{slug}",
            comment,
            RULE,
            "transport.unpad",
            {"padded": padded},
            {"message": noise.unpad(padded)},
            **more,
        )

    for count in range(32):
        unpad(f"zeros-{count}", f"{count} zeros", noise.pad(seeded("transport/unpad", 31 - count)))
    for count in (32, 63, 127, 254, 255):
        unpad(
            f"count-{count}",
            f"a count of {count}: more than a block, but it fits (Firefox and microG refuse it)",
            noise.pad(b"\x01\x04", count),
            flags=["lenient"],
            certainty="disputed",
        )
    unpad(
        "not-multiple-33",
        "33 bytes: libwebauthn puts the type byte outside the padding",
        b"\x01" + noise.pad(b"\x04"),
        flags=["lenient", "foreign"],
    )
    unpad("not-multiple-65", "65 bytes, likewise", b"\x01" + noise.pad(seeded("t", 40)), flags=["lenient", "foreign"])
    unpad("one-byte", "the count byte alone, so an empty message", b"\x00", flags=["lenient", "boundary"])
    unpad("all-padding", "32 bytes of padding, so an empty message", bytes(31) + b"\x1f", flags=["boundary"])
    unpad("all-zero", "32 zero bytes: a count of zero, and 31 bytes of message", bytes(32))
    unpad(
        "dirty-zeros",
        "the dropped bytes are not zero: nobody looks",
        b"\x01\x04" + b"\xaa" * 29 + b"\x1d",
        flags=["lenient"],
    )
    layer.invalid("unpad-empty", "no plaintext at all", RULE, "transport.unpad", {"padded": b""}, "empty")
    for slug, padded in (
        ("one-byte", b"\x01"),
        ("32-in-32", bytes(31) + b"\x20"),
        ("255-in-32", bytes(31) + b"\xff"),
        ("64-in-64", bytes(63) + b"\x40"),
        ("two-bytes", b"\x00\x02"),
    ):
        layer.invalid(
            f"unpad-overlong-{slug}",
            "the count is larger than what is there",
            RULE,
            "transport.unpad",
            {"padded": padded},
            "bad-padding",
            flags=["boundary"],
        )


def sealing(layer):
    for counter in (0, 1, 255, 256, 65535, 65536, LAST):
        message = seeded(f"transport/seal/{counter}", 40)
        layer.valid(
            f"seal-counter-{counter}",
            f"counter {counter}, big-endian in the last four nonce bytes",
            RULE,
            "transport.seal",
            {"key": KEY, "counter": counter, "message": message},
            {"frame": noise.seal(KEY, counter, message)},
            flags=["boundary"] if counter in (0, LAST) else [],
        )
    for count in (0, 1, 31, 32, 1000, 16384):
        message = seeded("transport/lengths", count)
        layer.valid(
            f"seal-length-{count}",
            f"a message of {count} bytes",
            RULE,
            "transport.seal",
            {"key": KEY, "counter": 0, "message": message},
            {"frame": noise.seal(KEY, 0, message)},
        )
    for counter in (noise.COUNTER_LIMIT, 2**24 + 1, 2**31, 2**32 - 1):
        layer.invalid(
            f"seal-counter-{counter}",
            f"counter {counter}: refuse to encrypt",
            RULE,
            "transport.seal",
            {"key": KEY, "counter": counter, "message": b"\x00"},
            "counter-exhausted",
            flags=["boundary"] if counter == noise.COUNTER_LIMIT else [],
        )


def opened(layer, slug, comment, counter, frame, **more):
    layer.valid(
        f"open-{slug}",
        comment,
        RULE,
        "transport.open",
        {"key": KEY, "counter": counter, "frame": frame},
        {"message": noise.open_frame(KEY, counter, frame)},
        **more,
    )


def opening(layer):
    for counter in (0, 1, 256, 65536, LAST):
        opened(
            layer,
            f"counter-{counter}",
            f"counter {counter}",
            counter,
            noise.seal(KEY, counter, b"\x01\x04"),
            flags=["boundary"] if counter == LAST else [],
        )
    for count in (0, 31, 32, 4096):
        opened(
            layer,
            f"length-{count}",
            f"a message of {count} bytes",
            0,
            noise.seal(KEY, 0, seeded("transport/open", count)),
        )
    opened(layer, "smallest", "the smallest honest frame, 48 bytes", 0, noise.seal(KEY, 0, b"\x00"), flags=["boundary"])
    opened(
        layer,
        "libwebauthn",
        "a plaintext of 33 bytes: the type byte before the padded rest",
        0,
        noise.seal_padded(KEY, 0, b"\x01" + noise.pad(b"\x04")),
        flags=["lenient", "foreign"],
    )
    opened(
        layer,
        "512",
        "an update of exactly 512 bytes of plaintext",
        0,
        noise.seal_padded(KEY, 0, noise.pad(b"\x02" + seeded("update", 510))),
    )
    opened(
        layer,
        "count-200",
        "200 zeros at once",
        0,
        noise.seal_padded(KEY, 0, noise.pad(b"\x01\x04", 200)),
        flags=["lenient"],
        certainty="disputed",
    )
