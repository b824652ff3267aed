internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The layer `l2cap`: the messages in the bytes that an L2CAP channel delivers (the article L2CAP of
/// HybridProtocol). It is disputed, so all cases are optional.
struct L2CAPCases {
    let seed: VectorSeed
    /// The key of the frames, in one direction.
    let key: [UInt8]
    var layer = LayerCases(
        "l2cap", prefix: "l2cap",
        about: "Framing on the BLE channel: libwebauthn's, and a tolerant one. Disputed, so optional.")

    /// The terminator that libwebauthn puts behind each message.
    static let terminator: [UInt8] = [0x0D, 0x0A]

    /// The rules about the places where messages end.
    enum Rule {
        static let terminator = "HT-BLE-18"
        static let bare = "HT-BLE-19"
        static let pieces = "HT-BLE-20"
        static let together = "HT-BLE-21"
        static let inside = "HT-BLE-22"
        static let handshake = "HT-BLE-23"
    }

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var cases = Self(seed: seed, key: seed.bytes("l2cap/key", TransportKeys.keyByteCount))
        try cases.addFramings()
        try cases.addTerminatorsInside()
        try cases.addPieces()
        try cases.addHandshakes()
        return cases.layer
    }

    /// A message, and the frame that it is sealed in.
    struct Sent {
        let message: [UInt8]
        let frame: [UInt8]
    }

    /// Adds a case of the messages that an end must find in the pieces that it receives.
    ///
    /// - Parameters:
    ///   - messages: the messages that are whole.
    ///   - rest: the bytes that remain behind them.
    mutating func receive(
        _ slug: String,
        _ comment: String,
        rule: String,
        pieces: [[UInt8]],
        finding messages: [[UInt8]],
        rest: [UInt8] = [],
        handshakeMessages: Int = 0,
        flags: [CaseFlag] = []
    ) throws {
        let found = try layer.valid(
            slug, comment, rule: rule, operation: "l2cap.receive",
            input: [
                "key": .hex(key), "handshake_messages": .integer(handshakeMessages), "pieces": .hexes(pieces),
            ], flags: [.optional] + flags)
        try found.check("messages", is: .hexes(messages), in: slug)
        try found.check("rest", is: .hex(rest), in: slug)
    }

    /// A message of the label, and no other, with the number of its frame.
    func send(_ counter: Int, _ label: String, byteCount: Int = 40) throws -> Sent {
        let message = seed.bytes("l2cap/message/\(label)", byteCount)
        return Sent(message: message, frame: try CraftedFrame.seal(message, key: key, counter: UInt32(counter)))
    }
}

extension [L2CAPCases.Sent] {
    var messages: [[UInt8]] { map(\.message) }
    var frames: [[UInt8]] { map(\.frame) }
    /// The frames as libwebauthn sends them.
    var terminatedFrames: [[UInt8]] { map(\.frame.terminated) }
    /// Those in one piece.
    var stream: [UInt8] { [UInt8](terminatedFrames.joined()) }
}

extension [UInt8] {
    /// As libwebauthn sends it.
    var terminated: Self { self + L2CAPCases.terminator }
}

// Beginnings and ends of messages.

extension L2CAPCases {
    private mutating func addFramings() throws {
        let sent = try (0..<3).map { try send($0, "\($0)") }
        let (messages, frames, terminated) = (sent.messages, sent.frames, sent.terminatedFrames)
        try receive(
            "terminated", "each message is one piece and ends in 0D 0A", rule: Rule.terminator, pieces: terminated,
            finding: messages)
        try receive(
            "bare", "each message is one piece without an end", rule: Rule.bare, pieces: frames, finding: messages)
        try receive(
            "mixed", "the sender changes its mind", rule: Rule.bare, pieces: [terminated[0], frames[1], terminated[2]],
            finding: messages)
        try receive(
            "stream", "three terminated messages in one piece", rule: Rule.together, pieces: [sent.stream],
            finding: messages)
        try receive(
            "own-pieces", "each 0D 0A is a piece of its own", rule: Rule.terminator,
            pieces: frames.flatMap { [$0, Self.terminator] }, finding: messages)
        try receive(
            "libwebauthn", "a frame of 32k + 17 bytes", rule: "HT-FRM-6", pieces: [try libwebauthnFrame().terminated],
            finding: [Self.getInfo], flags: [.foreign])
        try receive("nothing", "nothing has come", rule: Rule.pieces, pieces: [], finding: [])
        let half = Array(frames[0].dropLast())
        try receive(
            "half", "a message without its last byte", rule: Rule.pieces, pieces: [half], finding: [], rest: half)
        let begun = Array(frames[1].prefix(30))
        try receive(
            "half-second", "the second has only begun", rule: Rule.pieces, pieces: [terminated[0] + begun],
            finding: [messages[0]], rest: begun)
        let foreign = [UInt8].zeros(48).terminated
        try receive(
            "foreign", "what does not open is no message", rule: Rule.inside, pieces: [foreign], finding: [],
            rest: foreign)
        try receive(
            "counter", "the second frame first", rule: "HT-FRM-18", pieces: [terminated[1]], finding: [],
            rest: terminated[1])
    }

    private static let getInfo = MessageType.ctap.message([0x04])

    /// libwebauthn puts the type byte in front of the padded payload (HT-FRM-6).
    private func libwebauthnFrame() throws -> [UInt8] {
        let payload = CraftedFrame.padded(Array(Self.getInfo.dropFirst()))
        return try CraftedFrame.seal(plaintext: MessageType.ctap.message(payload), key: key)
    }

    private mutating func addPieces() throws {
        let sent = [try send(0, "long/0", byteCount: 1000), try send(1, "long/1", byteCount: 70)]
        for size in [2, 16, 48, 64, 247, 1041, 1043] {
            try receive(
                "pieces-\(size)", "a terminated stream in pieces of \(size) bytes", rule: Rule.pieces,
                pieces: sent.stream.pieces(of: size), finding: sent.messages)
        }
        try receive(
            "bare-pieces", "a bare message that is longer than a piece", rule: Rule.bare,
            pieces: sent[0].frame.pieces(of: 100), finding: [sent[0].message])
        try receive(
            "cut-terminator", "0D in one piece, 0A in the next", rule: Rule.terminator,
            pieces: [sent[0].frame + Self.terminator.prefix(1), Self.terminator.suffix(1) + sent[1].frame],
            finding: sent.messages)
    }

    private mutating func addHandshakes() throws {
        let after = try send(0, "after")
        let (terminator, byteCount) = (Self.terminator, SessionHandshake.messageByteCount)
        let plain = seed.bytes("l2cap/handshake", byteCount)
        let handshakes: [(String, [UInt8])] = [
            ("plain", plain), ("inside", plain.prefix(40) + terminator + plain.dropFirst(42)),
            ("last", plain.dropLast(2) + terminator), ("first", terminator + plain.dropFirst(2)),
        ]
        for (slug, message) in handshakes {
            let about = "a handshake message of \(byteCount) bytes (\(slug)), then a sealed one"
            let (terminated, both) = ([message.terminated, after.frame.terminated], [message, after.message])
            try receive(
                "handshake-\(slug)-terminated", about, rule: Rule.handshake, pieces: terminated, finding: both,
                handshakeMessages: 1)
            try receive(
                "handshake-\(slug)-bare", "\(about); bare", rule: Rule.handshake, pieces: [message, after.frame],
                finding: both, handshakeMessages: 1)
            try receive(
                "handshake-\(slug)-stream", "\(about); in one piece", rule: Rule.handshake,
                pieces: [Array(terminated.joined())], finding: both, handshakeMessages: 1)
        }
        let half = Array(plain.dropLast())
        try receive(
            "handshake-half", "\(byteCount - 1) bytes of it", rule: Rule.handshake, pieces: [half], finding: [],
            rest: half, handshakeMessages: 1)
    }
}
