/// A request, or the answer to one (HT-MSG-22).
public enum Payload: Sendable, Equatable {
    /// A CTAP request (command byte, then CBOR) or response (status byte, then CBOR): 1 byte or more.
    case ctap([UInt8])
    /// A digital-credential request or response: JSON text, 1 byte or more.
    case json(String)

    /// The bytes as they are sent behind the type byte.
    public var bytes: [UInt8] {
        switch self {
        case .ctap(let bytes): bytes
        case .json(let text): Array(text.utf8)
        }
    }

    /// The type of the message that carries it.
    public var type: MessageType {
        switch self {
        case .ctap: .ctap
        case .json: .json
        }
    }

    /// The feature without which a session does not carry it.
    var feature: FirstMessage.Feature {
        switch self {
        case .ctap: .ctap
        case .json: .digitalCredentials
        }
    }
}
