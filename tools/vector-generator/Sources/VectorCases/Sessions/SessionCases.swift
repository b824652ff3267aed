internal import Conformance
internal import HybridProtocol

/// The layer `session`: whole sessions, from the QR code or the client payload to the last frame (the article
/// Ceremony of HybridProtocol).
struct SessionCases {
    let seed: VectorSeed
    let messages: SessionMessages
    var layer = LayerCases(
        "session", prefix: "session", about: "Whole sessions: recorded from Chromium, and our own, from both sides.")

    static func layer(_ seed: VectorSeed, _ sources: VectorSources) throws -> LayerCases {
        var cases = Self(seed: seed, messages: try SessionMessages(seed))
        try cases.addRecorded(sources)
        try cases.addHonest()
        try cases.addEndings()
        try cases.addOldPeers()
        try cases.addRefused()
        try cases.addRefusedHandshakes()
        try cases.addOverL2CAP()
        try cases.addDigitalCredentials()
        try cases.addLinking()
        try cases.addLinked()
        return cases.layer
    }

    /// An ordinary QR-initiated session.
    func session(
        _ label: String, domain: UInt16 = 0, hint: RequestHint = .getAssertion,
        channels: [ChannelIdentifier] = [.webSocket], saying steps: [SessionStep] = [],
        _ construction: TransportConstruction = .current
    ) throws -> QRSession {
        try QRSession(label, seed, domain: domain, hint: hint, channels: channels).saying(steps, construction)
    }

    /// Adds one side of a session that goes well.
    ///
    /// - Parameters:
    ///   - change: inputs that are other than the session's, or more.
    ///   - more: the names of the outputs beside those of every session.
    @discardableResult
    mutating func accept<Session: CraftedSession>(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, session: Session,
        changing change: CaseFields = [:], expecting more: [String] = [], flags: [CaseFlag] = []
    ) throws -> CaseFields {
        let found = try layer.valid(
            "\(slug)-\(side.rawValue)", comment, rule: rule, operation: Session.operation(side),
            input: session.input(side).with(change),
            expecting: Session.outcome(side) + more, flags: flags)
        try found.check("results", is: session.script.results(side), in: slug)
        try found.check("handshake_hash", is: .hex(session.handshake.handshakeHash), in: slug)
        return found
    }

    /// Adds one side of a session that ends in a refusal.
    mutating func refuse<Session: CraftedSession>(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, session: Session,
        changing change: CaseFields = [:], failure: String, flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "\(slug)-\(side.rawValue)", comment, rule: rule, operation: Session.operation(side),
            input: session.input(side).with(change),
            failure: failure, flags: flags)
    }

    /// Adds both sides of a QR-initiated session; the client's alone where there is an update, whose length is the
    /// authenticator's own choice.
    ///
    /// - Parameter rule: the ID of the rule that both cases are about; for most, that a request is answered.
    mutating func acceptBoth(
        _ slug: String, _ comment: String, rule: String = "HT-MSG-22", session: QRSession, steps: [SessionStep]
    ) throws {
        let session = try session.saying(steps)
        if !steps.contains(where: \.isUpdate) {
            try accept(.authenticator, slug, "\(comment); the phone's side", rule: rule, session: session)
        }
        try accept(.client, slug, "\(comment); the client's side", rule: rule, session: session)
    }
}

// Sessions that go well.

extension SessionCases {
    private mutating func addHonest() throws {
        let (first, request, reply) = (messages.first, messages.request, messages.reply)
        let (update, shutdown) = (messages.update, messages.shutdown)
        try play("sign-in", "request, reply, shutdown", messages.signIn)
        try play("declined", "the phone's answer is a status alone", rule: "HT-CTAP-2", messages.refusal)
        try play("shutdown-at-once", "the client changes its mind", rule: "HT-MSG-32", messages.shutdownAtOnce)
        try play(
            "update-early", "an update right after the first message", rule: "HT-MSG-27",
            [.phone(first), .phone(update), .client(request), .phone(reply), .client(shutdown)])
        try play(
            "update-between", "an update between request and reply", rule: "HT-MSG-27",
            [.phone(first), .client(request), .phone(update), .phone(reply), .client(shutdown)])
        try play(
            "update-late", "an update after the client's shutdown", rule: "HT-MSG-49",
            [.phone(first), .client(request), .phone(reply), .client(shutdown), .phone(update)])
        try play("two-requests", "two requests, one after the other", rule: "HT-CTAP-7", messages.twoRequests)
        try play(
            "json", "a JSON request and its answer", rule: "HT-DC-9",
            [
                .phone(messages.firstWithCredentials), .client(messages.jsonRequest), .phone(messages.jsonReply),
                .client(shutdown),
            ])
        try accept(
            .client, "phone-shutdown", "the phone says shutdown, as webauthn-rs does; Chromium takes that for an error",
            rule: "HT-MSG-36",
            session: session(
                "phone-shutdown", saying: [.phone(first), .client(request), .phone(reply), .phone(shutdown)]),
            flags: [.lenient, .foreign])
        for domain: UInt16 in [1, 266, 65535] {
            let session = try session("domain-\(domain)", domain: domain)
            try acceptBoth(
                "domain-\(domain)", "tunnel domain \(domain)", rule: "HT-ADV-4", session: session,
                steps: messages.signIn)
        }
        try addPaddingWithoutType()
    }

    private mutating func play(
        _ slug: String, _ comment: String, rule: String = "HT-MSG-22", _ steps: [SessionStep]
    ) throws {
        try acceptBoth(slug, comment, rule: rule, session: session(slug), steps: steps)
    }

    /// A client that pads as libwebauthn does.
    private mutating func addPaddingWithoutType() throws {
        let request = Array(messages.request.prefix(1)) + CraftedFrame.padded(Array(messages.request.dropFirst()))
        try accept(
            .authenticator, "type-outside-padding", "the client pads before it puts the type byte in front",
            rule: "HT-FRM-6",
            session: session(
                "libwebauthn",
                saying: [
                    .phone(messages.first), .client(messages.request, padded: request), .phone(messages.reply),
                ]), flags: [.lenient, .foreign])
    }
}
