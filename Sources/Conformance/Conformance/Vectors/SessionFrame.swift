internal import Encodings
internal import HybridProtocol

/// One frame of a session case: a plaintext that our side sends, or a sealed frame that it receives.
enum SessionFrame {
    case sent(plaintext: [UInt8])
    case received(frame: [UInt8])

    /// Reads the frames of a case, as `me`, one of the two senders, sees them.
    static func all(_ input: CaseFields, me: String) throws(VectorError) -> [SessionFrame] {
        try input.objects("frames").map { (fields) throws(VectorError) in
            try fields.check(["sender": true, "plaintext": false, "frame": false], "one of frames")
            guard (fields["plaintext"] == nil) != (fields["frame"] == nil) else { throw Self.misplaced }
            return try fields.text("sender") == me
                ? .sent(plaintext: try fields.bytes("plaintext")) : .received(frame: try fields.bytes("frame"))
        }
    }

    /// The message that a plaintext of ours stands for.
    static func message(_ plaintext: [UInt8]) throws(VectorError) -> Message {
        guard let message = try? Message(decoding: plaintext.span) else { throw misplaced }
        return message
    }

    /// For frames of which no side could send or receive one where it stands.
    static var misplaced: VectorError {
        VectorError(.malformedCase, reason: "frames is not a session of this side")
    }
}

extension Message {
    /// The type byte and the contents.
    var plaintext: [UInt8] { [type.rawValue] + contents }
}
