internal import CTAP

/// The kind of a session's message in a few words, for a transcript.
///
/// - Parameters:
///   - message: the plaintext, with its type byte unless it is the first message.
///   - isFirst: true of the authenticator's first message.
///   - isClients: true if the client sends it.
func nameOfMessage(_ message: [UInt8], isFirst: Bool, isClients: Bool) -> String {
    guard !isFirst else { return "first message" }
    guard let type = message.first else { return "empty message" }
    switch type {
    case SessionMessageType.shutdown: return "shutdown"
    case SessionMessageType.update: return "update"
    case SessionMessageType.json: return "JSON message"
    case SessionMessageType.ctap:
        guard let byte = message.dropFirst().first else { return "CTAP message without a byte" }
        guard isClients else { return "CTAP answer with status \(hexadecimal(byte))" }
        return CTAPCommand(rawValue: byte).map { "CTAP \($0)" } ?? "CTAP command \(hexadecimal(byte))"
    default: return "message of type \(type)"
    }
}
