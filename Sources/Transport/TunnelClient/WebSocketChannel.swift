public import HybridTransport
internal import NIOCore
internal import NIOWebSocket

/// A tunnel: a `DataChannel` over a WebSocket.
///
/// Source: HT-TUN-58; RFC 6455. It is open from the start. Cancelling a task that sends or receives cuts the
/// connection, because it could not be known how much of a message had gone. So does dropping the last reference.
public final class WebSocketChannel: DataChannel {
    private let channel: any Channel
    private let inbox: Inbox
    private let messageLimit: Int

    init(channel: any Channel, inbox: Inbox, messageLimit: Int) {
        self.channel = channel
        self.inbox = inbox
        self.messageLimit = messageLimit
    }

    deinit { drop() }

    /// Sends one message and returns when the system has taken all of it.
    ///
    /// - Parameter message: 1 byte up to the configured limit.
    /// - Throws: `framing-violation` for an empty message and `message-too-long`, after which the channel is still
    ///   good; otherwise `cancelled`, or why the channel has ended.
    public func send(_ message: [UInt8]) async throws(DataChannelError) { try await send(contentsOf: [message]) }

    /// Sends messages in one go, and returns when the system has taken all of them.
    ///
    /// - Parameter messages: each 1 byte up to the configured limit.
    /// - Throws: as ``send(_:)``; if one of them is empty or too long, none was sent.
    public func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError) {
        var frames: [WebSocketFrame] = []
        for message in messages { frames.append(try frame(message)) }
        guard let last = frames.popLast() else { return }
        do {
            try await withTaskCancellationHandler {
                try await channel.eventLoop.flatSubmit { [channel, inbox, frames] in
                    inbox.noteSend()
                    for frame in frames { channel.write(frame, promise: nil) }
                    return channel.writeAndFlush(last)
                }.get()
            } onCancel: {
                abandon()
            }
        } catch {
            throw inbox.end ?? DataChannelError(.connectionLost, reason: "the connection broke")
        }
    }

    /// Waits for the next message.
    ///
    /// - Returns: 1 byte up to the configured limit.
    /// - Throws: `receive-in-progress` if another task waits already, which does not harm the channel; `cancelled`;
    ///   otherwise why the channel has ended, once all messages before that are taken.
    public func receive() async throws(DataChannelError) -> [UInt8] {
        let result: Result<Inbox.Taken, DataChannelError> = await withTaskCancellationHandler {
            do throws(DataChannelError) {
                return .success(try await inbox.next())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            abandon()
        }
        let taken = try result.get()
        if taken.resumesReading { channel.read() }
        return taken.message
    }

    /// The number of messages that have come.
    public var counts: MessageCounts { inbox.counts }

    /// Tells the peer, waits shortly for its answer, and returns when the socket is closed.
    public func close() async {
        inbox.end(DataChannelError(.closed, reason: "the tunnel was closed here"), keepingMessages: false)
        channel.triggerUserOutboundEvent(SocketCommand.close, promise: nil)
        try? await channel.closeFuture.get()
    }

    /// Sends a last message in one go with the close.
    ///
    /// - Parameter last: 1 byte up to the configured limit; otherwise it is not sent.
    public func close(after last: [UInt8]) async {
        if let frame = try? frame(last) { channel.write(frame, promise: nil) }
        await close()
    }

    private func frame(_ message: [UInt8]) throws(DataChannelError) -> WebSocketFrame {
        guard !message.isEmpty else { throw DataChannelError(.framingViolation, reason: "a message must not be empty") }
        guard message.count <= messageLimit else {
            throw DataChannelError(.messageTooLong, reason: "\(message.count) bytes; the limit is \(messageLimit)")
        }
        return WebSocketFrame(
            fin: true, opcode: .binary, maskKey: .random(), data: channel.allocator.buffer(bytes: message))
    }

    /// Ends the channel for a task that was cancelled.
    private func abandon() {
        inbox.end(.cancelledTask, keepingMessages: false)
        drop()
    }

    private func drop() { channel.triggerUserOutboundEvent(SocketCommand.drop, promise: nil) }
}

extension DataChannelError.Code {
    /// Two tasks waited for a message at once; the second is refused.
    public static let receiveInProgress = Self(rawValue: "receive-in-progress")
}
