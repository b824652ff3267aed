"""Layer session: QR-initiated sessions that link, or try to (PROTOCOL.md 7.4)."""

from reference import cbor, curve, linking
from reference.curve import seeded

RULE = "7.4"
FILLER = linking.update()


class Offer:
    """What a phone offers; signed once its session is known."""

    def __init__(self, label, name="Phone", contact=None):
        self.root = seeded(f"session/{label}/root", 32)
        self.contact = contact or seeded(f"session/{label}/contact", 41)
        self.link, self.name = seeded(f"session/{label}/link", 8), name
        self.secret = linking.link_secret(self.root, self.contact, self.link)
        self.identity = linking.identity_key(self.root)

    def map(self, session, **change):
        client, digest = curve.public(session.static), bytes.fromhex(session.keys["handshake_hash"])
        return linking.linking_map(
            self.contact, self.link, self.secret, self.identity, self.name, client, digest
        ) | {int(key[1:]): value for key, value in change.items()}

    def inputs(self):
        return {"root_secret": self.root, "contact_id": self.contact, "link_id": self.link, "name": self.name}

    def taken(self, session):
        mapping = self.map(session)
        names = ("contact_id", "link_id", "link_secret", "public_key", "name")
        return dict(zip(names, (mapping[key] for key in range(1, 6)))) | {"domain_id": session.domain}


def add(layer):
    honest(layer)
    refused(layer)
    first_messages(layer)
    not_allowed(layer)


def new(label, **more):
    from .session import Session

    return Session(label, **({"linking": True} | more))


def client(layer, slug, comment, session, results, link=None, rule=RULE, **more):
    given, expected = session.client()
    given |= {"linking": session.linking}
    expected |= {"linking": results} | ({"link": link} if link else {})
    layer.valid(f"{slug}-client", comment, rule, "session.client", given, expected, **more)


def authenticator(layer, slug, comment, session, offer, failure=None, **more):
    given, expected = session.authenticator()
    given |= offer.inputs() if offer else {}
    if failure:
        layer.invalid(f"{slug}-authenticator", comment, RULE, "session.authenticator", given, failure, **more)
    else:
        layer.valid(f"{slug}-authenticator", comment, RULE, "session.authenticator", given, expected, **more)


def honest(layer):
    from .session import FIRST, REPLY, REQUEST, SHUTDOWN, A, C

    moments = {
        "at-once": [(A, FIRST), "offer", (C, REQUEST), (A, REPLY), (C, SHUTDOWN)],
        "while-asked": [(A, FIRST), (C, REQUEST), "offer", (A, REPLY), (C, SHUTDOWN)],
        "after-reply": [(A, FIRST), (C, REQUEST), (A, REPLY), "offer", (C, SHUTDOWN)],
        "after-shutdown": [(A, FIRST), (C, REQUEST), (A, REPLY), (C, SHUTDOWN), "offer"],
        "filler-before": [(A, FIRST), (A, FILLER), (C, REQUEST), (A, REPLY), (C, SHUTDOWN), "offer"],
        "filler-after": [(A, FIRST), "offer", (A, FILLER), (C, SHUTDOWN)],
    }
    for slug, steps in moments.items():
        play(layer, f"links-{slug}", f"the phone offers a link: {slug}", steps)
    at_once = moments["at-once"]
    play(layer, "links-domain-266", "the link is for the session's own domain", at_once, domain=266)
    play(layer, "links-name-54", "the one name for which no filler makes 512 bytes", at_once, name="n" * 54)
    play(layer, "links-contact-300", "a contact ID that needs 1024 bytes", at_once, contact=seeded("long", 300))
    session = new("links-filler").exchange((A, FIRST), (A, FILLER), (C, REQUEST), (A, REPLY), (C, SHUTDOWN))
    authenticator(layer, "links-filler", "nothing to link: filler of the same length", session, None)
    client(layer, "links-filler", "nothing to link", session, ["none", "none"])


def play(layer, slug, comment, steps, domain=0, **of_offer):
    from .session import A

    session, offer = new(slug, domain=domain), Offer(slug, **of_offer)
    update = (A, linking.update(offer.map(session)))
    steps = [update if step == "offer" else step for step in steps]
    session.exchange(*steps)
    results = ["verified" if step is update else "none" for step in steps if step[0] == A and step[1][:1] in b"\x02\xa1"]
    authenticator(layer, slug, comment, session, offer)
    client(layer, slug, comment, session, results, offer.taken(session))


def refused(layer):
    """Bad linking data is dropped and named; the request that follows is answered."""
    from .session import FIRST, REPLY, REQUEST, A, C

    other_session, other = new("links-other"), Offer("links-other")
    for slug, failure, change in (
        ("signature", "bad-signature", lambda s, o: o.map(s, _6=bytes(32))),
        ("other-session", "bad-signature", lambda s, o: o.map(other_session)),
        ("other-key", "bad-signature", lambda s, o: o.map(s, _4=curve.public(other.identity))),
        ("off-curve", "invalid-point", lambda s, o: o.map(s, _4=b"\x04" + bytes(64))),
        ("compressed", "wrong-length", lambda s, o: o.map(s, _4=curve.public(o.identity, True))),
        ("no-contact", "wrong-length", lambda s, o: o.map(s, _1=b"")),
        ("contact-4097", "wrong-length", lambda s, o: o.map(s, _1=bytes(4097))),
        ("link-id-9", "wrong-length", lambda s, o: o.map(s, _2=bytes(9))),
        ("secret-16", "wrong-length", lambda s, o: o.map(s, _3=bytes(16))),
        ("signature-31", "wrong-length", lambda s, o: o.map(s, _6=bytes(31))),
        ("name-bytes", "wrong-type", lambda s, o: o.map(s, _5=b"Phone")),
        ("empty", "missing-field", lambda s, o: {}),
        ("array", "wrong-type", lambda s, o: []),
        ("bytes", "wrong-type", lambda s, o: cbor.encode(o.map(s))),
    ):
        session, offer = new(f"links-bad/{slug}"), Offer(f"links-bad/{slug}")
        bad = b"\x02" + cbor.encode({1: change(session, offer)})
        session.exchange((A, FIRST), (C, REQUEST), (A, bad), (A, REPLY))
        comment = f"linking data that is dropped ({slug}); the session goes on"
        flags = {"bad-signature": ["tamper"], "invalid-point": ["curve"]}.get(failure, [])
        client(layer, f"links-bad-{slug}", comment, session, ["none", failure], certainty="disputed", flags=flags)
    again(layer)


def again(layer):
    from .session import FIRST, A

    session, offer = new("links-twice"), Offer("links-twice")
    good, second = offer.map(session), Offer("links-second").map(session)
    updates = [b"\x02" + cbor.encode({1: mapping}) for mapping in (good | {6: bytes(32)}, good, second, good)]
    session.exchange((A, FIRST), *((A, update) for update in updates))
    client(
        layer,
        "links-twice",
        "a bad map, a good one, a second good one, the first again: the first good one is the link",
        session,
        ["none", "bad-signature", "verified", "already-linked", "already-linked"],
        offer.taken(session),
        certainty="implied",
        flags=["order"],
    )
    session = new("links-offered-twice")
    updates = [linking.update(Offer("links-offered-twice").map(session))] * 2
    session.exchange((A, FIRST), *((A, update) for update in updates))
    comment = "a phone does not offer twice"
    offer = Offer("links-offered-twice")
    name = "links-offered-twice"
    authenticator(layer, name, comment, session, offer, "already-linked", certainty="implied", flags=["order"])


def first_messages(layer):
    """The older place for the linking map: key 2 of the first message."""
    from reference import messages

    from .session import INFO, REPLY, REQUEST, A, C

    for slug, padded, change in (
        ("links-first", False, None),
        ("links-first-bad", False, bytes(32)),
        ("links-revision-0", True, None),
        ("links-revision-0-bad", True, bytes(32)),
    ):
        session, offer = new(slug), Offer(slug)
        mapping = offer.map(session) | ({6: change} if change else {})
        first = cbor.encode({1: INFO, 2: mapping})
        steps = [(A, messages.pad_revision_0(first)), (C, REQUEST[1:]), (A, REPLY[1:])]
        session.exchange(*(steps if padded else [(A, first), (C, REQUEST), (A, REPLY)]))
        result, link = (["bad-signature"], None) if change else (["verified"], offer.taken(session))
        comment = "linking data in the first message" + (", of revision 0" if padded else "")
        rule = "7.5" if padded else "7.1"
        client(layer, slug, comment, session, result, link, rule=rule, certainty="second-hand")
    session, offer = new("links-first-and-update"), Offer("links-first-and-update")
    first = cbor.encode({1: INFO, 2: offer.map(session)})
    session.exchange((A, first), (A, linking.update(offer.map(session))))
    comment = "linking data in both places: the first counts"
    results = ["verified", "already-linked"]
    client(layer, "links-first-and-update", comment, session, results, offer.taken(session), certainty="implied")


def not_allowed(layer):
    from .session import FIRST, REPLY, REQUEST, A, C

    for slug, allowed in (("links-false", False), ("links-absent", None)):
        session, offer = new(slug, linking=allowed), Offer(slug)
        session.exchange((A, FIRST), (A, linking.update(offer.map(session))), (C, REQUEST), (A, REPLY))
        client(layer, slug, "good linking data that nobody asked for", session, ["none", "linking-not-offered"])
        session.exchange((A, FIRST), (A, linking.update(offer.map(session))))
        comment = f"a phone does not offer a link where key 4 is {slug[6:]}"
        authenticator(layer, slug, comment, session, offer, "linking-not-offered", flags=["order"])
        session.exchange((A, FIRST), (A, FILLER), (C, REQUEST), (A, REPLY))
        authenticator(layer, f"{slug}-filler", "but filler it may send", session, None)
