internal import CBOR
internal import HybridProtocol
internal import JSON
internal import TestVectors

// State-assisted sessions that end in a refusal, and changes on the way that are not noticed (PROTOCOL.md 8).

extension SessionCases {
    mutating func addRefusedLinked() throws {
        let link = try CraftedLink("linked/mine", seed)
        let session = try linked("refused", link)
        let other = try CraftedLink("linked/other", seed)
        try refuseAdverts(session, other)
        try refuseKeys(session, other)
        try refuseClientInputs(session)
        try refuseLinkIDs(session)
        try addChangedPayloads(session)
        try refusePayloads(session)
        try refusePhones(session, other)
        try refuseLinkedHandshakes(session)
        try refuseLinkedOrder()
    }

    private mutating func refuse(
        _ side: SessionSide, _ slug: String, _ comment: String, session: LinkedSession,
        field: String, value: JSONValue, failure: String, flags: [CaseFlag] = []
    ) throws {
        try refuse(
            side, "linked-\(slug)", comment, rule: Self.linkedRule, session: session,
            changing: CaseFields([.init(field, value)]), failure: failure, flags: flags)
    }

    /// Adverts that are not for this link and this nonce.
    private mutating func refuseAdverts(_ session: LinkedSession, _ other: CraftedLink) throws {
        let link = session.link
        let adverts: [(slug: String, comment: String, session: LinkedSession)] = [
            ("other-phone", "another phone's advert", try LinkedSession("refused", seed, link, answering: other)),
            (
                "other-link", "the advert of another link with the same phone",
                try LinkedSession("refused", seed, link, answering: link.sibling(seed))
            ),
            (
                "old-nonce", "an advert that answered an earlier nonce",
                try LinkedSession("refused", seed, link, nonce: seed.bytes("old", ClientNonce.byteCount))
            ),
        ]
        for (slug, comment, answer) in adverts {
            try refuse(
                .client, "advert-\(slug)", comment, session: session, field: "advert", value: .hex(answer.advert),
                failure: "bad-tag", flags: [.order])
        }
    }

    /// Keys of another link, at the client.
    private mutating func refuseKeys(_ session: LinkedSession, _ other: CraftedLink) throws {
        let wrongSecret = try seed.bytes("linked/not-the-secret", LinkSecret.byteCount)
        try refuse(
            .client, "other-secret", "the wrong link secret", session: session, field: "link_secret",
            value: .hex(wrongSecret), failure: "bad-tag")
        try refuse(
            .client, "swapped-secrets", "the secrets of two links exchanged", session: session, field: "link_secret",
            value: .hex(session.link.sibling(seed).secret), failure: "bad-tag", flags: [.order])
        try refuse(
            .client, "other-identity", "the key of another phone", session: session, field: "authenticator_public",
            value: .hex(other.identityPublicKey), failure: "bad-tag", flags: [.order])
    }

    private mutating func refuseClientInputs(_ session: LinkedSession) throws {
        for (slug, advert) in [("short", Array(session.advert.dropLast())), ("empty", [])] {
            try refuse(
                .client, "advert-\(slug)", "an advert that is \(slug)", session: session, field: "advert",
                value: .hex(advert), failure: "too-short")
        }
        let reserved = session.plaintext.bytes.flippingLowestBit(ofByte: 0)
        try refuse(
            .client, "reserved", "a first byte that is not zero", session: session, field: "advert",
            value: .hex(CraftedAdvert(reserved, eidKey: session.eidKey).bytes), failure: "reserved-byte")
        for count in [ClientNonce.byteCount - 1, ClientNonce.byteCount + 1] {
            try refuse(
                .client, "nonce-\(count)", "a nonce of \(count) bytes", session: session, field: "nonce",
                value: .hex([UInt8].zeros(count)),
                failure: "wrong-length", flags: [.boundary])
        }
        for hint in [RequestHint.digitalCredentialPresentation, .digitalCredentialIssuance] {
            let hint = hint.rawValue
            try refuse(
                .client, "hint-\(hint)", "the hint \(hint)", session: session, field: "hint", value: .string(hint),
                failure: "unsupported-hint")
        }
    }

    private mutating func refuseLinkIDs(_ session: LinkedSession) throws {
        let linkIDs = [
            ("other-link-id", try session.link.sibling(seed).linkID), ("zero-link-id", .zeros(LinkID.byteCount)),
        ]
        for (slug, linkID) in linkIDs {
            try refuse(
                .authenticator, slug, "a payload with another link ID: the client's message 1 does not open",
                session: session,
                field: "payload", value: .hex(session.payload(linkID: linkID)), failure: "bad-tag", flags: [.order])
        }
    }

    /// The payload is not authenticated.
    private mutating func addChangedPayloads(_ session: LinkedSession) throws {
        let spoken = try session.saying([.phone(messages.first)])
        let otherNonce = try seed.bytes("other nonce", ClientNonce.byteCount)
        try accept(
            .authenticator, "linked-other-nonce",
            "a nonce that was changed on the way: another advert, which the client will not open; the handshake hangs "
                + "on the advert's plaintext only",
            rule: Self.linkedRule, session: spoken, changing: ["payload": .hex(session.payload(nonce: otherNonce))],
            flags: [.tamper])
        try accept(
            .authenticator, "linked-other-hint", "a hint that was changed on the way: nothing depends on it",
            rule: Self.linkedRule, session: spoken, changing: ["payload": .hex(session.payload(hint: .makeCredential))],
            flags: [.tamper])
    }

    private mutating func refusePayloads(_ session: LinkedSession) throws {
        let (linkID, nonce) = (session.link.linkID, session.nonce)
        let unsupportedHint: CBORValue = [1: .bytes(linkID), 2: .bytes(nonce), 3: "dcp"]
        let shortNonce: CBORValue = [1: .bytes(linkID), 2: .bytes(.zeros(15)), 3: "ga"]
        let payloads: [(slug: String, payload: [UInt8], failure: String)] = [
            ("hint-dcp", unsupportedHint.encoded(), "unsupported-hint"),
            ("nonce-15", shortNonce.encoded(), "wrong-length"), ("no-payload", [], "invalid-cbor"),
        ]
        for (slug, payload, failure) in payloads {
            try refuse(
                .authenticator, "payload-\(slug)", "a bad payload (\(slug))", session: session, field: "payload",
                value: .hex(payload),
                failure: failure)
        }
    }

    /// A phone that is not the one that was linked, or is called by another name.
    private mutating func refusePhones(_ session: LinkedSession, _ other: CraftedLink) throws {
        try refuse(
            .authenticator, "other-contact", "reached by another contact ID", session: session, field: "contact_id",
            value: .hex(other.contactID), failure: "bad-tag", flags: [.order])
        try refuse(
            .authenticator, "other-root", "another phone answers", session: session, field: "root_secret",
            value: .hex(other.root), failure: "bad-tag",
            flags: [.order])
        for count in [0, 4097] {
            try refuse(
                .authenticator, "contact-\(count)-bytes", "a contact ID of \(count) bytes", session: session,
                field: "contact_id",
                value: .hex([UInt8].zeros(count)), failure: "wrong-length")
        }
        try refuse(
            .authenticator, "linked-replayed",
            "the same call again, with the client's old message 1: the phone's new advert is not the old one",
            rule: Self.linkedRule, session: linked("refused-again", session.link),
            changing: ["payload": .hex(session.payload), "message_1": .hex(session.handshake.message1)],
            failure: "bad-tag",
            flags: [.order])
    }

    private mutating func refuseLinkedHandshakes(_ session: LinkedSession) throws {
        let (message1, message2) = (session.handshake.message1, session.handshake.message2)
        try refuseMessage(
            .authenticator, field: "message_1", name: "message 1", message: message1, reflected: message2,
            session: session)
        try refuseMessage(
            .client, field: "message_2", name: "message 2", message: message2, reflected: message1, session: session)
    }

    private mutating func refuseMessage(
        _ side: SessionSide, field: String, name: String, message: [UInt8], reflected: [UInt8],
        session: LinkedSession
    ) throws {
        let lastOfPoint = 64
        let wrong: [(slug: String, message: [UInt8], failure: String)] = [
            ("bit", message.flippingLowestBit(ofByte: -1), "bad-tag"), ("short", message.dropLast(), "wrong-length"),
            ("long", message + [0x00], "wrong-length"),
            ("off-curve", message.flippingLowestBit(ofByte: lastOfPoint), "invalid-point"),
            ("reflected", reflected, "bad-tag"),
        ]
        for (slug, message, failure) in wrong {
            let slug = "\(CaseSlug(name).text)-\(slug)"
            try refuse(
                side, slug, "\(name) is wrong (\(slug))", session: session, field: field, value: .hex(message),
                failure: failure, flags: [.tamper])
        }
    }

    private mutating func refuseLinkedOrder() throws {
        let (first, request) = (SessionStep.phone(messages.first), SessionStep.client(messages.request))
        let scripts: [(side: SessionSide, slug: String, steps: [SessionStep])] = [
            (.authenticator, "second-request", [first, request, request]),
            (.authenticator, "json", [first, .client(messages.jsonRequest)]),
            (.client, "unasked-reply", [first, .phone(messages.reply)]),
        ]
        for (side, slug, steps) in scripts {
            try refuse(
                side, "linked-\(slug)", "the order of messages is that of every session", rule: Self.linkedRule,
                session: linked(slug, saying: steps), failure: "unexpected-message", flags: [.order])
        }
    }
}

extension LinkedSession {
    /// The client's payload with one of its fields changed.
    fileprivate func payload(
        linkID: [UInt8]? = nil, nonce: [UInt8]? = nil, hint: RequestHint? = nil
    ) throws -> [UInt8] {
        try Self.payload(linkID: linkID ?? link.linkID, nonce: nonce ?? self.nonce, hint: hint ?? self.hint)
    }
}
