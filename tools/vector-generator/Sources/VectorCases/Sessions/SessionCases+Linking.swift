internal import Conformance
internal import Encodings
internal import HybridProtocol

// QR-initiated sessions that link, or try to (the article Linking).

extension SessionCases {
    mutating func addLinking() throws {
        try addHonestLinking()
        try addRefusedLinking()
        try addSecondLinks()
        try addLinkingInFirstMessages()
        try addLinkingThatIsNotOffered()
    }

    private mutating func addHonestLinking() throws {
        let first = SessionStep.phone(messages.first)
        let (request, reply) = (SessionStep.client(messages.request), SessionStep.phone(messages.reply))
        let (filler, shutdown) = (SessionStep.update(), SessionStep.client(messages.shutdown))
        let atOnce: Script = { [first, $0, request, reply, shutdown] }
        try offer("at-once", made: "HT-LNK-2", taken: "HT-MSG-27", atOnce)
        try offer("while-asked", made: "HT-LNK-16", taken: "HT-MSG-27") { [first, request, $0, reply, shutdown] }
        try offer("after-reply", made: "HT-LNK-16", taken: "HT-MSG-27") { [first, request, reply, $0, shutdown] }
        try offer("after-shutdown", made: "HT-LNK-16", taken: "HT-MSG-49") { [first, request, reply, shutdown, $0] }
        try offer(
            "filler-before", made: "HT-LNK-18", taken: "HT-MSG-49", results: ["none", "none", "verified"]
        ) {
            [first, filler, request, reply, shutdown, $0]
        }
        try offer("filler-after", made: "HT-LNK-18", taken: "HT-LNK-36", results: ["none", "verified", "none"]) {
            [first, $0, filler, shutdown]
        }
        try offer(
            "domain-266", comment: "the link is for the session's own domain", made: "HT-LNK-6", taken: "HT-LNK-37",
            domain: 266, atOnce)
        try offer(
            "name-54", comment: "the one name for which no filler makes 512 bytes", made: "HT-LNK-17",
            taken: "HT-LNK-20",
            name: String(repeating: "n", count: 54), atOnce)
        try offer(
            "contact-300", comment: "a contact ID that needs 1024 bytes", made: "HT-LNK-17", taken: "HT-LNK-20",
            contactID: seed.bytes("long", 300), atOnce)
        let session = try linkable("links-filler").saying([first, filler, request, reply, shutdown])
        try accept(
            .authenticator, "links-filler", "nothing to link: filler of the same length", rule: "HT-LNK-15",
            session: session)
        try acceptLinking(
            "links-filler", "nothing to link", rule: "HT-MSG-27", session: session, results: ["none", "none"])
    }

    /// A session's messages, around the update that offers a link.
    private typealias Script = (SessionStep) -> [SessionStep]

    /// Adds both sides of a session in which the phone offers a link once.
    ///
    /// - Parameters:
    ///   - made: the rule that the authenticator's side is about.
    ///   - taken: the rule that the client's side is about.
    private mutating func offer(
        _ slug: String, comment: String? = nil, made: String, taken: String, results: [String] = ["none", "verified"],
        domain: UInt16 = 0,
        name: String = "Phone", contactID: [UInt8]? = nil, _ script: Script
    ) throws {
        let (slug, comment) = ("links-\(slug)", comment ?? "the phone offers a link: \(slug)")
        let link = try CraftedLink(slug, seed, name: name, contactID: contactID)
        var session = try linkable(slug, domain: domain)
        session = try session.saying(script(.update(link.map(for: session))))
        try accept(
            .authenticator, slug, comment, rule: made, session: session, changing: link.input)
        try acceptLinking(slug, comment, rule: taken, session: session, results: results)
    }

    /// A QR-initiated session whose client can be linked.
    func linkable(_ label: String, domain: UInt16 = 0) throws -> QRSession {
        try QRSession(label, seed, domain: domain, linking: true)
    }

    /// Adds the client's side of a session.
    ///
    /// - Parameter results: the outcome of the linking data of the first message and of each update.
    mutating func acceptLinking(
        _ slug: String, _ comment: String, rule: String, session: QRSession, results: [String],
        flags: [CaseFlag] = []
    ) throws {
        let more = results.contains("verified") ? ["linking", "link"] : ["linking"]
        let found = try accept(
            .client, slug, comment, rule: rule, session: session,
            changing: ["linking": session.linking.map { .bool($0) } ?? .null], expecting: more, flags: flags)
        try found.check("linking", is: .array(results.map { .string($0) }), in: slug)
    }
}

// Good linking data at another place, or where it is not wanted.

extension SessionCases {
    /// A map after a good one.
    private mutating func addSecondLinks() throws {
        let session = try linkable("links-twice")
        let good = try CraftedLink("links-twice", seed).map(for: session)
        let second = try CraftedLink("links-second", seed).map(for: session)
        var bad = good
        bad[.signature] = .bytes(.zeros(32))
        let updates = [bad, good, second, good].map { SessionStep.barelyUpdate(.map($0)) }
        try acceptLinking(
            "links-twice", "a bad map, a good one, a second good one, the first again: the first good one is the link",
            rule: "HT-LNK-35",
            session: session.saying([.phone(messages.first)] + updates),
            results: ["none", "bad-signature", "verified", "already-linked", "already-linked"], flags: [.order])
        let twice = try linkable("links-offered-twice")
        let link = try CraftedLink("links-offered-twice", seed)
        let update = try SessionStep.update(link.map(for: twice))
        try refuse(
            .authenticator, "links-offered-twice", "a phone does not offer twice", rule: "HT-LNK-10",
            session: twice.saying([.phone(messages.first), update, update]), changing: link.input,
            failure: "already-linked",
            flags: [.order])
    }

    /// The older place for the linking map: key 2 of the first message.
    private mutating func addLinkingInFirstMessages() throws {
        for slug in ["links-first", "links-first-bad"] {
            let (session, first) = try firstMessage(slug, isBad: slug.hasSuffix("bad"))
            try acceptLinking(
                slug, "linking data in the first message", rule: "HT-MSG-47",
                session: session.saying([.phone(first), .client(messages.request), .phone(messages.reply)]),
                results: [slug.hasSuffix("bad") ? "bad-signature" : "verified"])
        }
        for slug in ["links-revision-0", "links-revision-0-bad"] {
            let (session, first) = try firstMessage(slug, isBad: slug.hasSuffix("bad"))
            let (request, reply) = (messages.request.dropFirst(), messages.reply.dropFirst())
            try acceptLinking(
                slug, "linking data in the first message, of revision 0", rule: "HT-MSG-47",
                session: session.saying([
                    .phone(Revision0Padding.of512Bytes.padded(first)), .client(Array(request)), .phone(Array(reply)),
                ]), results: [slug.hasSuffix("bad") ? "bad-signature" : "verified"])
        }
        let (session, first) = try firstMessage("links-first-and-update", isBad: false)
        let link = try CraftedLink("links-first-and-update", seed)
        try acceptLinking(
            "links-first-and-update", "linking data in both places: the first counts", rule: "HT-LNK-35",
            session: session.saying([.phone(first), .update(link.map(for: session))]),
            results: ["verified", "already-linked"])
    }

    /// A session, and a first message for it with a linking map.
    private func firstMessage(_ slug: String, isBad: Bool) throws -> (QRSession, [UInt8]) {
        let session = try linkable(slug)
        var map = try CraftedLink(slug, seed).map(for: session)
        if isBad { map[.signature] = .bytes(.zeros(32)) }
        let first: CBORValue = [1: .bytes(messages.info), 2: .map(map)]
        return (session, first.encoded())
    }

    private mutating func addLinkingThatIsNotOffered() throws {
        let first = SessionStep.phone(messages.first)
        let (request, reply) = (SessionStep.client(messages.request), SessionStep.phone(messages.reply))
        for (word, linking) in [("false", false), ("absent", nil)] {
            let slug = "links-\(word)"
            let link = try CraftedLink(slug, seed)
            let session = try QRSession(slug, seed, linking: linking)
            let update = try SessionStep.update(link.map(for: session))
            try acceptLinking(
                slug, "good linking data that nobody asked for", rule: "HT-LNK-34",
                session: session.saying([first, update, request, reply]),
                results: ["none", "linking-not-offered"])
            try refuse(
                .authenticator, slug, "a phone does not offer a link where key 4 is \(word)", rule: "HT-LNK-1",
                session: session.saying([first, update]), changing: link.input, failure: "linking-not-offered",
                flags: [.order])
            try accept(
                .authenticator, "\(slug)-filler", "but filler it may send", rule: "HT-LNK-15",
                session: session.saying([first, .update(), request, reply]))
        }
    }
}
