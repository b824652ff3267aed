"""Layer key-schedule: what a phone makes of its root secret (PROTOCOL.md 3, purposes 4 to 6)."""

from reference import curve, linking
from reference.curve import seeded

RULE = "3"
BORINGSSL = "google/boringssl crypto/fipsmodule/ec/ec_test.cc DeriveFromSecret"
PUBLISHED = {
    "": "b98a86a71efb51ebdac4759937b977e9b0c05224675bb2b6a58ba306e237f4b8",
    "123456": "44a72bc62087b88e5ab7126766177ed0d8f1ed09ad066cd746527fc201105a7e",
    "00" * 16: "7ca1e2c83e6a5f2c1b3e7d58180226f269930c4b9fbe2a275096079630b7c57d",
    "de9c9b35543aaa0fba039e34e8ca9695da3225c7161c9e3a8c70356cac28c780": (
        "659f5abf3b62b9931c29d6ed0722efd2349fa56f54e708cf3272f620f1bc44d0"
    ),
}


def points(private):
    return {"private_key": private, "public_key": curve.public(private)}


def add(layer):
    for index, (seed, private) in enumerate(PUBLISHED.items()):
        seed, private = bytes.fromhex(seed), bytes.fromhex(private)
        assert linking.expand(seed, linking.IDENTITY_INFO) == private
        layer.valid(
            f"expand-published-{index}",
            "BoringSSL's EC_KEY_derive_from_secret",
            RULE,
            "key.expand-p256",
            {"seed": seed, "info": linking.IDENTITY_INFO},
            points(private),
            source=BORINGSSL,
            flags=["published"],
        )
    seed = seeded("keys/expand", 32)
    for slug, info in (("no-info", ""), ("other-info", "x"), ("contact-info", linking.CONTACT_INFO)):
        given = {"seed": seed, "info": info}
        comment = f"another info gives another key ({slug})"
        layer.valid(f"expand-{slug}", comment, RULE, "key.expand-p256", given, points(linking.expand(seed, info)))
    roots = {str(index): seeded(f"keys/root/{index}", 32) for index in range(4)}
    roots |= {"zeros": bytes(32), "ones": b"\xff" * 32}
    for slug, root in roots.items():
        given = {"root_secret": root}
        expected = {"seed": linking.identity_seed(root)} | points(linking.identity_key(root))
        about = "the identity key of a root secret"
        layer.valid(f"identity-{slug}", about, RULE, "root.identity-key", given, expected, certainty="second-hand")
        layer.valid(
            f"contact-key-{slug}",
            "the contact key of a root secret: this project's own",
            RULE,
            "root.contact-key",
            given,
            points(linking.contact_key(root)),
            certainty="implied",
            flags=["optional"],
        )
    secrets_of_links(layer)
    for count in (0, 16, 31, 33):
        for name in ("identity-key", "contact-key"):
            comment = f"a root secret has 32 bytes, not {count}"
            flags = ["optional"] if name == "contact-key" else []
            given = {"root_secret": bytes(count)}
            slug = f"{name}-root-{count}-bytes"
            layer.invalid(slug, comment, RULE, f"root.{name}", given, "wrong-length", flags=flags, certainty="implied")


def secrets_of_links(layer):
    root, contact, link = seeded("keys/root/0", 32), seeded("keys/contact", 41), seeded("keys/link-id", 8)

    def secret(slug, comment, root=root, contact=contact, link=link):
        expected = {
            "contact_secret": linking.contact_secret(root, contact),
            "link_secret": linking.link_secret(root, contact, link),
        }
        given = {"root_secret": root, "contact_id": contact, "link_id": link}
        layer.valid(f"link-{slug}", comment, RULE, "root.link-secret", given, expected, certainty="second-hand")

    secret("secret", "the secret of one link")
    secret("other-link", "of another link with the same contact ID", link=seeded("keys/link-id/1", 8))
    secret("other-contact", "of the same link ID with another contact ID", contact=seeded("keys/contact/1", 41))
    secret("other-root", "of another phone", root=seeded("keys/root/1", 32))
    secret("zeros", "zeros everywhere", bytes(32), bytes(41), bytes(8))
    secret("day-number", "a link ID as account synchronisation makes it: a day and four zeros", link=bytes.fromhex("e14d0000") + bytes(4))
    for count in (1, 64, 65, 4096):
        secret(f"contact-{count}", f"a contact ID of {count} bytes", contact=seeded(f"keys/contact/{count}", count))
    good = {"root_secret": root, "contact_id": contact, "link_id": link}
    for slug, field, count in (
        ("contact-0", "contact_id", 0),
        ("contact-4097", "contact_id", 4097),
        ("link-id-7", "link_id", 7),
        ("link-id-9", "link_id", 9),
        ("root-31", "root_secret", 31),
        ("root-33", "root_secret", 33),
    ):
        given = good | {field: bytes(count)}
        comment = f"{count} bytes of {field.replace('_', ' ')}"
        layer.invalid(f"link-{slug}-bytes", comment, RULE, "root.link-secret", given, "wrong-length", flags=["boundary"])
