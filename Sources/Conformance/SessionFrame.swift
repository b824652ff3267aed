internal import HybridProtocol

/// One frame of a session case: a plaintext that our side sends, or a sealed frame that it receives.
enum SessionFrame {
    case sent(plaintext: [UInt8])
    case received(frame: [UInt8])

    /// Reads the frames of a case, as `me`, one of the two senders, sees them.
    static func all(_ input: Fields, me: String) throws(ConformanceError) -> [SessionFrame] {
        var frames: [SessionFrame] = []
        for value in try input.array("frames") {
            guard case .object(let object) = value else { throw input.mistyped("frames", "an array of objects") }
            let fields = Fields(values: object, place: input.place)
            let isMine = try fields.text("sender") == me
            frames.append(
                isMine ? .sent(plaintext: try fields.bytes("plaintext")) : .received(frame: try fields.bytes("frame")))
        }
        return frames
    }

    /// The message that a plaintext of ours stands for.
    static func message(_ plaintext: [UInt8], _ input: Fields) throws(ConformanceError) -> Message {
        guard let message = try? Message(decoding: plaintext.span) else { throw unplayable(input) }
        return message
    }

    /// For frames of which no side could send or receive one where it stands.
    static func unplayable(_ input: Fields) -> ConformanceError { input.mistyped("frames", "a session of this side") }
}

extension Message {
    /// The type byte and the payload.
    var plaintext: [UInt8] { [type.rawValue] + payload }
}
