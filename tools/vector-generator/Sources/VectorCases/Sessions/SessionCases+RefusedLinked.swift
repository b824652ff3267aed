internal import Conformance
internal import Encodings
internal import HybridProtocol

// State-assisted sessions that end in a refusal, and changes on the way that are not noticed (the article
// StateAssistedTransactions).

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
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, session: LinkedSession,
        field: String, value: JSONValue, failure: String, flags: [CaseFlag] = []
    ) throws {
        try refuse(
            side, "linked-\(slug)", comment, rule: rule, session: session,
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
                .client, "advert-\(slug)", comment, rule: "HT-STA-33", session: session, field: "advert",
                value: .hex(answer.advert),
                failure: "bad-tag", flags: [.order])
        }
    }

    /// Keys of another link, at the client.
    private mutating func refuseKeys(_ session: LinkedSession, _ other: CraftedLink) throws {
        let wrongSecret = seed.bytes("linked/not-the-secret", LinkSecret.byteCount)
        try refuse(
            .client, "other-secret", "the wrong link secret", rule: "HT-KEY-7", session: session, field: "link_secret",
            value: .hex(wrongSecret), failure: "bad-tag")
        try refuse(
            .client, "swapped-secrets", "the secrets of two links exchanged", rule: "HT-KEY-7", session: session,
            field: "link_secret",
            value: .hex(session.link.sibling(seed).secret), failure: "bad-tag", flags: [.order])
        try refuse(
            .client, "other-identity", "the key of another phone", rule: "HT-HS-19", session: session,
            field: "authenticator_public",
            value: .hex(other.identityPublicKey), failure: "bad-tag", flags: [.order])
    }

    private mutating func refuseClientInputs(_ session: LinkedSession) throws {
        for (slug, advert) in [("short", Array(session.advert.dropLast())), ("empty", [])] {
            try refuse(
                .client, "advert-\(slug)", "an advert that is \(slug)", rule: "HT-ADV-8", session: session,
                field: "advert",
                value: .hex(advert), failure: "too-short")
        }
        let reserved = session.plaintext.bytes.flippingLowestBit(ofByte: 0)
        try refuse(
            .client, "reserved", "a first byte that is not zero", rule: "HT-STA-49", session: session, field: "advert",
            value: .hex(CraftedAdvert(reserved, eidKey: session.eidKey).bytes), failure: "reserved-byte")
        for count in [ClientNonce.byteCount - 1, ClientNonce.byteCount + 1] {
            try refuse(
                .client, "nonce-\(count)", "a nonce of \(count) bytes", rule: "HT-STA-3", session: session,
                field: "nonce",
                value: .hex([UInt8].zeros(count)),
                failure: "wrong-length", flags: [.boundary])
        }
        for hint in [RequestHint.digitalCredentialPresentation, .digitalCredentialIssuance] {
            let hint = hint.rawValue
            try refuse(
                .client, "hint-\(hint)", "the hint \(hint)", rule: "HT-STA-38", session: session, field: "hint",
                value: .string(hint),
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
                rule: "HT-STA-16",
                session: session,
                field: "payload", value: .hex(session.payload(linkID: linkID)), failure: "bad-tag", flags: [.order])
        }
    }

    /// The payload is not authenticated.
    private mutating func addChangedPayloads(_ session: LinkedSession) throws {
        let spoken = try session.saying([.phone(messages.first)])
        let otherNonce = seed.bytes("other nonce", ClientNonce.byteCount)
        try accept(
            .authenticator, "linked-other-nonce",
            "a nonce that was changed on the way: another advert, which the client will not open; the handshake hangs "
                + "on the advert's plaintext only",
            rule: "HT-KEY-7", session: spoken, changing: ["payload": .hex(session.payload(nonce: otherNonce))],
            flags: [.tamper])
        try accept(
            .authenticator, "linked-other-hint", "a hint that was changed on the way: nothing depends on it",
            rule: "HT-STA-25", session: spoken, changing: ["payload": .hex(session.payload(hint: .makeCredential))],
            flags: [.tamper])
    }

    private mutating func refusePayloads(_ session: LinkedSession) throws {
        let (linkID, nonce) = (session.link.linkID, session.nonce)
        let unsupportedHint: CBORValue = [1: .bytes(linkID), 2: .bytes(nonce), 3: "dcp"]
        let shortNonce: CBORValue = [1: .bytes(linkID), 2: .bytes(.zeros(15)), 3: "ga"]
        let payloads: [(slug: String, rule: String, payload: [UInt8], failure: String)] = [
            ("hint-dcp", "HT-STA-18", unsupportedHint.encoded(), "unsupported-hint"),
            ("nonce-15", "HT-STA-17", shortNonce.encoded(), "wrong-length"),
            ("no-payload", "HT-STA-19", [], "invalid-cbor"),
        ]
        for (slug, rule, payload, failure) in payloads {
            try refuse(
                .authenticator, "payload-\(slug)", "a bad payload (\(slug))", rule: rule, session: session,
                field: "payload",
                value: .hex(payload),
                failure: failure)
        }
    }

    /// A phone that is not the one that was linked, or is called by another name.
    private mutating func refusePhones(_ session: LinkedSession, _ other: CraftedLink) throws {
        try refuse(
            .authenticator, "other-contact", "reached by another contact ID", rule: "HT-STA-26", session: session,
            field: "contact_id",
            value: .hex(other.contactID), failure: "bad-tag", flags: [.order, .optional])
        try refuse(
            .authenticator, "other-root", "another phone answers", rule: "HT-HS-19", session: session,
            field: "root_secret",
            value: .hex(other.root), failure: "bad-tag",
            flags: [.order])
        for count in [0, 4097] {
            try refuse(
                .authenticator, "contact-\(count)-bytes", "a contact ID of \(count) bytes",
                rule: count == 0 ? "HT-LNK-4" : "HT-TUN-15",
                session: session,
                field: "contact_id",
                value: .hex([UInt8].zeros(count)), failure: "wrong-length")
        }
        try refuse(
            .authenticator, "linked-replayed",
            "the same call again, with the client's old message 1: the phone's new advert is not the old one",
            rule: "HT-STA-29", session: linked("refused-again", session.link),
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
        let wrong: [(slug: String, rule: String, message: [UInt8], failure: String)] = [
            ("bit", "HT-HS-17", message.flippingLowestBit(ofByte: -1), "bad-tag"),
            ("short", "HT-HS-13", message.dropLast(), "wrong-length"),
            ("long", "HT-HS-21", message + [0x00], "wrong-length"),
            ("off-curve", "HT-HS-14", message.flippingLowestBit(ofByte: lastOfPoint), "invalid-point"),
            ("reflected", "HT-HS-23", reflected, "bad-tag"),
        ]
        for (slug, rule, message, failure) in wrong {
            let slug = "\(CaseSlug(name).text)-\(slug)"
            try refuse(
                side, slug, "\(name) is wrong (\(slug))", rule: rule, session: session, field: field,
                value: .hex(message),
                failure: failure, flags: [.tamper])
        }
    }

    private mutating func refuseLinkedOrder() throws {
        let (first, request) = (SessionStep.phone(messages.first), SessionStep.client(messages.request))
        let scripts: [(side: SessionSide, slug: String, rule: String, steps: [SessionStep])] = [
            (.authenticator, "second-request", "HT-MSG-21", [first, request, request]),
            (.authenticator, "json", "HT-DC-5", [first, .client(messages.jsonRequest)]),
            (.client, "unasked-reply", "HT-MSG-23", [first, .phone(messages.reply)]),
        ]
        for (side, slug, rule, steps) in scripts {
            try refuse(
                side, "linked-\(slug)", "the order of messages is that of every session", rule: rule,
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
