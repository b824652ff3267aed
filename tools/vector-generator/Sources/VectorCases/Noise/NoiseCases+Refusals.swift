internal import Conformance
internal import Cryptography
internal import Encodings

// Handshake messages that must be refused.

extension NoiseCases {
    /// - Parameters:
    ///   - run: the handshake whose messages and keys are changed.
    ///   - other: another handshake of the same pattern.
    mutating func addRefusals(of run: HandshakeRun, other: HandshakeRun) throws {
        let first = Target(
            slug: "\(run.pattern.slug)-1", field: "message_1", message: run.message1, operation: "noise.respond",
            input: run.responderInput)
        try addTampered(first)
        try addWrongKeys(of: first, run, other)
        let second = Target(
            slug: "\(run.pattern.slug)-2", field: "message_2", message: run.message2, operation: "noise.finish",
            input: run.initiatorInput)
        try addTampered(second)
        try addWrongAnswers(of: second, run, other)
    }

    /// A message, and the side that reads it.
    private struct Target {
        let slug: String
        /// The message's name in the input.
        let field: String
        let message: [UInt8]
        let operation: String
        let input: CaseFields

        /// The message's name for people.
        var name: String { String(field.map { $0 == "_" ? " " : $0 }) }
        /// The part at the message's beginning.
        var point: [UInt8] { Array(message.prefix(P256.uncompressedByteCount)) }
        /// The tag behind it.
        var tag: [UInt8] { Array(message.dropFirst(P256.uncompressedByteCount)) }

        func with(_ message: [UInt8]) -> CaseFields { input.with(field, .hex(message)) }
    }

    private mutating func refuse(
        _ target: Target, _ slug: String, _ comment: String, rule: String, input: CaseFields,
        failure: String = "bad-tag", flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "\(target.slug)-\(slug)", "\(target.name): \(comment)", rule: rule, operation: target.operation,
            input: input, failure: failure, flags: flags)
    }

    /// Refusals that both messages have in common: lengths, points, tags.
    private mutating func addTampered(_ target: Target) throws {
        let (point, tag) = (target.point, target.tag)
        try refuse(target, HandshakeMalformations.lengths + HandshakeMalformations.points)
        try refuse(
            target, "negated-point", "the point with the other Y: on the curve, but not the one that was mixed in",
            rule: "HT-HS-17", input: target.with(CraftedPoint.negated(point) + tag), failure: "bad-tag",
            flags: [.curve, .tamper])
        try refuse(
            target, "other-point", "another good point", rule: "HT-HS-17",
            input: target.with(seed.publicKey("elsewhere") + tag), failure: "bad-tag", flags: [.tamper])
        try refuse(target, HandshakeMalformations.tags)
    }

    private mutating func refuse(_ target: Target, _ malformations: [Malformation<[UInt8], [UInt8]>]) throws {
        try layer.invalid(
            malformations, of: target.message, prefix: "\(target.slug)-", about: "\(target.name): ",
            operation: target.operation, input: target.with)
    }

    /// Refusals of message 1 by the authenticator.
    private mutating func addWrongKeys(of target: Target, _ run: HandshakeRun, _ other: HandshakeRun) throws {
        let input = run.responderInput
        try refuse(
            target, "wrong-psk", "the phone has another PSK: it is not the advert that the client opened",
            rule: "HT-HS-18", input: input.with("psk", .hex(other.keys.presharedKey)))
        try refuse(
            target, "zero-psk", "the phone has a PSK of zeros", rule: "HT-HS-18",
            input: input.with("psk", .hex(.zeros(run.keys.presharedKey.count))))
        try refuse(
            target, "wrong-static", "the phone has another static key", rule: "HT-HS-19",
            input: input.with(other.respondersStaticKey))
        try refuse(
            target, "other-session", "message 1 of another session", rule: "HT-HS-23",
            input: target.with(other.message1))
        try refuse(
            target, "message-2", "the phone is sent its own message 2", rule: "HT-HS-23",
            input: target.with(run.message2))
    }

    /// Refusals of message 2 by the client.
    private mutating func addWrongAnswers(of target: Target, _ run: HandshakeRun, _ other: HandshakeRun) throws {
        let input = run.initiatorInput
        try refuse(
            target, "reflected", "the client's own message 1 comes back", rule: "HT-HS-23",
            input: target.with(run.message1))
        try refuse(
            target, "other-session", "message 2 of another session", rule: "HT-HS-23",
            input: target.with(other.message2))
        try refuse(
            target, "wrong-psk", "the client has another PSK", rule: "HT-HS-18",
            input: input.with("psk", .hex(other.keys.presharedKey)))
        try refuse(
            target, "wrong-ephemeral", "the client has forgotten its ephemeral key",
            rule: "HT-HS-17", input: input.with("ephemeral_private", .hex(other.keys.initiatorEphemeral)))
        let comment =
            switch run.pattern {
            case .knPSK0: "the client has another static key"
            case .nkPSK0: "the client expects another phone"
            }
        try refuse(
            target, "wrong-static", comment, rule: "HT-HS-19", input: input.with(other.initiatorsStaticKey))
    }
}
