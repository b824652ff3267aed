/// A way to carry whole protocol messages between the two ends of a hybrid session.
///
/// CTAP 2.3 section 11.5.1.1 names two: a WebSocket through a tunnel service, and an L2CAP channel. The transport above
/// sees neither: one ``send(_:)`` is one message, and one ``receive()`` is one message, in order and unaltered. Of a
/// channel that does not keep messages whole (``keepsMessagesWhole``), the same is true of pieces instead. A channel
/// carries ciphertext only and gives no secrecy of its own.
///
/// Cancelling a task that sends or receives ends that at once with ``DataChannelError/Code-swift.struct/cancelled``,
/// and the channel is then of no more use. One task at a time may receive.
public protocol DataChannel: Sendable {
    /// True if what is sent at once is received at once. If not, ``send(_:)`` takes bytes with whatever marks their
    /// end, and ``receive()`` gives pieces of 1 byte or more. The channel cannot join them: a message ends where it
    /// decrypts.
    var keepsMessagesWhole: Bool { get }

    /// Sends one message and returns when the channel has taken it, which is how a slow peer slows its sender.
    ///
    /// - Parameter message: 1 byte or more; an empty message is a violation of the protocol (HT-TUN-60).
    /// - Throws: ``DataChannelError``. After any error the channel is of no more use.
    func send(_ message: [UInt8]) async throws(DataChannelError)

    /// Sends messages one after another; if the channel can, in one go, so that the peer has them all at once.
    ///
    /// - Parameter messages: each 1 byte or more.
    /// - Throws: ``DataChannelError``. After any error the channel is of no more use.
    func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError)

    /// Waits for the next whole message.
    ///
    /// Messages that arrived before the peer closed are handed out before the close is reported.
    ///
    /// - Returns: 1 byte or more.
    /// - Throws: ``DataChannelError``; `closed` when the peer closed the channel cleanly.
    func receive() async throws(DataChannelError) -> [UInt8]

    /// The messages that have come, counted; zeros where the system holds them until they are received.
    ///
    /// They tell what had come before a request was sent, and therefore answers nothing (HT-MSG-23).
    var counts: MessageCounts { get }

    /// Closes the channel cleanly and returns when nothing of it is left, within seconds whatever the peer does.
    ///
    /// A task that still sends or receives gets ``DataChannelError/Code-swift.struct/closed``. Closing twice is
    /// harmless, and closing works in a cancelled task too.
    func close() async

    /// Sends a last message and closes the channel likewise, whether or not the message could be sent; if the channel
    /// can, in one go.
    ///
    /// - Parameter last: 1 byte or more.
    func close(after last: [UInt8]) async
}

extension DataChannel {
    /// True, as of a WebSocket.
    public var keepsMessagesWhole: Bool { true }

    /// Sends one after another.
    public func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError) {
        for message in messages { try await send(message) }
    }

    /// Sends it, then closes.
    public func close(after last: [UInt8]) async {
        // A channel that no longer takes it is only to be closed.
        try? await send(last)
        await close()
    }

    /// Zeros, as of a channel that leaves what has come to the system until it is received.
    public var counts: MessageCounts { MessageCounts(received: 0, beforeLatestSend: 0) }
}

/// Numbers of the messages that have come on a channel since it was opened; where messages are not kept whole, of the
/// pieces.
///
/// Source: our own; it serves the rule that one request has one answer (HT-MSG-23).
public struct MessageCounts: Sendable, Hashable {
    /// Number of the messages that were received.
    public let received: Int
    /// Number of the messages that had come, received or not, when the latest message was sent; 0 before the first.
    public let beforeLatestSend: Int

    /// Makes the counts.
    public init(received: Int, beforeLatestSend: Int) {
        self.received = received
        self.beforeLatestSend = beforeLatestSend
    }
}
