"""Layer linking: the linking map, its signature, and the update around it (PROTOCOL.md 7.4)."""

from reference import cbor, curve, linking
from reference.curve import seeded

from .case import Layer, flipped

RULE = "7.4"


class Signed:
    """An honest linking map, with everything that goes into it."""

    def __init__(self, label="0", **change):
        self.static = curve.private_key(f"linking/{label}/client")
        self.given = {
            "contact_id": seeded(f"linking/{label}/contact", 41),
            "link_id": seeded(f"linking/{label}/id", 8),
            "link_secret": seeded(f"linking/{label}/secret", 32),
            "identity_private": curve.private_key(f"linking/{label}/identity"),
            "name": "Phone",
            "client_public": curve.public(self.static),
            "handshake_hash": seeded(f"linking/{label}/hash", 32),
        } | change
        contact, link, secret, identity, name, client, digest = self.given.values()
        self.map = linking.linking_map(contact, link, secret, identity, name, client, digest)

    def verify_input(self, mapping=None, **change):
        encoded = cbor.encode(self.map if mapping is None else mapping)
        return {"map": encoded, "static_private": self.static, "handshake_hash": self.given["handshake_hash"]} | change

    def link(self):
        names = ("contact_id", "link_id", "link_secret", "public_key", "name")
        return dict(zip(names, (self.map[key] for key in range(1, 6))))


def build():
    layer = Layer("linking", "linking", "The linking map, its signature, and the update that carries it.")
    honest(layer)
    lenient(layer)
    fields(layer)
    points(layer)
    signatures(layer)
    return layer


def honest(layer):
    runs = {str(index): (Signed(str(index)), "an honest link") for index in range(5)}
    for count in (1, 200, 400, 4096):
        contact = seeded(f"linking/contact/{count}", count)
        runs[f"contact-{count}"] = (Signed(contact_id=contact), f"a contact ID of {count} bytes")
    names = {"empty": "", "two-scalars": "Zoë 𝄞", "54": "n" * 54, "128": "n" * 128}
    names |= {"129": "n" * 129, "cut-scalar": "n" * 127 + "ë", "cut-large": "𝄞" * 40, "quotes": 'a"\\\n'}
    for slug, name in names.items():
        about = "a name of 128 bytes or more is cut between two scalars" if len(name.encode()) > 127 else "a name"
        runs[f"name-{slug}"] = (Signed(name=name), f"{about} ({slug})")
    for slug, (run, comment) in runs.items():
        expected = {"signature": run.map[6], "map": cbor.encode(run.map), "update": linking.update(run.map)}
        layer.valid(f"encode-{slug}", f"{comment}: what the phone sends", RULE, "linking.encode", run.given, expected)
        layer.valid(
            f"verify-{slug}", f"{comment}: what the client takes", RULE, "linking.verify", run.verify_input(), run.link()
        )
    for slug, field, value in (
        ("contact-0", "contact_id", b""),
        ("contact-4097", "contact_id", bytes(4097)),
        ("link-id-7", "link_id", bytes(7)),
        ("link-id-9", "link_id", bytes(9)),
        ("secret-31", "link_secret", bytes(31)),
        ("secret-33", "link_secret", bytes(33)),
    ):
        given = Signed().given | {field: value}
        layer.invalid(f"encode-{slug}", "no map of a wrong length", RULE, "linking.encode", given, "wrong-length")
    off = Signed().given | {"client_public": flipped(Signed().given["client_public"], 519)}
    layer.invalid("encode-off-curve", "the client's key is off the curve", RULE, "linking.encode", off, "invalid-point")


def lenient(layer):
    run = Signed()
    for slug, more, comment, flags in (
        ("play-services", {999: True}, "Play Services' mark", ["foreign"]),
        ("unknown-key", {7: b"x"}, "an unknown key is ignored", ["lenient"]),
        ("text-key", {"x": None}, "an unknown key that is text is ignored", ["lenient"]),
    ):
        given = run.verify_input(run.map | more)
        layer.valid(f"verify-{slug}", comment, RULE, "linking.verify", given, run.link(), flags=flags)
    long = "n" * 1000
    cut = run.link() | {"name": linking.cut(long)}
    given = run.verify_input(run.map | {5: long})
    layer.valid("verify-long-name", "a long name is cut", RULE, "linking.verify", given, cut, certainty="implied")


def refuse(layer, slug, comment, run, mapping, failure, flags=(), **change):
    given = run.verify_input(mapping, **change)
    layer.invalid(f"verify-{slug}", comment, RULE, "linking.verify", given, failure, flags=flags)


def fields(layer):
    run = Signed()
    names = {1: "contact ID", 2: "link ID", 3: "link secret", 4: "public key", 5: "name", 6: "signature"}
    for key, name in names.items():
        missing = {number: value for number, value in run.map.items() if number != key}
        refuse(layer, f"without-{key}", f"no {name}", run, missing, "missing-field")
        wrong = {"integer": 1, "null": None, "array": [], "map": {}, "bool": True}
        wrong |= {"bytes": b"Phone"} if key == 5 else {"text": "Phone"}
        for kind, value in wrong.items():
            comment = f"the {name} is of another type: {kind}"
            refuse(layer, f"{key}-{kind}", comment, run, run.map | {key: value}, "wrong-type")
    lengths = {1: (0, 4097), 2: (0, 7, 9), 3: (0, 31, 33), 4: (0, 33, 64, 66), 6: (0, 4, 16, 31, 33)}
    for key, counts in lengths.items():
        for count in counts:
            value = (run.map[key] * 4097)[:count]
            comment = f"the {names[key]} has {count} bytes"
            refuse(layer, f"{key}-{count}-bytes", comment, run, run.map | {key: value}, "wrong-length", ["boundary"])
    refuse(layer, "empty", "an empty map", run, {}, "missing-field")
    shifted = {number + 1: value for number, value in run.map.items()}
    refuse(layer, "shifted", "all keys one too high", run, shifted, "missing-field", ["order"])


def points(layer):
    run = Signed()
    point = run.map[4]
    no_point = curve.x_without_point(int.from_bytes(point[1:33], "big"))
    prime = curve.P.to_bytes(32, "big")
    for slug, value, comment in (
        ("off-curve-y", flipped(point, 519), "a Y that does not fit"),
        ("off-curve-x", b"\x04" + no_point + point[33:], "an X that no point has"),
        ("zeros", bytes(65), "65 zeros"),
        ("04-zeros", b"\x04" + bytes(64), "04 and zeros: not a way to write infinity"),
        ("hybrid", bytes([6 | point[64] & 1]) + point[1:], "the hybrid form of a good point"),
        ("compressed-padded", curve.compress(point) + bytes(32), "a compressed point, filled up with zeros"),
        ("x-is-prime", b"\x04" + prime + point[33:], "an X that is the prime itself"),
        ("y-is-prime", b"\x04" + bytes(32) + prime, "a Y that is the prime itself"),
        ("ones", b"\x04" + b"\xff" * 64, "coordinates above the prime"),
    ):
        refuse(layer, f"point-{slug}", comment, run, run.map | {4: value}, "invalid-point", ["curve"])
    negated = run.map | {4: curve.negated(point)}
    layer.valid(
        "verify-point-negated",
        "the same X with the other Y gives the same Diffie-Hellman secret, so the signature holds; the link is to a key "
        "that nobody can use",
        RULE,
        "linking.verify",
        run.verify_input(negated),
        run.link() | {"public_key": negated[4]},
        flags=["curve"],
        certainty="implied",
    )


def signatures(layer):
    run, other = Signed(), Signed("1")

    def bad(slug, comment, mapping=None, flags=("tamper",), **change):
        refuse(layer, slug, comment, run, run.map if mapping is None else mapping, "bad-signature", list(flags), **change)

    for bit in (0, 7, 8, 100, 127, 128, 200, 255):
        bad(f"signature-bit-{bit}", f"bit {bit} of the signature flipped", run.map | {6: flipped(run.map[6], bit)})
    for slug, value in (("zeros", bytes(32)), ("ones", b"\xff" * 32)):
        bad(f"signature-{slug}", f"a signature of {slug}", run.map | {6: value})
    bad("signature-other-session", "signed for another session", handshake_hash=other.given["handshake_hash"], flags=["order"])
    bad("signature-other-client", "signed for another client's QR code", static_private=other.static, flags=["order"])
    bad("signature-other-key", "somebody else's key under this signature", run.map | {4: other.map[4]}, ["order"])
    bad("signature-of-other-map", "the signature of another map", run.map | {6: other.map[6]}, ["order"])
    bad("signature-client-key", "the client's own key comes back", run.map | {4: run.given["client_public"]}, ["order"])
    secret = curve.shared(run.static, run.map[4])
    wrong = {
        "secret-alone": secret,
        "roles-exchanged": linking.secrets.hmac_sha256(run.given["handshake_hash"], secret),
        "of-nothing": linking.secrets.hmac_sha256(secret, b""),
        "link-secret": linking.secrets.hmac_sha256(run.map[3], run.given["handshake_hash"]),
        "hashed-secret": linking.secrets.hmac_sha256(
            linking.secrets.hkdf(secret, b"", b"", 32), run.given["handshake_hash"]
        ),
    }
    for slug, value in wrong.items():
        bad(f"signature-{slug}", f"a plausible mistake in making the signature: {slug}", run.map | {6: value})
    # What is not signed, so that nobody thinks that it is.
    for key, field in ((1, "contact_id"), (2, "link_id"), (3, "link_secret"), (5, "name")):
        swapped = run.map | {key: other.map[key]}
        layer.valid(
            f"verify-unsigned-{key}",
            f"another {field.replace('_', ' ')} under the same signature: it covers only the session and the key",
            RULE,
            "linking.verify",
            run.verify_input(swapped),
            run.link() | {field: other.map[key]},
        )
