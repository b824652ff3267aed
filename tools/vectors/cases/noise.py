"""Layer noise: PROTOCOL.md 6. Both patterns, both sides. Messages that are too long are in the layer session."""

from reference import curve, noise
from reference.curve import seeded

from . import edges
from .case import Layer, flipped

RULE = "6"


class Run:
    """One honest handshake."""

    def __init__(self, pattern, label, psk=None, static=None, e1=None, e2=None):
        self.pattern = pattern
        self.psk = psk or seeded(f"noise/{label}/psk", 32)
        self.static = static or curve.private_key(f"noise/{label}/static")
        self.static_public = curve.public(self.static)
        self.e1 = e1 or curve.private_key(f"noise/{label}/initiator")
        self.e2 = e2 or curve.private_key(f"noise/{label}/responder")
        self.message_1, self.state = noise.write_message_1(pattern, self.psk, self.static_public, self.e1)
        self.message_2, self.keys = noise.answer(pattern, self.psk, self.responder_static(), self.message_1, self.e2)

    def responder_static(self):
        return self.static_public if self.pattern == "KNpsk0" else self.static

    def respond_input(self, **change):
        key = {"static_public": self.static_public} if self.pattern == "KNpsk0" else {"static_private": self.static}
        return (
            {"pattern": self.pattern, "psk": self.psk, "ephemeral_private": self.e2, "message_1": self.message_1}
            | key
            | change
        )

    def finish_input(self, **change):
        key = {"static_private": self.static} if self.pattern == "KNpsk0" else {"static_public": self.static_public}
        return (
            {"pattern": self.pattern, "psk": self.psk, "ephemeral_private": self.e1, "message_2": self.message_2}
            | key
            | change
        )


def build():
    layer = Layer("noise", "noise", "The handshakes Noise_KNpsk0 and Noise_NKpsk0 over P-256, AES-GCM and SHA-256.")
    for pattern in ("KNpsk0", "NKpsk0"):
        short = pattern.lower()
        for index in range(6):
            honest(layer, short, index, Run(pattern, f"{pattern}/{index}"))
        run, other = Run(pattern, f"{pattern}/0"), Run(pattern, f"{pattern}/1")
        message_1(layer, short, run, other)
        message_2(layer, short, run, other)
    crossed(layer)
    edges.add_noise(layer, honest, Run)
    return layer


def honest(layer, short, index, run, about="a whole handshake with fixed ephemeral keys", flags=()):
    given = {
        "pattern": run.pattern,
        "psk": run.psk,
        "static_private": run.static,
        "initiator_ephemeral_private": run.e1,
        "responder_ephemeral_private": run.e2,
    }
    layer.valid(
        f"{short}-handshake-{index}",
        about,
        RULE,
        "noise.handshake",
        given,
        {"message_1": run.message_1, "message_2": run.message_2} | run.keys,
        flags=flags,
    )
    layer.valid(
        f"{short}-respond-{index}",
        "the phone's side of it",
        RULE,
        "noise.respond",
        run.respond_input(),
        {"message_2": run.message_2} | run.keys,
    )
    layer.valid(
        f"{short}-finish-{index}", "the client's side of it", RULE, "noise.finish", run.finish_input(), run.keys
    )


def bad_points(point):
    off = curve.x_without_point(int.from_bytes(point[1:33], "big"))
    y = bytearray(point)
    y[64] ^= 1
    return (
        ("off-curve-y", bytes(y), "Y changed: not on the curve"),
        ("off-curve-x", b"\x04" + off + point[33:], "an X that no point has"),
        ("identity-zeros", bytes(65), "65 zero bytes"),
        ("identity-04-zeros", b"\x04" + bytes(64), "04 and zeros: (0, 0) is not on the curve"),
        ("coordinate-above-prime", b"\x04" + b"\xff" * 64, "coordinates not below the field's prime"),
        ("x-plus-prime", b"\x04" + curve.P.to_bytes(32, "big") + point[33:], "X equals the field's prime"),
        ("form-02", b"\x02" + point[1:], "form byte 02 in front of 64 bytes"),
        ("form-05", b"\x05" + point[1:], "form byte 05"),
        ("hybrid-form", bytes([6 | point[64] & 1]) + point[1:], "the hybrid form 06/07, which some libraries take"),
        ("compressed-padded", curve.compress(point) + bytes(32), "a compressed point and zeros"),
    )


def tampered(layer, slug, name, message, given, operation):
    """What both messages have in common: lengths, points, tags."""

    def refuse(what, comment, value, failure, **more):
        layer.invalid(f"{slug}-{what}", f"{name}: {comment}", RULE, operation, given(value), failure, **more)

    for count in (0, 1, 16, 33, 49, 64, 65, 66, 80):
        refuse(
            f"{count}-bytes",
            f"cut to {count} bytes",
            message[:count],
            "wrong-length",
            flags=["boundary"] if count == 80 else ["tamper"],
        )
    refuse(
        "compressed",
        "the point compressed, so 49 bytes",
        curve.compress(message[:65]) + message[65:],
        "wrong-length",
        flags=["curve"],
    )
    for what, point, comment in bad_points(message[:65]):
        refuse(what, comment, point + message[65:], "invalid-point", flags=["curve"])
    refuse(
        "negated-point",
        "the point with the other Y: on the curve, but not the one that was mixed in",
        curve.negated(message[:65]) + message[65:],
        "bad-tag",
        flags=["curve", "tamper"],
    )
    refuse(
        "other-point",
        "another good point",
        curve.public(curve.private_key("elsewhere")) + message[65:],
        "bad-tag",
        flags=["tamper"],
    )
    for bit in (65 * 8, 65 * 8 + 7, 81 * 8 - 1):
        refuse(f"tag-bit-{bit}", f"bit {bit} (in the tag) flipped", flipped(message, bit), "bad-tag", flags=["tamper"])
    refuse("zero-tag", "a tag of zeros", message[:65] + bytes(16), "bad-tag", flags=["tamper"])


def message_1(layer, short, run, other):
    tampered(layer, f"{short}-1", "message 1", run.message_1, lambda m: run.respond_input(message_1=m), "noise.respond")

    def refuse(what, comment, failure, **change):
        layer.invalid(
            f"{short}-1-{what}", f"message 1: {comment}", RULE, "noise.respond", run.respond_input(**change), failure
        )

    refuse(
        "wrong-psk", "the phone has another PSK: it is not the advert that the client opened", "bad-tag", psk=other.psk
    )
    refuse("zero-psk", "the phone has a PSK of zeros", "bad-tag", psk=bytes(32))
    key = {"static_public": other.static_public} if run.pattern == "KNpsk0" else {"static_private": other.static}
    refuse("wrong-static", "the phone has another static key", "bad-tag", **key)
    refuse("other-session", "message 1 of another session", "bad-tag", message_1=other.message_1)
    refuse("message-2", "the phone is sent its own message 2", "bad-tag", message_1=run.message_2)


def message_2(layer, short, run, other):
    tampered(layer, f"{short}-2", "message 2", run.message_2, lambda m: run.finish_input(message_2=m), "noise.finish")

    def refuse(what, comment, failure, **change):
        layer.invalid(
            f"{short}-2-{what}", f"message 2: {comment}", RULE, "noise.finish", run.finish_input(**change), failure
        )

    refuse("reflected", "the client's own message 1 comes back", "bad-tag", message_2=run.message_1)
    refuse("other-session", "message 2 of another session", "bad-tag", message_2=other.message_2)
    refuse("wrong-psk", "the client has another PSK", "bad-tag", psk=other.psk)
    refuse("wrong-ephemeral", "the client has forgotten its ephemeral key", "bad-tag", ephemeral_private=other.e1)
    if run.pattern == "KNpsk0":
        refuse("wrong-static", "the client has another static key", "bad-tag", static_private=other.static)
    else:
        refuse("wrong-static", "the client expects another phone", "bad-tag", static_public=other.static_public)


def crossed(layer):
    """One side plays the other pattern with the same keys."""
    kn, nk = Run("KNpsk0", "crossed"), Run("NKpsk0", "crossed")
    layer.invalid(
        "crossed-linked-to-qr",
        "a linked client meets a phone that expects the QR pattern",
        RULE,
        "noise.respond",
        kn.respond_input(message_1=nk.message_1),
        "bad-tag",
        flags=["order"],
    )
    layer.invalid(
        "crossed-qr-to-linked",
        "a QR client meets a phone that expects the linked pattern",
        RULE,
        "noise.respond",
        nk.respond_input(message_1=kn.message_1),
        "bad-tag",
        flags=["order"],
    )
    layer.invalid(
        "crossed-answer-to-qr",
        "the answer of the linked pattern to a QR client",
        RULE,
        "noise.finish",
        kn.finish_input(message_2=nk.message_2),
        "bad-tag",
        flags=["order"],
    )
    layer.invalid(
        "crossed-answer-to-linked",
        "the answer of the QR pattern to a linked client",
        RULE,
        "noise.finish",
        nk.finish_input(message_2=kn.message_2),
        "bad-tag",
        flags=["order"],
    )
