internal import Cryptography
internal import JSON

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

    /// A message, and whoever reads it.
    private struct Target {
        let slug: String
        /// The message's name in the input.
        let field: String
        let message: [UInt8]
        let operation: String
        let input: CaseFields

        /// The message's name for people.
        var name: String { String(field.map { $0 == "_" ? " " : $0 }) }
        /// What stands at the message's beginning.
        var point: [UInt8] { Array(message.prefix(P256.uncompressedByteCount)) }
        /// The tag behind it.
        var tag: [UInt8] { Array(message.dropFirst(P256.uncompressedByteCount)) }

        func with(_ message: [UInt8]) -> CaseFields { input.with(field, .hex(message)) }
    }

    private mutating func refuse(
        _ target: Target, _ slug: String, _ comment: String, _ input: CaseFields, _ failure: String = "bad-tag",
        _ flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            "\(target.slug)-\(slug)", "\(target.name): \(comment)", rule: Self.rule, target.operation, input,
            failure: failure, flags: flags)
    }

    /// What both messages have in common: lengths, points, tags.
    private mutating func addTampered(_ target: Target) throws {
        let (message, point, tag) = (target.message, target.point, target.tag)
        for count in [0, 1, 16, 33, 49, 64, 65, 66, 80] {
            try refuse(
                target, "\(count)-bytes", "cut to \(count) bytes", target.with(Array(message.prefix(count))),
                "wrong-length", count == message.count - 1 ? [.boundary] : [.tamper])
        }
        try refuse(
            target, "compressed", "the point compressed, so 49 bytes",
            target.with(CraftedPoint.compressed(point) + tag), "wrong-length", [.curve])
        for (slug, comment, bad) in try Self.badPoints(point) {
            try refuse(target, slug, comment, target.with(bad + tag), "invalid-point", [.curve])
        }
        try refuse(
            target, "negated-point", "the point with the other Y: on the curve, but not the one that was mixed in",
            target.with(CraftedPoint.negated(point) + tag), "bad-tag", [.curve, .tamper])
        try refuse(
            target, "other-point", "another good point", target.with(seed.publicKey("elsewhere") + tag), "bad-tag",
            [.tamper])
        let (firstBit, endBit) = (point.count * UInt8.bitWidth, message.count * UInt8.bitWidth)
        for bit in [firstBit, firstBit + 7, endBit - 1] {
            try refuse(
                target, "tag-bit-\(bit)", "bit \(bit) (in the tag) flipped", target.with(message.flipping(bit: bit)),
                "bad-tag", [.tamper])
        }
        try refuse(
            target, "zero-tag", "a tag of zeros", target.with(point + .zeros(tag.count)), "bad-tag", [.tamper])
    }

    /// What is no point, instead of a point: 65 bytes each.
    private static func badPoints(
        _ point: [UInt8]
    ) throws -> [(slug: String, comment: String, point: [UInt8])] {
        [
            ("off-curve-y", "Y changed: not on the curve", CraftedPoint.offCurveByY(point, bitOfLastByte: 0)),
            ("off-curve-x", "an X that no point has", CraftedPoint.offCurveByX(point)),
            ("identity-zeros", "65 zero bytes", .zeros(point.count)),
            (
                "identity-04-zeros", "04 and zeros: (0, 0) is not on the curve", CraftedPoint.uncompressedZeros
            ),
            (
                "coordinate-above-prime", "coordinates not below the field's prime", CraftedPoint.uncompressedOnes
            ),
            ("x-plus-prime", "X equals the field's prime", CraftedPoint.primeAsX(point)),
            ("form-02", "form byte 02 in front of 64 bytes", CraftedPoint.compressedForm(point)),
            ("form-05", "form byte 05", CraftedPoint.unknownForm(point)),
            (
                "hybrid-form", "the hybrid form 06/07, which some libraries take", CraftedPoint.hybridForm(point)
            ),
            (
                "compressed-padded", "a compressed point and zeros", try CraftedPoint.compressedAndPadded(point)
            ),
        ]
    }

    /// What the authenticator refuses in message 1.
    private mutating func addWrongKeys(of target: Target, _ run: HandshakeRun, _ other: HandshakeRun) throws {
        let input = run.responderInput
        try refuse(
            target, "wrong-psk", "the phone has another PSK: it is not the advert that the client opened",
            input.with("psk", .hex(other.keys.presharedKey)))
        try refuse(
            target, "zero-psk", "the phone has a PSK of zeros",
            input.with("psk", .hex(.zeros(run.keys.presharedKey.count))))
        try refuse(target, "wrong-static", "the phone has another static key", input.with(other.respondersStaticKey))
        try refuse(target, "other-session", "message 1 of another session", target.with(other.message1))
        try refuse(target, "message-2", "the phone is sent its own message 2", target.with(run.message2))
    }

    /// What the client refuses in message 2.
    private mutating func addWrongAnswers(of target: Target, _ run: HandshakeRun, _ other: HandshakeRun) throws {
        let input = run.initiatorInput
        try refuse(target, "reflected", "the client's own message 1 comes back", target.with(run.message1))
        try refuse(target, "other-session", "message 2 of another session", target.with(other.message2))
        try refuse(
            target, "wrong-psk", "the client has another PSK", input.with("psk", .hex(other.keys.presharedKey)))
        try refuse(
            target, "wrong-ephemeral", "the client has forgotten its ephemeral key",
            input.with("ephemeral_private", .hex(other.keys.initiatorEphemeral)))
        let comment =
            switch run.pattern {
            case .knPSK0: "the client has another static key"
            case .nkPSK0: "the client expects another phone"
            }
        try refuse(target, "wrong-static", comment, input.with(other.initiatorsStaticKey))
    }
}
