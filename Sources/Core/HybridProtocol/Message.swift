/// The type of a message after the first one: its first byte in revision 1 (HT-MSG-16).
public enum MessageType: UInt8, Sendable, CaseIterable {
    /// The client ends the session.
    case shutdown = 0
    /// A CTAP request or response.
    case ctap = 1
    /// Data beside the requests, from the authenticator.
    case update = 2
    /// A digital-credential request or response, JSON.
    case json = 3

    /// The length before the payload: 1 byte.
    static let byteCount = MemoryLayout<RawValue>.size
}

/// A message after the first one (HT-MSG-16).
public enum Message: Sendable, Equatable {
    /// The client ends the session.
    case shutdown
    /// A request or an answer.
    case payload(Payload)
    /// Data beside the requests, from the authenticator: an encoded map.
    case update([UInt8])

    /// Reads a message of revision 1.
    ///
    /// - Parameter plaintext: the type byte, then the contents.
    /// - Throws: `empty` without a type byte (HT-MSG-18), or for CTAP or JSON without contents (HT-CTAP-3, HT-MSG-19,
    ///   HT-DC-13); `unknownType` (HT-MSG-17); `nonEmptyPayload` for a shutdown with contents (HT-MSG-31, HT-MSG-33);
    ///   `invalidText` for JSON that is not UTF-8 (HT-DC-12).
    public init(decoding plaintext: Span<UInt8>) throws(HybridProtocolError) {
        guard !plaintext.isEmpty else {
            throw HybridProtocolError(.empty, reason: "a message has at least its type byte")
        }
        guard let type = MessageType(rawValue: plaintext[0]) else {
            throw HybridProtocolError(.unknownType, reason: "message type \(plaintext[0]) is unknown")
        }
        let contents = plaintext.extracting(droppingFirst: 1).withUnsafeBufferPointer { Array($0) }
        switch type {
        case .shutdown:
            guard contents.isEmpty else {
                throw HybridProtocolError(.nonEmptyPayload, reason: "a shutdown carries nothing")
            }
            self = .shutdown
        case .ctap:
            guard !contents.isEmpty else {
                throw HybridProtocolError(.empty, reason: "a CTAP message without contents")
            }
            self = .payload(.ctap(contents))
        case .update:
            self = .update(contents)
        case .json:
            guard !contents.isEmpty else {
                throw HybridProtocolError(.empty, reason: "a JSON message without contents")
            }
            guard let text = String(validating: contents, as: UTF8.self) else {
                throw HybridProtocolError(.invalidText, reason: "a JSON message that is not UTF-8")
            }
            self = .payload(.json(text))
        }
    }

    /// The type of the message.
    public var type: MessageType {
        switch self {
        case .shutdown: .shutdown
        case .payload(let payload): payload.type
        case .update: .update
        }
    }

    /// The bytes behind the type byte.
    public var contents: [UInt8] {
        switch self {
        case .shutdown: []
        case .payload(let payload): payload.bytes
        case .update(let bytes): bytes
        }
    }
}
