"""Layer session: what comes after a shutdown (PROTOCOL.md 7.3), and sessions with old peers (6.1, 7.5)."""

from reference import messages


def add(layer):
    endings(layer)
    old_peers(layer)


def play(label, *steps, old=False):
    from .session import Session

    return Session(label).exchange(*steps, old=old)


def accept(layer, slug, comment, rule, session, **more):
    given, expected = session.client()
    layer.valid(f"{slug}-client", comment, rule, "session.client", given, expected, **more)


def refuse(layer, side, slug, comment, rule, session, failure, **more):
    given, _ = getattr(session, side)()
    layer.invalid(f"{slug}-{side}", comment, rule, f"session.{side}", given, failure, **more)


def endings(layer):
    from .session import FIRST, REPLY, REQUEST, SHUTDOWN, UPDATE, A, C

    slug = "reply-after-shutdown"
    steps = [(A, FIRST), (C, REQUEST), (C, SHUTDOWN), (A, REPLY)]
    accept(layer, slug, "the reply to a request that the client has given up still arrives", "7.3", play(slug, *steps))
    slug = "request-after-shutdown"
    refuse(
        layer,
        "authenticator",
        slug,
        "a request after shutdown",
        "7.3",
        play(slug, (A, FIRST), (C, SHUTDOWN), (C, REQUEST)),
        "session-ended",
        certainty="implied",
        flags=["order"],
    )
    slug = "shutdown-twice"
    refuse(
        layer,
        "authenticator",
        slug,
        "a second shutdown",
        "7.3",
        play(slug, (A, FIRST), (C, SHUTDOWN), (C, SHUTDOWN)),
        "session-ended",
        certainty="implied",
        flags=["order"],
    )
    slug = "update-after-phone-shutdown"
    refuse(
        layer,
        "client",
        slug,
        "an update after the phone's own shutdown",
        "7.3",
        play(slug, (A, FIRST), (A, SHUTDOWN), (A, UPDATE)),
        "session-ended",
        certainty="disputed",
        flags=["order"],
    )


def old_peers(layer):
    """No public record of an old phone exists: these are made from the rules, and say so."""
    from .session import FIRST, REPLY, REQUEST, SHUTDOWN, UPDATE, A, C

    made = {"certainty": "second-hand", "flags": ["optional"]}
    padded, earlier = (messages.pad_revision_0(FIRST, block) for block in (512, 256))
    bare = [(C, REQUEST[1:]), (A, REPLY[1:])]
    for slug, comment, rule, steps, old in (
        (
            "old-construction",
            "a phone that seals in the old way, and speaks as today",
            "6.1",
            [(A, FIRST), (C, REQUEST), (A, REPLY), (C, SHUTDOWN)],
            True,
        ),
        (
            "old-construction-update",
            "the same with an update",
            "6.1",
            [(A, FIRST), (A, UPDATE), (C, REQUEST), (A, REPLY)],
            True,
        ),
        (
            "revision-0",
            "a phone of caBLE v2.0: padded first message, then bare CTAP",
            "7.5",
            [(A, padded), *bare],
            False,
        ),
        ("revision-0-256", "the same from before Chrome 99", "7.5", [(A, earlier), *bare], False),
        ("revision-0-old-construction", "both: revision 0 in the old construction", "7.5", [(A, padded), *bare], True),
        ("revision-0-two-requests", "two requests in revision 0", "7.5", [(A, padded), *bare, *bare], False),
    ):
        accept(layer, slug, comment, rule, play(slug, *steps, old=old), **made)
    for slug, comment, steps, failure in (
        (
            "revision-0-unasked",
            "an answer in revision 0 that nobody asked for",
            [(A, padded), bare[1]],
            "unexpected-message",
        ),
        ("revision-0-empty", "an answer in revision 0 of no bytes", [(A, padded), bare[0], (A, b"")], "empty"),
    ):
        refuse(layer, "client", slug, comment, "7.5", play(slug, *steps), failure, **made)
    for slug, comment, first, second in (
        ("old-then-new", "the phone changes from the old construction to the current", True, False),
        ("new-then-old", "the phone changes from the current construction to the old", False, True),
    ):
        steps = [(A, FIRST), (A, UPDATE)]
        session, other = play(slug, *steps, old=first), play(slug, *steps, old=second)
        session.sent[1] = other.sent[1]
        refuse(
            layer,
            "client",
            slug,
            comment,
            "6.1",
            session,
            "bad-tag",
            certainty="second-hand",
            flags=["optional", "order"],
        )
    slug = "old-construction-from-client"
    refuse(
        layer,
        "authenticator",
        slug,
        "a client that answers in another construction than it was spoken to",
        "6.1",
        play(slug, (A, FIRST), (C, REQUEST), old=True),
        "bad-tag",
        certainty="implied",
        flags=["order"],
    )
