/// The messages of an application that has a code of its own: their bytes, and which of them may come when.
///
/// It is the state of one session at one end. A message that it refuses leaves it as it was.
public protocol MessageCodec: Sendable {
    /// A message.
    associatedtype Message: Sendable

    /// True when no message may follow.
    var isComplete: Bool { get }

    /// Encodes a message that this end sends.
    ///
    /// - Returns: 0 bytes to 1 MiB, which are wiped when they are sealed.
    /// - Throws: `unexpectedMessage` for one that may not be sent now; `sessionEnded`; others of the application's.
    mutating func encode(_ message: Message) throws(HybridProtocolError) -> [UInt8]

    /// Decodes a message that this end has received.
    ///
    /// - Parameter bytes: 0 bytes to 1 MiB, authentic, which are wiped afterwards.
    /// - Throws: `unexpectedMessage` for one that may not come now; others for bytes that are no message. Any error
    ///   ends the session.
    mutating func decode(_ bytes: Span<UInt8>) throws(HybridProtocolError) -> Message

    /// The error that a received message ends the session with; nil for a message that is received as one.
    static func failure(of message: Message) -> (any Error)?
}

extension MessageCodec {
    /// No message is an error.
    public static func failure(of message: Message) -> (any Error)? { nil }
}

/// Messages of any bytes, in any order. An application that keeps secrets in them wipes its own copies.
public struct OpaqueMessages: MessageCodec {
    /// Makes a codec, which needs nothing of the session.
    ///
    /// - Parameter handshakeHash: 32 bytes.
    public init(handshakeHash: [UInt8]) {}

    /// False: there may always be one more.
    public var isComplete: Bool { false }

    /// The message itself.
    public mutating func encode(_ message: [UInt8]) throws(HybridProtocolError) -> [UInt8] { message }

    /// A copy of the bytes.
    public mutating func decode(_ bytes: Span<UInt8>) throws(HybridProtocolError) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Array($0) }
    }
}
