internal import Conformance
internal import Encodings
internal import HybridProtocol

// State-assisted sessions that go well (the article StateAssistedTransactions).

extension SessionCases {
    mutating func addLinked() throws {
        try addHonestLinked()
        try addLinkedAdverts()
        try addLinkedContacts()
        try addAfterQR()
        try addLinkedUpdates()
        try addRefusedLinked()
    }

    /// An ordinary state-assisted session.
    func linked(
        _ label: String, _ link: CraftedLink? = nil, hint: RequestHint = .getAssertion, random: [UInt8]? = nil,
        plaintext: LinkedAdvertPlaintext? = nil, saying steps: [SessionStep] = []
    ) throws -> LinkedSession {
        let link = try link ?? CraftedLink("linked/\(label)", seed)
        return try LinkedSession(label, seed, link, hint: hint, random: random, plaintext: plaintext).saying(steps)
    }

    private mutating func acceptBoth(
        _ slug: String, _ comment: String, rule: String, clientRule: String? = nil, session: LinkedSession,
        flags: [CaseFlag] = []
    ) throws {
        for side in [SessionSide.authenticator, .client] {
            try accept(
                side, "linked-\(slug)", "\(comment); the \(side.rawValue)'s side",
                rule: side == .client ? clientRule ?? rule : rule, session: session,
                flags: flags)
        }
    }

    private mutating func addHonestLinked() throws {
        let scripts: [(slug: String, comment: String, rule: String, steps: [SessionStep])] = [
            ("sign-in", "request, reply, shutdown", "HT-HS-2", messages.signIn),
            ("declined", "the phone's answer is a status alone", "HT-CTAP-2", messages.refusal),
            ("shutdown-at-once", "the client changes its mind", "HT-MSG-32", messages.shutdownAtOnce),
            ("two-requests", "two requests, one after the other", "HT-CTAP-7", messages.twoRequests),
        ]
        for (slug, comment, rule, steps) in scripts {
            try acceptBoth(slug, "without a QR code: \(comment)", rule: rule, session: linked(slug, saying: steps))
        }
        try acceptBoth(
            "make-credential", "the hint is mc", rule: "HT-STA-4",
            session: linked("make-credential", hint: .makeCredential, saying: messages.signIn))
    }

    /// The last two bytes of an advert, which name a tunnel domain in a QR-initiated session.
    private mutating func addLinkedAdverts() throws {
        let ends: [(String, [UInt8])] = [
            ("0", [0x00, 0x00]), ("1", [0x01, 0x00]), ("256", [0x00, 0x01]), ("ffff", [0xFF, 0xFF]),
        ]
        for (slug, end) in ends {
            try acceptBoth(
                "domain-\(slug)", "the advert's last bytes, which mean nothing here", rule: "HT-STA-47",
                clientRule: "HT-STA-50",
                session: ending("domain-\(slug)", end))
        }
        let unassigned: [(String, [UInt8])] = [("2", [0x02, 0x00]), ("255", [0xFF, 0x00])]
        for (slug, end) in unassigned {
            try acceptBoth(
                "domain-\(slug)", "the phone does not send last bytes that Chromium would refuse", rule: "HT-STA-48",
                session: ending("domain-\(slug)", end), flags: [.boundary])
        }
        // Clavertus' phone sends all zeros. The other one Chromium's client would refuse, but a client should not.
        try acceptPlaintext("zeros", .zeros(16), flags: [.foreign])
        try acceptPlaintext("unassigned", .zeros(14) + [0x64, 0x00], flags: [.lenient])
    }

    private func ending(_ label: String, _ end: [UInt8]) throws -> LinkedSession {
        try linked(label, random: seed.bytes("linked/end", 13) + end, saying: messages.refusal)
    }

    private mutating func acceptPlaintext(_ slug: String, _ plaintext: [UInt8], flags: [CaseFlag]) throws {
        try accept(
            .client, "linked-plaintext-\(slug)", "an advert of another phone (\(slug))", rule: "HT-STA-50",
            session: linked("plaintext-\(slug)", plaintext: LinkedAdvertPlaintext(plaintext), saying: messages.refusal),
            flags: flags)
    }

    private mutating func addLinkedContacts() throws {
        for count in [1, 4096] {
            let contactID = seed.bytes("linked/contact/\(count)", count)
            let link = try CraftedLink("linked/contact", seed, contactID: contactID)
            try acceptBoth(
                "contact-\(count)", "a contact ID of \(count) bytes", rule: "HT-TUN-15",
                session: linked("contact-\(count)", link, saying: messages.refusal), flags: [.boundary])
        }
    }

    /// A link that another case of the layer makes, used twice.
    private mutating func addAfterQR() throws {
        let link = try CraftedLink("links-at-once", seed)
        for number in 1...2 {
            try acceptBoth(
                "after-qr-\(number)", "sign-in \(number) with the link that session-links-at-once makes",
                rule: "HT-STA-12",
                session: linked("after-qr/\(number)", link, saying: messages.signIn))
        }
    }

    private mutating func addLinkedUpdates() throws {
        let (first, request) = (SessionStep.phone(messages.first), SessionStep.client(messages.request))
        let session = try linked("update")
        // There is no static key of the client's to sign for: it is signed for the ephemeral one.
        let map = try session.link.map(
            clientKey: session.ephemeral.client, handshakeHash: session.handshake.handshakeHash)
        let found = try accept(
            .client, "linked-update",
            "filler and linking data in a state-assisted session: the data is dropped, and the session goes on",
            rule: "HT-STA-41",
            session: session.saying([first, request, .update(), .barelyUpdate(.map(map)), .phone(messages.reply)]),
            changing: ["linking": false], expecting: ["linking"], flags: [.order])
        try found.check("linking", is: ["none", "none", "linking-not-offered"], in: "linked-update")
        try refuse(
            .authenticator, "linked-own-update", "a phone sends no update in a state-assisted session",
            rule: "HT-STA-39", session: linked("own-update", saying: [first, .update()]),
            failure: "unexpected-message",
            flags: [.order])
    }
}
