internal import Conformance
internal import Encodings

/// The layer `noise`: the handshakes, both patterns and both sides: the rules HT-HS-1 to HT-HS-27. Messages that are
/// too long are in the layer `session`, which knows their length.
struct NoiseCases {
    let seed: VectorSeed
    var layer = LayerCases(
        "noise", prefix: "noise",
        about: "The handshakes Noise_KNpsk0 and Noise_NKpsk0 over P-256, AES-GCM and SHA-256.")

    /// The rules that the three cases of one handshake are about. An honest handshake needs them all.
    struct Rules {
        let handshake: String
        var respond = "HT-HS-9"
        var finish = "HT-HS-27"

        /// Those of the ordinary handshakes.
        static func ordinary(_ pattern: PatternName) -> [Self] {
            [
                Self(handshake: pattern == .knPSK0 ? "HT-HS-1" : "HT-HS-2", respond: "HT-HS-12"),
                Self(handshake: "HT-HS-3", respond: "HT-HS-10"), Self(handshake: "HT-HS-4", finish: "HT-HS-26"),
                Self(handshake: "HT-HS-7", respond: "HT-HS-12"), Self(handshake: "HT-HS-8", respond: "HT-HS-10"),
                Self(handshake: "HT-HS-24", finish: "HT-HS-26"),
            ]
        }
    }

    /// The number of ordinary handshakes of each pattern.
    private static let runCount = 6

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed)
        for pattern in PatternName.allCases {
            let runs = try (0..<runCount).map { try cases.run(pattern, "\(pattern.rawValue)/\($0)") }
            for (index, run) in runs.enumerated() {
                try cases.addHonest(
                    "\(index)", "a whole handshake with fixed ephemeral keys", rules: Rules.ordinary(pattern)[index],
                    run: run)
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
    mutating func addHonest(
        _ slug: String, _ comment: String, rules: Rules, run: HandshakeRun, flags: [CaseFlag] = []
    ) throws {
        let pattern = run.pattern.slug
        try layer.valid(
            "\(pattern)-handshake-\(slug)", comment, rule: rules.handshake, operation: "noise.handshake",
            input: run.input, flags: flags)
        try layer.valid(
            "\(pattern)-respond-\(slug)", "the phone's side of it", rule: rules.respond, operation: "noise.respond",
            input: run.responderInput)
        try layer.valid(
            "\(pattern)-finish-\(slug)", "the client's side of it", rule: rules.finish, operation: "noise.finish",
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
            "crossed-\(slug)", comment, rule: "HT-HS-20", operation: operation, input: input, failure: "bad-tag",
            flags: [.order])
    }
}
