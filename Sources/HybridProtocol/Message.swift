/// What a message is about, after the first one: its first byte in revision 1 (PROTOCOL.md 7.2).
public enum MessageType: UInt8, Sendable, CaseIterable {
    /// The client ends the session.
    case shutdown = 0
    /// A CTAP request or response.
    case ctap = 1
    /// Data beside the requests, from the authenticator.
    case update = 2
    /// A digital-credential request or response, JSON.
    case json = 3

    /// How many bytes it takes before the payload: 1.
    static let byteCount = MemoryLayout<RawValue>.size
}

/// A message after the first one (PROTOCOL.md 7.2).
public enum Message: Sendable, Equatable {
    /// The client ends the session.
    case shutdown
    /// A CTAP request (command byte, then CBOR) or response (status byte, then CBOR): 1 byte or more.
    case ctap([UInt8])
    /// Data beside the requests, from the authenticator: an encoded map.
    case update([UInt8])
    /// A digital-credential request or response: JSON text.
    case json(String)

    /// Reads a message of revision 1.
    ///
    /// - Parameter plaintext: the type byte, then the payload.
    /// - Throws: `empty` without a type byte, or for CTAP or JSON without a payload; `unknownType`; `nonEmptyPayload` for a
    ///   shutdown that says more; `invalidText` for JSON that is not UTF-8.
    public init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        guard !plaintext.isEmpty else {
            throw HybridProtocolError(.empty, reason: "a message has at least its type byte")
        }
        guard let type = MessageType(rawValue: plaintext[0]) else {
            throw HybridProtocolError(.unknownType, reason: "message type \(plaintext[0]) is unknown")
        }
        let payload = plaintext.extracting(droppingFirst: 1).withUnsafeBufferPointer { Array($0) }
        switch type {
        case .shutdown:
            guard payload.isEmpty else {
                throw HybridProtocolError(.nonEmptyPayload, reason: "a shutdown carries nothing")
            }
            self = .shutdown
        case .ctap:
            guard !payload.isEmpty else { throw HybridProtocolError(.empty, reason: "a CTAP message without contents") }
            self = .ctap(payload)
        case .update:
            self = .update(payload)
        case .json:
            guard !payload.isEmpty else { throw HybridProtocolError(.empty, reason: "a JSON message without contents") }
            guard let text = String(validating: payload, as: UTF8.self) else {
                throw HybridProtocolError(.invalidText, reason: "a JSON message that is not UTF-8")
            }
            self = .json(text)
        }
    }

    /// What the message is about.
    public var type: MessageType {
        switch self {
        case .shutdown: .shutdown
        case .ctap: .ctap
        case .update: .update
        case .json: .json
        }
    }

    /// What follows the type byte.
    public var payload: [UInt8] {
        switch self {
        case .shutdown: []
        case .ctap(let bytes), .update(let bytes): bytes
        case .json(let text): Array(text.utf8)
        }
    }
}
