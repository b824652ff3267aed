"""Layer session: state-assisted sessions (PROTOCOL.md 8)."""

from reference import cbor, curve, linking, noise, secrets
from reference.curve import seeded

from .session_linking import FILLER, Offer

RULE = "8"


class Linked:
    """One state-assisted session with all its keys, played by the reference; ``change`` makes the phone's side another."""

    def __init__(self, label, offer=None, hint="ga", random=None, phone=None, nonce=None):
        from .session import Session

        self.offer = offer or Offer(f"linked/{label}")
        self.phone = phone or self.offer
        self.nonce, self.hint = nonce or seeded(f"linked/{label}/nonce", 16), hint
        self.payload = linking.encode_request(self.offer.link, self.nonce, hint)
        self.e1 = curve.private_key(f"linked/{label}/initiator")
        self.e2 = curve.private_key(f"linked/{label}/responder")
        self.random = random or seeded(f"linked/{label}/random", 15)
        self.plaintext = linking.linked_plaintext(self.random)
        self.eid_key = secrets.eid_key(self.phone.secret, self.nonce)
        self.advert = secrets.seal(self.eid_key, self.plaintext)
        self.psk = secrets.derive(self.phone.secret, self.plaintext, secrets.PSK, 32)
        self.public = curve.public(self.offer.identity)
        self.message_1, state = noise.write_message_1("NKpsk0", self.psk, self.public, self.e1)
        self.message_2, self.keys = noise.answer("NKpsk0", self.psk, self.offer.identity, self.message_1, self.e2)
        assert noise.finish("NKpsk0", state, self.e1, None, self.message_2) == self.keys
        self.sent = []
        self.exchange, self.frames = (getattr(Session, name).__get__(self) for name in ("exchange", "frames"))

    def authenticator(self, **change):
        given, results = self.frames("authenticator")
        inputs = {
            "root_secret": self.phone.root,
            "contact_id": self.phone.contact,
            "payload": self.payload,
            "advert_random": self.random,
            "ephemeral_private": self.e2,
            "message_1": self.message_1,
            "frames": given,
        }
        return inputs | change, {
            "link_secret": self.phone.secret,
            "identity_private": self.phone.identity,
            "eid_key": self.eid_key,
            "plaintext": self.plaintext,
            "advert": self.advert,
            "psk": self.psk,
            "message_2": self.message_2,
            "results": results,
        } | self.keys

    def client(self, **change):
        given, results = self.frames("client")
        inputs = {
            "link_id": self.offer.link,
            "link_secret": self.offer.secret,
            "authenticator_public": self.public,
            "nonce": self.nonce,
            "hint": self.hint,
            "advert": self.advert,
            "ephemeral_private": self.e1,
            "message_2": self.message_2,
            "frames": given,
        }
        return inputs | change, {
            "payload": self.payload,
            "eid_key": self.eid_key,
            "plaintext": self.plaintext,
            "psk": self.psk,
            "message_1": self.message_1,
            "results": results,
        } | self.keys


def add(layer):
    honest(layer)
    after_qr(layer)
    updates(layer)
    refused(layer)


def both_sides(layer, slug, comment, session, **more):
    for side in ("authenticator", "client"):
        given, expected = getattr(session, side)()
        layer.valid(f"{slug}-{side}", f"{comment}; the {side}'s side", RULE, f"session.linked-{side}", given, expected, **more)


def honest(layer):
    from .session import SCRIPTS, A, C

    scripts = {name: SCRIPTS[name][1] for name in ("sign-in", "declined", "shutdown-at-once", "two-requests")}
    for name, steps in scripts.items():
        session = Linked(name).exchange(*steps)
        both_sides(layer, f"linked-{name}", f"without a QR code: {SCRIPTS[name][0]}", session)
    session = Linked("make-credential", hint="mc").exchange(*scripts["sign-in"])
    both_sides(layer, "linked-make-credential", "the hint is mc", session)
    for slug, end in (("domain-0", "0000"), ("domain-1", "0100"), ("domain-256", "0001"), ("domain-ffff", "ffff")):
        session = Linked(slug, random=seeded("linked/end", 13) + bytes.fromhex(end)).exchange(*scripts["declined"])
        both_sides(layer, f"linked-{slug}", "the advert's last bytes, which mean nothing here", session)
    for slug, end in (("domain-2", "0200"), ("domain-255", "ff00")):
        session = Linked(slug, random=seeded("linked/end", 13) + bytes.fromhex(end)).exchange(*scripts["declined"])
        comment = "the phone does not send last bytes that Chromium would refuse"
        both_sides(layer, f"linked-{slug}", comment, session, flags=["boundary"])
    advert_of_zeros(layer, scripts["declined"])
    for count in (1, 4096):
        offer = Offer("linked/contact", contact=seeded(f"linked/contact/{count}", count))
        session = Linked(f"contact-{count}", offer).exchange(*scripts["declined"])
        both_sides(layer, f"linked-contact-{count}", f"a contact ID of {count} bytes", session, flags=["boundary"])


def advert_of_zeros(layer, steps):
    """Clavertus' phone: all zeros. And one that Chromium's client would refuse, but a client should not."""
    for slug, plaintext, flags in (
        ("zeros", bytes(16), ["foreign"]),
        ("unassigned", bytes(14) + b"\x64\x00", ["lenient"]),
    ):
        session = Linked(f"plaintext-{slug}")
        session.plaintext = plaintext
        session.advert = secrets.seal(session.eid_key, plaintext)
        session.psk = secrets.derive(session.phone.secret, plaintext, secrets.PSK, 32)
        session.message_1, _ = noise.write_message_1("NKpsk0", session.psk, session.public, session.e1)
        session.message_2, session.keys = noise.answer(
            "NKpsk0", session.psk, session.offer.identity, session.message_1, session.e2
        )
        given, expected = session.exchange(*steps).client()
        name, comment = f"linked-plaintext-{slug}-client", f"an advert of another phone ({slug})"
        layer.valid(name, comment, RULE, "session.linked-client", given, expected, flags=flags)


def after_qr(layer):
    """A link is made in a session of the layer's other cases, and used twice."""
    from .session import SCRIPTS, Session

    qr, offer = Session("links-at-once", linking=True), Offer("links-at-once")
    assert offer.taken(qr)["link_secret"] == offer.secret
    for index in (1, 2):
        session = Linked(f"after-qr/{index}", offer).exchange(*SCRIPTS["sign-in"][1])
        comment = f"sign-in {index} with the link that session-links-at-once makes"
        both_sides(layer, f"linked-after-qr-{index}", comment, session)


def updates(layer):
    from .session import FIRST, REPLY, REQUEST, A, C

    session = Linked("update")
    data = b"\x02" + cbor.encode({1: session.offer.map(_as_client(session))})
    session.exchange((A, FIRST), (C, REQUEST), (A, FILLER), (A, data), (A, REPLY))
    given, expected = session.client(linking=False)
    layer.valid(
        "linked-update-client",
        "filler and linking data in a state-assisted session: the data is dropped, and the session goes on",
        RULE,
        "session.linked-client",
        given,
        expected | {"linking": ["none", "none", "linking-not-offered"]},
        certainty="implied",
        flags=["order"],
    )
    session = Linked("own-update").exchange((A, FIRST), (A, FILLER))
    given, _ = session.authenticator()
    layer.invalid(
        "linked-own-update-authenticator",
        "a phone sends no update in a state-assisted session",
        RULE,
        "session.linked-authenticator",
        given,
        "unexpected-message",
        flags=["order"],
    )


def _as_client(session):
    """What an offer needs of a QR-initiated session; here with the client's ephemeral key for want of a static one."""

    class Client:
        static, keys = session.e1, session.keys

    return Client


def refused(layer):
    from .session import FIRST, JSON_REQUEST, REPLY, REQUEST, A, C

    def refuse(side, slug, comment, given, failure, **more):
        layer.invalid(f"linked-{slug}-{side}", comment, RULE, f"session.linked-{side}", given, failure, **more)

    mine, other = Offer("linked/mine"), Offer("linked/other")
    good = Linked("refused", mine)
    bad_advert = {
        "other-phone": ("another phone's advert", Linked("refused", mine, phone=other)),
        "other-link": ("the advert of another link with the same phone", Linked("refused", mine, phone=_sibling(mine))),
        "old-nonce": ("an advert that answered an earlier nonce", Linked("refused", mine, nonce=seeded("old", 16))),
    }
    for slug, (comment, session) in bad_advert.items():
        refuse("client", f"advert-{slug}", comment, good.client(advert=session.advert)[0], "bad-tag", flags=["order"])
    secret = seeded("linked/not-the-secret", 32)
    refuse("client", "other-secret", "the wrong link secret", good.client(link_secret=secret)[0], "bad-tag")
    swapped = good.client(link_secret=_sibling(mine).secret)[0]
    refuse("client", "swapped-secrets", "the secrets of two links exchanged", swapped, "bad-tag", flags=["order"])
    relinked = good.client(authenticator_public=curve.public(other.identity))[0]
    refuse("client", "other-identity", "the key of another phone", relinked, "bad-tag", flags=["order"])
    for slug, change in (("short", {"advert": good.advert[:19]}), ("empty", {"advert": b""})):
        refuse("client", f"advert-{slug}", f"an advert that is {slug}", good.client(**change)[0], "too-short")
    reserved = secrets.seal(good.eid_key, b"\x01" + good.plaintext[1:])
    refuse("client", "reserved", "a first byte that is not zero", good.client(advert=reserved)[0], "reserved-byte")
    for count in (15, 17):
        given = good.client(nonce=bytes(count))[0]
        refuse("client", f"nonce-{count}", f"a nonce of {count} bytes", given, "wrong-length", flags=["boundary"])
    for hint in ("dcp", "dci"):
        refuse("client", f"hint-{hint}", f"the hint {hint}", good.client(hint=hint)[0], "unsupported-hint")
    for slug, link in (("other-link-id", _sibling(mine).link), ("zero-link-id", bytes(8))):
        payload = linking.encode_request(link, good.nonce, "ga")
        comment = "a payload with another link ID: the client's message 1 does not open"
        refuse("authenticator", slug, comment, good.authenticator(payload=payload)[0], "bad-tag", flags=["order"])
    payload = linking.encode_request(mine.link, seeded("other nonce", 16), "ga")
    given, expected = good.exchange((A, FIRST)).authenticator(payload=payload)
    eid_key = secrets.eid_key(mine.secret, seeded("other nonce", 16))
    layer.valid(
        "linked-other-nonce-authenticator",
        "a nonce that was changed on the way: another advert, which the client will not open; the handshake hangs on the "
        "advert's plaintext only",
        RULE,
        "session.linked-authenticator",
        given,
        expected | {"eid_key": eid_key, "advert": secrets.seal(eid_key, good.plaintext)},
        flags=["tamper"],
    )
    payload = linking.encode_request(mine.link, good.nonce, "mc")
    given, expected = good.authenticator(payload=payload)
    comment = "a hint that was changed on the way: nothing depends on it"
    operation = "session.linked-authenticator"
    layer.valid("linked-other-hint-authenticator", comment, RULE, operation, given, expected, flags=["tamper"])
    good.exchange()
    for slug, data, failure in (
        ("hint-dcp", cbor.encode({1: mine.link, 2: good.nonce, 3: "dcp"}), "unsupported-hint"),
        ("nonce-15", cbor.encode({1: mine.link, 2: bytes(15), 3: "ga"}), "wrong-length"),
        ("no-payload", b"", "invalid-cbor"),
    ):
        refuse("authenticator", f"payload-{slug}", f"a bad payload ({slug})", good.authenticator(payload=data)[0], failure)
    given = good.authenticator(contact_id=other.contact)[0]
    refuse("authenticator", "other-contact", "reached by another contact ID", given, "bad-tag", flags=["order"])
    given = good.authenticator(root_secret=other.root)[0]
    refuse("authenticator", "other-root", "another phone answers", given, "bad-tag", flags=["order"])
    for count in (0, 4097):
        given = good.authenticator(contact_id=bytes(count))[0]
        refuse("authenticator", f"contact-{count}-bytes", f"a contact ID of {count} bytes", given, "wrong-length")
    replay = Linked("refused-again", mine).authenticator(payload=good.payload, message_1=good.message_1)[0]
    comment = "the same call again, with the client's old message 1: the phone's new advert is not the old one"
    refuse("authenticator", "replayed", comment, replay, "bad-tag", flags=["order"])
    handshakes(refuse, good)
    steps = {
        "second-request": ("authenticator", [(A, FIRST), (C, REQUEST), (C, REQUEST)], "unexpected-message"),
        "json": ("authenticator", [(A, FIRST), (C, JSON_REQUEST)], "unexpected-message"),
        "unasked-reply": ("client", [(A, FIRST), (A, REPLY)], "unexpected-message"),
    }
    for slug, (side, frames, failure) in steps.items():
        given, _ = getattr(Linked(slug).exchange(*frames), side)()
        refuse(side, slug, "the order of messages is that of every session", given, failure, flags=["order"])


def handshakes(refuse, good):
    for side, field in (("authenticator", "message_1"), ("client", "message_2")):
        message = getattr(good, field)
        name = field.replace("_", " ")
        for slug, value, failure in (
            ("bit", message[:-1] + bytes([message[-1] ^ 1]), "bad-tag"),
            ("short", message[:-1], "wrong-length"),
            ("long", message + b"\x00", "wrong-length"),
            ("off-curve", message[:64] + bytes([message[64] ^ 1]) + message[65:], "invalid-point"),
            ("reflected", good.message_2 if side == "authenticator" else good.message_1, "bad-tag"),
        ):
            given = getattr(good, side)(**{field: value})[0]
            slug = f"{field.replace('_', '-')}-{slug}"
            refuse(side, slug, f"{name} is wrong ({slug})", given, failure, flags=["tamper"])


def _sibling(offer):
    """Another link of the same phone."""
    sibling = Offer("linked/sibling", contact=offer.contact)
    sibling.root, sibling.identity = offer.root, offer.identity
    sibling.secret = linking.link_secret(sibling.root, sibling.contact, sibling.link)
    return sibling
