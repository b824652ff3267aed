internal import Conformance
internal import Encodings
internal import HybridProtocol

/// The two ends of a session.
enum SessionSide: String {
    case client
    case authenticator
}

/// A message of a session's script: its sender, and its bytes.
struct SessionStep {
    let sender: SessionSide
    let plaintext: [UInt8]
    /// The bytes that are sealed in place of the plaintext with its padding.
    private(set) var padded: [UInt8]?

    /// The client says something.
    static func client(_ plaintext: [UInt8], padded: [UInt8]? = nil) -> Self {
        Self(sender: .client, plaintext: plaintext, padded: padded)
    }

    /// The authenticator says something.
    static func phone(_ plaintext: [UInt8], padded: [UInt8]? = nil) -> Self {
        Self(sender: .authenticator, plaintext: plaintext, padded: padded)
    }

    /// True for an update, in either direction.
    var isUpdate: Bool { plaintext.first == MessageType.update.rawValue }
}

/// The frames of a script, each sealed by its sender's key and counter.
struct SealedScript {
    private struct Frame {
        let step: SessionStep
        var sealed: [UInt8]
    }

    private var frames: [Frame] = []

    /// A session in which nothing is said after the handshake.
    init() {}

    /// Seals the messages of a script (HT-FRM-10 to HT-FRM-12).
    init(_ steps: [SessionStep], _ keys: SessionHandshake, _ construction: TransportConstruction) throws {
        var client = try FrameSealer(key: keys.clientKey.span, construction: construction)
        var authenticator = try FrameSealer(key: keys.authenticatorKey.span, construction: construction)
        for step in steps {
            let message = step.padded ?? CraftedFrame.padded(step.plaintext)
            let frame =
                switch step.sender {
                case .client: try client.seal(padded: message)
                case .authenticator: try authenticator.seal(padded: message)
                }
            frames.append(Frame(step: step, sealed: frame))
        }
    }

    /// The frame of a message.
    subscript(_ index: Int) -> [UInt8] { frames[index].sealed }

    /// The same frames, but for the last one.
    func replacingLast(by frame: (SealedScript) -> [UInt8]) -> Self {
        var changed = self
        if let last = frames.indices.last { changed.frames[last].sealed = frame(self) }
        return changed
    }

    /// The input of a case of this side: its own plaintexts, and the other's frames.
    func input(_ side: SessionSide) -> JSONValue {
        .array(
            frames.map { frame in
                let sender = JSONValue.string(frame.step.sender.rawValue)
                return frame.step.sender == side
                    ? ["sender": sender, "plaintext": .hex(frame.step.plaintext)]
                    : ["sender": sender, "frame": .hex(frame.sealed)]
            })
    }

    /// The outcome of a case of this side: its own frames, and the other's plaintexts.
    func results(_ side: SessionSide) -> JSONValue {
        .hexes(frames.map { $0.step.sender == side ? $0.sealed : $0.step.plaintext })
    }
}
