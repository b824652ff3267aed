internal import Conformance
internal import HybridProtocol

// Messages after a shutdown, and sessions with old peers (the articles Messages and Framing of HybridProtocol).

extension SessionCases {
    mutating func addEndings() throws {
        let (first, request, reply) = (messages.first, messages.request, messages.reply)
        let (update, shutdown) = (messages.update, messages.shutdown)
        try accept(
            .client, "reply-after-shutdown", "the reply to a request that the client has given up still arrives",
            rule: "HT-MSG-37",
            session: session(
                "reply-after-shutdown",
                saying: [.phone(first), .client(request), .client(shutdown), .phone(reply)]))
        try accept(
            .authenticator, "client-updates", "updates from the client, before its request and before the reply",
            rule: "HT-MSG-48",
            session: session(
                "client-updates",
                saying: [.phone(first), .client(update), .client(request), .client(update), .phone(reply)]))
        try refuseAfterEnd(
            .authenticator, "request-after-shutdown", "a request after shutdown", rule: "HT-MSG-32",
            steps: [.phone(first), .client(shutdown), .client(request)])
        try refuseAfterEnd(
            .authenticator, "shutdown-twice", "a second shutdown", rule: "HT-MSG-30",
            steps: [.phone(first), .client(shutdown), .client(shutdown)])
        try refuseAfterEnd(
            .client, "update-after-phone-shutdown", "an update after the phone's own shutdown", rule: "HT-MSG-37",
            steps: [.phone(first), .phone(shutdown), .phone(update)])
    }

    private mutating func refuseAfterEnd(
        _ side: SessionSide, _ slug: String, _ comment: String, rule: String, steps: [SessionStep]
    ) throws {
        try refuse(
            side, slug, comment, rule: rule, session: session(slug, saying: steps), failure: "session-ended",
            flags: [.order])
    }

    /// No public record of an old phone exists: these are made from the rules, and say so.
    mutating func addOldPeers() throws {
        let (first, update) = (messages.first, messages.update)
        try acceptOld(
            "old-construction", "a phone that seals in the old way, and speaks as today", rule: "HT-FRM-24",
            steps: messages.signIn,
            construction: .old)
        try acceptOld(
            "old-construction-update", "the same with an update", rule: "HT-FRM-25",
            steps: [.phone(first), .phone(update), .client(messages.request), .phone(messages.reply)],
            construction: .old)
        try addRevision0()
        try refuseChange(
            "old-then-new", "the phone changes from the old construction to the current", from: .old, to: .current)
        try refuseChange(
            "new-then-old", "the phone changes from the current construction to the old", from: .current, to: .old)
        try refuse(
            .authenticator, "old-construction-from-client",
            "a client that answers in another construction than it was spoken to", rule: "HT-FRM-26",
            session: session("old-construction-from-client", saying: [.phone(first), .client(messages.request)], .old),
            failure: "bad-tag",
            flags: [.order])
    }

    private mutating func addRevision0() throws {
        let padded = SessionStep.phone(Revision0Padding.of512Bytes.padded(messages.first))
        let earlier = SessionStep.phone(Revision0Padding.of256Bytes.padded(messages.first))
        // CTAP without type bytes.
        let request = SessionStep.client(Array(messages.request.dropFirst()))
        let reply = SessionStep.phone(Array(messages.reply.dropFirst()))
        try acceptOld(
            "revision-0", "a phone of caBLE v2.0: padded first message, then bare CTAP", rule: "HT-MSG-45",
            steps: [padded, request, reply])
        try acceptOld(
            "revision-0-256", "the same from before Chrome 99", rule: "HT-MSG-43", steps: [earlier, request, reply])
        try acceptOld(
            "revision-0-old-construction", "both: revision 0 in the old construction", rule: "HT-FRM-24",
            steps: [padded, request, reply], construction: .old)
        try acceptOld(
            "revision-0-two-requests", "two requests in revision 0", rule: "HT-MSG-45",
            steps: [padded, request, reply, request, reply])
        try refuseOld(
            "revision-0-unasked", "an answer in revision 0 that nobody asked for", rule: "HT-MSG-23",
            steps: [padded, reply],
            failure: "unexpected-message")
        try refuseOld(
            "revision-0-empty", "an answer in revision 0 of no bytes", rule: "HT-MSG-19",
            steps: [padded, request, .phone([])], failure: "empty")
    }

    private mutating func acceptOld(
        _ slug: String, _ comment: String, rule: String, steps: [SessionStep],
        construction: TransportConstruction = .current
    ) throws {
        try accept(
            .client, slug, comment, rule: rule, session: session(slug, saying: steps, construction), flags: [.optional])
    }

    private mutating func refuseOld(
        _ slug: String, _ comment: String, rule: String, steps: [SessionStep], failure: String
    ) throws {
        try refuse(
            .client, slug, comment, rule: rule, session: session(slug, saying: steps), failure: failure,
            flags: [.optional])
    }

    private mutating func refuseChange(
        _ slug: String, _ comment: String, from first: TransportConstruction, to second: TransportConstruction
    ) throws {
        let steps: [SessionStep] = [.phone(messages.first), .phone(messages.update)]
        let other = try session(slug, saying: steps, second)
        try refuse(
            .client, slug, comment, rule: "HT-FRM-26",
            session: session(slug, saying: steps, first).replacingLast { _ in other.script[1] }, failure: "bad-tag",
            flags: [.optional, .order])
    }
}
