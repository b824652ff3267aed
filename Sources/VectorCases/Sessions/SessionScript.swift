internal import HybridProtocol
internal import JSON
internal import Noise

/// The two ends of a session.
enum SessionSide: String {
    case client
    case authenticator
}

/// A message of a session's script: who sends it, and what.
struct SessionStep {
    let sender: SessionSide
    let plaintext: [UInt8]
    /// What is sealed in place of the plaintext with its padding.
    private(set) var padded: [UInt8]?

    /// The client says something.
    static func client(_ plaintext: [UInt8], padded: [UInt8]? = nil) -> Self {
        Self(sender: .client, plaintext: plaintext, padded: padded)
    }

    /// The authenticator says something.
    static func phone(_ plaintext: [UInt8], padded: [UInt8]? = nil) -> Self {
        Self(sender: .authenticator, plaintext: plaintext, padded: padded)
    }

    /// Whether it is an update, in whichever direction.
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

    /// Seals the messages of a script (PROTOCOL.md 6.1).
    init(_ steps: [SessionStep], _ keys: SessionHandshake, _ construction: TransportConstruction) throws {
        var client = try TransportSealer(key: keys.clientKey.span, construction: construction)
        var authenticator = try TransportSealer(key: keys.authenticatorKey.span, construction: construction)
        for step in steps {
            var message = step.padded ?? CraftedFrame.padded(step.plaintext)
            switch step.sender {
            case .client: try client.seal(&message)
            case .authenticator: try authenticator.seal(&message)
            }
            frames.append(Frame(step: step, sealed: message))
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

    /// What goes into a case of this side: its own plaintexts, and the other's frames.
    func input(_ side: SessionSide) -> JSONValue {
        .array(
            frames.map { frame in
                let sender = JSONValue.string(frame.step.sender.rawValue)
                return frame.step.sender == side
                    ? ["sender": sender, "plaintext": .hex(frame.step.plaintext)]
                    : ["sender": sender, "frame": .hex(frame.sealed)]
            })
    }

    /// What must come out of it: its own frames, and the other's plaintexts.
    func results(_ side: SessionSide) -> JSONValue {
        .hexes(frames.map { $0.step.sender == side ? $0.sealed : $0.step.plaintext })
    }
}
