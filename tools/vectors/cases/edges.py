"""Edge cases of the cryptography, as Wycheproof has them: special keys, secrets, tags, nonces and counters."""

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reference import curve, linking, noise, secrets
from reference.curve import seeded

from .case import flipped

KEY = seeded("edges/key", 32)


def scalar(number):
    return (number % curve.N).to_bytes(32, "big")


def search(label, wanted):
    """The first private key of a row whose key or secret is as wanted; one in 256 is."""
    index = 0
    while not wanted(curve.private_key(f"edges/{label}/{index}")):
        index += 1
    return curve.private_key(f"edges/{label}/{index}")


def special_keys(pattern, run):
    """Key pairs that are valid and unusual: ``(slug, comment, changed keys)``."""
    e1, e2, static = run.e1, run.e2, run.static
    own_number = int.from_bytes(e1, "big")
    theirs = curve.public(e1)
    zero_shared = search(f"{pattern}/ee", lambda key: curve.shared(key, theirs)[0] == 0)
    # se in KNpsk0 is the phone's ephemeral and the client's static key, es in NKpsk0 the client's and the phone's.
    static_secret = "e2" if pattern == "KNpsk0" else "e1"
    zero_static = search(f"{pattern}/s", lambda key: curve.shared(key, run.static_public)[0] == 0)
    static_side = "e1" if pattern == "KNpsk0" else "e2"
    return (
        ("e1-one", "the client's ephemeral key is 1: its point is the generator", {"e1": scalar(1)}),
        ("e2-one", "the phone's ephemeral key is 1", {"e2": scalar(1)}),
        ("e1-last", "the client's ephemeral key is the order less 1", {"e1": scalar(-1)}),
        ("e2-last", "the phone's ephemeral key is the order less 1", {"e2": scalar(-1)}),
        ("static-one", "the static key is 1", {"static": scalar(1)}),
        ("same-ephemeral", "both ephemeral keys are the same", {"e2": e1}),
        ("negated-ephemeral", "the ephemeral points have the same X", {"e2": scalar(-own_number)}),
        ("inverse-ephemeral", "the ephemeral keys' secret is the generator's X", {"e2": scalar(pow(own_number, -1, curve.N))}),
        ("ephemeral-is-static", "one side uses its static key as ephemeral key", {static_side: static}),
        ("zero-byte-ee", "the secret of the ephemeral keys begins with a zero byte", {"e2": zero_shared}),
        ("zero-byte-static", "the secret with the static key begins with a zero byte", {static_secret: zero_static}),
        ("zero-byte-x", "the X of the client's point begins with a zero byte", {"e1": search("x", lambda k: curve.public(k)[1] == 0)}),
        ("zero-byte-y", "the Y of the phone's point begins with a zero byte", {"e2": search("y", lambda k: curve.public(k)[33] == 0)}),
        ("psk-zeros", "a pre-shared key of zeros", {"psk": bytes(32)}),
        ("psk-ones", "a pre-shared key of ones", {"psk": b"\xff" * 32}),
    )


def add_noise(layer, honest, make):
    for pattern in ("KNpsk0", "NKpsk0"):
        plain = make(pattern, f"{pattern}/edges")
        for slug, comment, keys in special_keys(pattern, plain):
            flags = [] if slug.startswith("psk") else ["curve"]
            honest(layer, pattern.lower(), slug, make(pattern, f"{pattern}/edges", **keys), comment, flags)


def add_transport(layer):
    plaintext = noise.pad(b"\x01\x04")
    frame = noise.seal_padded(KEY, 0, plaintext)

    def refuse(slug, comment, frame, flags=("tamper",), counter=0):
        given = {"key": KEY, "counter": counter, "frame": frame}
        layer.invalid(f"open-{slug}", comment, "6.1", "transport.open", given, "bad-tag", flags=list(flags))

    for index in range(noise.TAG_BYTES):
        bit = 8 * (len(frame) - noise.TAG_BYTES + index) + index % 8
        refuse(f"tag-byte-{index}", f"a bit of byte {index} of the tag flipped", flipped(frame, bit))
    body = frame[: -noise.TAG_BYTES]
    for slug, tag in (("zeros", bytes(16)), ("ones", b"\xff" * 16), ("reversed", frame[: -noise.TAG_BYTES - 1 : -1])):
        refuse(f"tag-{slug}", f"a tag of {slug}" if slug != "reversed" else "the tag's bytes in reverse", body + tag)
    refuse("tag-12-bytes", "a tag of 12 bytes, which GCM allows and the protocol does not", frame[:-4])
    refuse("tag-in-front", "the tag in front of the ciphertext", frame[-noise.TAG_BYTES :] + body)
    refuse("not-sealed", "the padded message and a tag of zeros", plaintext + bytes(16))
    for slug, nonce, comment in (
        ("little-endian-8", (1).to_bytes(8, "little") + bytes(4), "counter 1 in the first eight bytes, little-endian"),
        ("big-endian-first", (1).to_bytes(4, "big") + bytes(8), "counter 1 where the handshake has it"),
        ("middle", bytes(4) + (1).to_bytes(4, "big") + bytes(4), "counter 1 in the middle four bytes"),
        ("noise-rust", bytes(4) + (1).to_bytes(8, "little"), "counter 1 as Noise writes it for ChaChaPoly"),
        ("from-one", bytes(8) + (2).to_bytes(4, "big"), "a sender that counts from one"),
        ("constant", bytes(12), "a sender that does not count"),
        ("tls", bytes(4) + bytes([1]) * 8, "a nonce with other bytes set"),
    ):
        sealed = AESGCM(KEY).encrypt(nonce, plaintext, b"")
        refuse(f"nonce-{slug}", comment, sealed, ["order"], counter=1)
    for counter in (1, 255, 256, 65535, 65536, (1 << 24) - 1):
        for other in (counter - 1, counter ^ 1 << 23):
            sealed = noise.seal_padded(KEY, other, plaintext)
            slug = f"counter-{counter}-sealed-{other}"
            refuse(slug, f"sealed as number {other}, opened as number {counter}", sealed, ["order"], counter)
    for slug, data in (("zero", b"\x00"), ("two", b"\x02"), ("counter", bytes(4)), ("length", bytes([0, 32]))):
        sealed = AESGCM(KEY).encrypt(bytes(12), plaintext, data)
        refuse(f"data-{slug}", "additional data where none may be", sealed)
    for slug, key in (("zeros", bytes(32)), ("ones", b"\xff" * 32)):
        given = {"key": key, "counter": 0, "message": b"\x01\x04"}
        expected = {"frame": noise.seal(key, 0, b"\x01\x04")}
        layer.valid(f"seal-key-{slug}", f"a key of {slug}", "6.1", "transport.seal", given, expected)
    short = AESGCM(KEY[:16]).encrypt(bytes(12), plaintext, b"")
    refuse("aes-128", "sealed with AES-128 under half the key", short)


def add_adverts(layer, key, advert):
    """Each bit of the tag: whoever compares fewer than 32 bits takes some of them."""
    published = (128, 135, 136, 152, 159)
    for bit in range(128, 160):
        if bit not in published:
            comment = f"bit {bit} (in the tag) flipped"
            given = {"eid_key": key, "advert": flipped(advert, bit)}
            layer.invalid(f"open-tag-bit-{bit}", comment, "4.2", "advert.open", given, "bad-tag", flags=["tamper"])
    for slug, tag in (("zeros", bytes(4)), ("ones", b"\xff" * 4), ("reversed", advert[:15:-1])):
        given = {"eid_key": key, "advert": advert[:16] + tag}
        layer.invalid(f"open-tag-{slug}", f"a tag of {slug}", "4.2", "advert.open", given, "bad-tag", flags=["tamper"])
    last = secrets.hmac_sha256(key[32:], advert[:16])[-4:]
    given = {"eid_key": key, "advert": advert[:16] + last}
    comment = "the last four bytes of the code instead of the first"
    layer.invalid("open-tag-last-bytes", comment, "4.2", "advert.open", given, "bad-tag", flags=["tamper"])
    for slug, end in (
        ("0", "0000"), ("1", "0100"), ("2", "0200"), ("255", "ff00"), ("256", "0001"), ("512", "0002"), ("ffff", "ffff")
    ):  # fmt: skip
        random = seeded("edges/linked", 13) + bytes.fromhex(end)
        layer.valid(
            f"linked-plaintext-{slug}",
            "what a phone adverts in a state-assisted session: never a number that Chromium's client refuses",
            "4.1",
            "advert.linked-plaintext",
            {"random": random},
            {"plaintext": linking.linked_plaintext(random)},
            flags=["boundary"] if slug in ("1", "2", "255", "256") else [],
        )
    for count in (0, 14, 16):
        given = {"random": bytes(count)}
        comment = f"{count} random bytes"
        layer.invalid(f"linked-plaintext-{count}-bytes", comment, "4.1", "advert.linked-plaintext", given, "wrong-length")
