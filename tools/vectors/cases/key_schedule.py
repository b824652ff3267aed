"""Layer key-schedule: PROTOCOL.md 3."""

from reference import secrets
from reference.curve import seeded

from . import key_linking
from .case import Layer

RULE = "3"
PURPOSES = {
    1: ("eid-key", 64, "EID key"),
    2: ("tunnel-id", 16, "tunnel ID"),
    3: ("psk", 32, "PSK"),
    4: ("paired-secret", 32, "paired secret"),
    5: ("identity-seed", 32, "identity key seed"),
    6: ("contact-secret", 32, "per-contact-ID secret"),
}


def build():
    layer = Layer("key-schedule", "keys", "HKDF-SHA-256 with a four-byte little-endian purpose; the keys of a phone's root secret.")
    secret, salt = seeded("keys/secret", 16), seeded("keys/salt", 16)

    def derive(slug, comment, purpose, length, secret=secret, salt=b"", **more):
        layer.valid(
            slug,
            comment,
            RULE,
            "key.derive",
            {"secret": secret, "salt": salt, "purpose": purpose, "length": length},
            {"output": secrets.derive(secret, salt, purpose, length)},
            **more,
        )

    for purpose, (slug, length, text) in PURPOSES.items():
        certainty = "certain" if purpose <= 3 else "second-hand"
        derive(slug, f"purpose {purpose}, {text}, no salt", purpose, length, certainty=certainty)
        derive(
            f"{slug}-salted",
            f"purpose {purpose}, {text}, a 16-byte salt",
            purpose,
            length,
            salt=salt,
            certainty=certainty,
        )
        derive(
            f"{slug}-zero-secret",
            f"{text} of a secret of zeros",
            purpose,
            length,
            secret=bytes(16),
            certainty=certainty,
        )
        derive(
            f"{slug}-long-secret",
            f"{text} of a 32-byte secret, as a link secret is",
            purpose,
            length,
            secret=seeded("keys/link", 32),
            salt=salt,
            certainty=certainty,
        )
    for length in (1, 15, 16, 31, 32, 33, 63, 64, 65, 96):
        derive(f"prefix-{length}", f"{length} bytes are the first of any longer output", 1, length)
    for length in (255, 256, 1000, 8160):
        derive(f"length-{length}", f"{length} bytes; HKDF ends at 8160", 1, length)
    for count in (31, 33, 63, 64, 65, 200):
        derive(f"salt-{count}", f"a salt of {count} bytes; HMAC's block has 64", 3, 32, salt=seeded("keys/salts", count))
    derive("empty-salt", "no salt is the same as ...", 2, 16)
    derive("zero-salt", "... a salt of 32 zero bytes", 2, 16, salt=bytes(32))
    derive("one-byte-salt", "a salt of one zero byte, which HMAC pads to the same key", 2, 16, salt=bytes(1))
    derive(
        "link-eid-key",
        "linked: link secret and client nonce",
        1,
        64,
        secret=seeded("keys/link", 32),
        salt=seeded("nonce", 16),
    )
    derive(
        "link-psk",
        "linked: link secret and advert plaintext",
        3,
        32,
        secret=seeded("keys/link", 32),
        salt=bytes(1) + seeded("keys/plaintext", 15),
    )
    derive(
        "psk-of-advert",
        "the salt is the advert's plaintext, not its sealed form",
        3,
        32,
        salt=bytes(1) + seeded("keys/advert", 15),
    )
    derive(
        "paired-secret-link-id",
        "the salt is an 8-byte link ID",
        4,
        32,
        secret=seeded("root", 32),
        salt=seeded("link-id", 8),
        certainty="second-hand",
    )
    derive(
        "contact-secret-contact-id",
        "the salt is a contact ID of 152 bytes, longer than HMAC's block",
        6,
        32,
        secret=seeded("root", 32),
        salt=seeded("contact", 152),
        certainty="second-hand",
    )
    key_linking.add(layer)
    return layer
