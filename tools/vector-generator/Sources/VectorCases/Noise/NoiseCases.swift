internal import JSON
internal import TestVectors

/// The layer `noise`: the handshakes, both patterns and both sides (PROTOCOL.md 6). Messages that are too long are in
/// the layer `session`, which knows their length.
struct NoiseCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "noise", prefix: "noise",
        about: "The handshakes Noise_KNpsk0 and Noise_NKpsk0 over P-256, AES-GCM and SHA-256.")

    static let rule = "6"
    /// The number of ordinary handshakes of each pattern.
    private static let runCount = 6

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        for pattern in PatternName.allCases {
            let runs = try (0..<runCount).map { try cases.run(pattern, "\(pattern.rawValue)/\($0)") }
            for (index, run) in runs.enumerated() {
                try cases.addHonest("\(index)", "a whole handshake with fixed ephemeral keys", run: run)
            }
            try cases.addRefusals(of: runs[0], other: runs[1])
        }
        try cases.addCrossed()
        for pattern in PatternName.allCases { try cases.addSpecialKeys(pattern) }
        return cases.layer
    }

    /// The handshake of a label.
    func run(_ pattern: PatternName, _ label: String) throws -> HandshakeRun {
        try HandshakeRun(pattern, HandshakeRun.Keys(seed, label))
    }

    /// Adds a handshake: as a whole, and as each side sees it.
    mutating func addHonest(_ slug: String, _ comment: String, run: HandshakeRun, flags: [CaseFlag] = []) throws {
        let pattern = run.pattern.slug
        try layer.valid(
            "\(pattern)-handshake-\(slug)", comment, rule: Self.rule, operation: "noise.handshake", input: run.input,
            flags: flags)
        try layer.valid(
            "\(pattern)-respond-\(slug)", "the phone's side of it", rule: Self.rule, operation: "noise.respond",
            input: run.responderInput)
        try layer.valid(
            "\(pattern)-finish-\(slug)", "the client's side of it", rule: Self.rule, operation: "noise.finish",
            input: run.initiatorInput)
    }

    /// One side plays the other pattern with the same keys.
    private mutating func addCrossed() throws {
        let (qr, linked) = (try run(.knPSK0, "crossed"), try run(.nkPSK0, "crossed"))
        try cross(
            "linked-to-qr", "a linked client meets a phone that expects the QR pattern", operation: "noise.respond",
            input: qr.responderInput.with("message_1", .hex(linked.message1)))
        try cross(
            "qr-to-linked", "a QR client meets a phone that expects the linked pattern", operation: "noise.respond",
            input: linked.responderInput.with("message_1", .hex(qr.message1)))
        try cross(
            "answer-to-qr", "the answer of the linked pattern to a QR client", operation: "noise.finish",
            input: qr.initiatorInput.with("message_2", .hex(linked.message2)))
        try cross(
            "answer-to-linked", "the answer of the QR pattern to a linked client", operation: "noise.finish",
            input: linked.initiatorInput.with("message_2", .hex(qr.message2)))
    }

    private mutating func cross(_ slug: String, _ comment: String, operation: String, input: CaseFields) throws {
        try layer.invalid(
            "crossed-\(slug)", comment, rule: Self.rule, operation: operation, input: input, failure: "bad-tag",
            flags: [.order])
    }
}
