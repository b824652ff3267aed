/// The type of a message after the first one: its first byte in revision 1 (HT-MSG-16).
public enum MessageType: UInt8, Sendable, CaseIterable {
    /// The client ends the session.
    case shutdown = 0
    /// A CTAP request or response.
    case ctap = 1
    /// Data beside the requests. Nothing is defined from a client (HT-MSG-48).
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
    /// Data beside the requests: an encoded map. Nothing is defined from a client (HT-MSG-48).
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

/// The turn of requests and answers in a session: one request at a time, each with an answer of its own kind
/// (HT-MSG-20, HT-MSG-22).
///
/// Both ends keep one, since the same rules hold for the requests that a client makes and those that an authenticator
/// is given.
struct RequestTurn: Sendable {
    /// The features of the session, as the first message says.
    private let features: Set<FirstMessage.Feature>
    private var openRequest: FirstMessage.Feature?

    init(features: Set<FirstMessage.Feature>) { self.features = features }

    /// Checks that a request may come now (HT-MSG-20, HT-MSG-21), and of this kind (HT-MSG-26, HT-DC-3).
    ///
    /// - Throws: `unexpectedMessage`.
    func check(request: Payload) throws(HybridProtocolError) {
        guard openRequest == nil else {
            throw HybridProtocolError(.unexpectedMessage, reason: "a request before the last one was answered")
        }
        guard features.contains(request.feature) else {
            throw HybridProtocolError(
                .unexpectedMessage, reason: "the authenticator does not offer \(request.feature.rawValue)")
        }
    }

    /// Notes that a request was made.
    mutating func begin(_ request: Payload) { openRequest = request.feature }

    /// Checks that this answer may come now (HT-MSG-23, HT-MSG-24, HT-MSG-25).
    ///
    /// - Throws: `unexpectedMessage`.
    func check(answer: Payload) throws(HybridProtocolError) {
        guard openRequest == answer.feature else {
            throw HybridProtocolError(.unexpectedMessage, reason: "an answer that fits no request")
        }
    }

    /// Notes that the request was answered.
    mutating func end() { openRequest = nil }
}

extension HybridProtocolError {
    static var sessionIsOver: Self { Self(.sessionEnded, reason: "the session is over") }
}
