"""Layer transport: frames that must be refused, frames in turn, and the old construction (PROTOCOL.md 6.1)."""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reference import noise
from reference.curve import seeded

from .case import flipped

RULE = "6.1"
KEY, OTHER = seeded("transport/key", 32), seeded("transport/other", 32)


def add(layer):
    refusals(layer)
    sequences(layer)
    old_construction(layer)


def refuse(layer, slug, comment, frame, failure, key=KEY, counter=0, **more):
    layer.invalid(
        f"open-{slug}",
        comment,
        RULE,
        "transport.open",
        {"key": key, "counter": counter, "frame": frame},
        failure,
        **more,
    )


def refusals(layer):
    frame = noise.seal(KEY, 0, b"\x01\x04")
    for count in (0, 1, 15):
        refuse(
            layer,
            f"{count}-bytes",
            f"{count} bytes: not even a tag",
            frame[:count],
            "too-short",
            flags=["boundary"] if count == 15 else [],
        )
    for count in (16, 17, 32, 47):
        refuse(layer, f"cut-{count}", f"the first {count} bytes of a frame", frame[:count], "bad-tag", flags=["tamper"])
    refuse(layer, "extended", "one byte behind the tag", frame + b"\x00", "bad-tag", flags=["tamper"])
    refuse(layer, "without-first", "the first byte is missing", frame[1:], "bad-tag", flags=["tamper"])
    for bit in (0, 9, 255, 256, 383):
        refuse(
            layer,
            f"bit-{bit}",
            f"bit {bit} of {len(frame) * 8} flipped",
            flipped(frame, bit),
            "bad-tag",
            flags=["tamper"],
        )
    refuse(layer, "zeros", "48 zero bytes", bytes(48), "bad-tag")
    refuse(layer, "wrong-key", "the other direction's key", frame, "bad-tag", key=OTHER)
    refuse(layer, "counter-ahead", "the receiver has already counted on", frame, "bad-tag", counter=1, flags=["order"])
    refuse(layer, "counter-behind", "a frame was lost", noise.seal(KEY, 1, b"\x01\x04"), "bad-tag", flags=["order"])
    refuse(
        layer,
        "counter-little-endian",
        "the counter little-endian in the last four bytes",
        _sealed(bytes(8) + b"\x01\x00\x00\x00"),
        "bad-tag",
        counter=1,
    )
    refuse(
        layer,
        "counter-first",
        "the counter in the first four bytes, as in the handshake",
        _sealed(b"\x00\x00\x00\x01" + bytes(8)),
        "bad-tag",
        counter=1,
    )
    refuse(
        layer,
        "additional-data",
        "sealed with additional data 02, as the old construction is",
        noise.seal(KEY, 0, b"\x01\x04", old=True),
        "bad-tag",
    )
    for counter in (noise.COUNTER_LIMIT, 2**32 - 1):
        nonce = bytes(8) + counter.to_bytes(4, "big")
        refuse(
            layer,
            f"counter-{counter}",
            f"counter {counter}: refuse to decrypt even a good frame",
            _sealed(nonce),
            "counter-exhausted",
            counter=counter,
            flags=["boundary"] if counter == noise.COUNTER_LIMIT else [],
        )
    refuse(layer, "empty-plaintext", "a good tag over nothing: no count byte", noise.seal_padded(KEY, 0, b""), "empty")
    refuse(
        layer,
        "bad-padding",
        "a good tag over a count larger than the plaintext",
        noise.seal_padded(KEY, 0, bytes(31) + b"\x20"),
        "bad-padding",
    )


def _sealed(nonce):
    return AESGCM(KEY).encrypt(nonce, noise.pad(b"\x01\x04"), b"")


def sequences(layer):
    messages = [seeded(f"sequence/{i}", 5 + 20 * i) for i in range(5)]
    frames = [noise.seal(KEY, i, m) for i, m in enumerate(messages)]
    layer.valid(
        "sequence-in-order",
        "five frames in order",
        RULE,
        "transport.sequence",
        {"key": KEY, "frames": frames},
        {"messages": messages},
    )
    same = [noise.seal(KEY, i, b"\x01\x04") for i in range(3)]
    layer.valid(
        "sequence-same-message",
        "one message three times: three different frames",
        RULE,
        "transport.sequence",
        {"key": KEY, "frames": same},
        {"messages": [b"\x01\x04"] * 3},
    )
    for slug, order, comment in (
        ("replay", [0, 0], "the same frame again"),
        ("replay-later", [0, 1, 2, 1], "an earlier frame again"),
        ("skip", [0, 2], "a frame is missing"),
        ("swapped", [1], "the second frame comes first"),
        ("restart", [0, 1, 0], "the counter does not start again"),
    ):
        layer.invalid(
            f"sequence-{slug}",
            comment,
            RULE,
            "transport.sequence",
            {"key": KEY, "frames": [frames[i] for i in order]},
            "bad-tag",
            flags=["order"],
        )


def old_construction(layer):
    for counter in (0, 1, 256):
        frame = noise.seal(KEY, counter, b"\x01\x04", old=True)
        layer.valid(
            f"old-counter-{counter}",
            "the old construction; made here, no public vector exists",
            RULE,
            "transport.open-old",
            {"key": KEY, "counter": counter, "frame": frame},
            {"message": b"\x01\x04"},
            flags=["optional"],
            certainty="second-hand",
        )
        layer.valid(
            f"old-seal-{counter}",
            "the old construction, sealed",
            RULE,
            "transport.seal-old",
            {"key": KEY, "counter": counter, "message": b"\x01\x04"},
            {"frame": frame},
            flags=["optional"],
            certainty="second-hand",
        )
    layer.invalid(
        "old-of-new",
        "a frame of the current construction is not one of the old",
        RULE,
        "transport.open-old",
        {"key": KEY, "counter": 0, "frame": noise.seal(KEY, 0, b"\x01\x04")},
        "bad-tag",
        flags=["optional"],
        certainty="second-hand",
    )
