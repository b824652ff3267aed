"""Layer session: sessions that go wrong at a given point, with the refusal that must follow."""


def add(layer):
    from .session import DC_FIRST, FIRST, JSON_REPLY, JSON_REQUEST, REPLY, REQUEST, UPDATE, A, C, Session

    def refuse(side, slug, comment, steps, failure, rule="7.2", change=None, **more):
        session = Session(f"refused/{slug}").exchange(*steps)
        if change:
            change(session)
        given, _ = getattr(session, side)()
        layer.invalid(f"{slug}-{side}", comment, rule, f"session.{side}", given, failure, **more)

    def last_frame(edit):
        def change(session):
            sender, plaintext, frame = session.sent[-1]
            session.sent[-1] = (sender, plaintext, edit(session, frame))

        return change

    refuse(
        "client",
        "first-message-typed",
        "the first message carries a type byte",
        [(A, b"\x01" + FIRST)],
        "invalid-cbor",
        rule="7.1",
    )
    refuse(
        "client",
        "first-message-no-info",
        "the first message lacks getInfo",
        [(A, b"\xa0")],
        "feature-mismatch",
        rule="7.1",
    )
    refuse(
        "client",
        "unasked-reply",
        "a CTAP message before any request",
        [(A, FIRST), (A, REPLY)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "client",
        "second-reply",
        "two replies to one request",
        [(A, FIRST), (C, REQUEST), (A, REPLY), (A, REPLY)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "client",
        "json-reply-to-ctap",
        "a reply of another type than the request",
        [(A, DC_FIRST), (C, REQUEST), (A, JSON_REPLY)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "client",
        "ctap-reply-to-json",
        "likewise, the other way round",
        [(A, DC_FIRST), (C, JSON_REQUEST), (A, REPLY)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "client", "unknown-type", "a message of type 4", [(A, FIRST), (C, REQUEST), (A, b"\x04\xa0")], "unknown-type"
    )
    refuse("client", "empty-message", "a frame that holds only padding", [(A, FIRST), (C, REQUEST), (A, b"")], "empty")
    refuse("authenticator", "unknown-type", "a message of type 4", [(A, FIRST), (C, b"\x04\xa0")], "unknown-type")
    refuse("authenticator", "empty-message", "a frame that holds only padding", [(A, FIRST), (C, b"")], "empty")
    refuse(
        "authenticator",
        "update-from-client",
        "the client sends an update",
        [(A, FIRST), (C, UPDATE)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "authenticator",
        "shutdown-with-payload",
        "shutdown with a payload",
        [(A, FIRST), (C, b"\x00\x01")],
        "non-empty-payload",
        certainty="implied",
    )
    refuse(
        "authenticator",
        "second-request",
        "a second request before the reply",
        [(A, FIRST), (C, REQUEST), (C, REQUEST)],
        "unexpected-message",
        flags=["order"],
    )
    refuse(
        "authenticator",
        "json-not-offered",
        "a JSON request, though the phone offers CTAP only",
        [(A, FIRST), (C, JSON_REQUEST)],
        "unexpected-message",
        certainty="implied",
        flags=["order"],
    )
    refuse(
        "client",
        "update-not-a-map",
        "an update whose payload is an array",
        [(A, FIRST), (A, b"\x02\x80")],
        "not-a-map",
        rule="7.4",
    )
    refuse(
        "authenticator",
        "bit-flip",
        "one bit of the request flipped",
        [(A, FIRST), (C, REQUEST)],
        "bad-tag",
        rule="6.1",
        change=last_frame(lambda s, f: bytes([f[0] ^ 1]) + f[1:]),
        flags=["tamper"],
    )
    refuse(
        "authenticator",
        "reflected",
        "the phone's own first frame comes back",
        [(A, FIRST), (C, REQUEST)],
        "bad-tag",
        rule="6.1",
        change=last_frame(lambda s, f: s.sent[0][2]),
        flags=["order"],
    )
    refuse(
        "client",
        "reflected",
        "the client's own request comes back",
        [(A, FIRST), (C, REQUEST), (A, REPLY)],
        "bad-tag",
        rule="6.1",
        change=last_frame(lambda s, f: s.sent[1][2]),
        flags=["order"],
    )
    refuse(
        "client",
        "replayed",
        "the first message again",
        [(A, FIRST), (A, UPDATE)],
        "bad-tag",
        rule="6.1",
        change=last_frame(lambda s, f: s.sent[0][2]),
        flags=["order"],
    )
    refuse(
        "client",
        "bad-padding",
        "a count larger than the plaintext",
        [(A, FIRST), (A, b"", bytes(31) + b"\x20")],
        "bad-padding",
        rule="6.1",
    )
    refuse("client", "no-plaintext", "a frame of a tag alone", [(A, FIRST), (A, b"", b"")], "empty", rule="6.1")
    refuse(
        "client",
        "short-frame",
        "a frame shorter than a tag",
        [(A, FIRST), (A, UPDATE)],
        "too-short",
        rule="6.1",
        change=last_frame(lambda s, f: f[:15]),
        flags=["tamper"],
    )

    def handshake(side, slug, comment, field, edit, failure):
        session = Session(f"refused/{slug}")
        setattr(session, field, edit(session))
        given, _ = getattr(session, side)()
        layer.invalid(f"{slug}-{side}", comment, "6", f"session.{side}", given, failure, flags=["tamper"])

    handshake(
        "authenticator",
        "other-advert",
        "message 1 was made after another advert",
        "message_1",
        lambda s: Session("another").message_1,
        "bad-tag",
    )
    handshake(
        "authenticator",
        "message-1-bit",
        "one bit of message 1's tag flipped",
        "message_1",
        lambda s: s.message_1[:-1] + bytes([s.message_1[-1] ^ 1]),
        "bad-tag",
    )
    handshake(
        "authenticator",
        "message-1-short",
        "message 1 is a byte short",
        "message_1",
        lambda s: s.message_1[:-1],
        "wrong-length",
    )
    handshake(
        "client",
        "message-2-bit",
        "one bit of message 2's tag flipped",
        "message_2",
        lambda s: s.message_2[:-1] + bytes([s.message_2[-1] ^ 1]),
        "bad-tag",
    )
    handshake(
        "client",
        "message-2-long",
        "message 2 is a byte long",
        "message_2",
        lambda s: s.message_2 + b"\x00",
        "wrong-length",
    )
    handshake(
        "client",
        "foreign-advert",
        "the advert is somebody else's",
        "advert",
        lambda s: Session("another").advert,
        "bad-tag",
    )
    for slug, edit, comment in (
        ("empty", lambda m: b"", "is empty"),
        ("point-alone", lambda m: m[:65], "is a point without a tag"),
        ("82-bytes", lambda m: m + b"\x00", "has one byte more"),
        ("twice", lambda m: m * 2, "is there twice"),
    ):
        handshake(
            "authenticator",
            f"message-1-{slug}",
            f"message 1 {comment}",
            "message_1",
            lambda s, e=edit: e(s.message_1),
            "wrong-length",
        )
        handshake(
            "client",
            f"message-2-{slug}",
            f"message 2 {comment}",
            "message_2",
            lambda s, e=edit: e(s.message_2),
            "wrong-length",
        )
    payload = "is honestly sealed over a payload of one byte, so 82 bytes"
    handshake(
        "authenticator",
        "message-1-payload",
        f"message 1 {payload}",
        "message_1",
        lambda s: s.with_payload()[0],
        "wrong-length",
    )
    handshake(
        "client",
        "message-2-payload",
        f"message 2 {payload}",
        "message_2",
        lambda s: s.with_payload()[1],
        "wrong-length",
    )
    handshake(
        "client",
        "message-2-reflected",
        "the client's own message 1 comes back",
        "message_2",
        lambda s: s.message_1,
        "bad-tag",
    )
