package import HybridProtocol
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// A tunnel: a `DataChannel` over a WebSocket.
///
/// Source: HT-TUN-58; RFC 6455. It is open from the start. Cancelling a task that sends or receives cuts the
/// connection, because it could not be known how much of a message had gone. So does dropping the last reference.
package final class WebSocketChannel: DataChannel {
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
    package func send(_ message: [UInt8]) async throws(DataChannelError) { try await send(contentsOf: [message]) }

    /// Sends messages in one go, and returns when the system has taken all of them.
    ///
    /// - Parameter messages: each 1 byte up to the configured limit.
    /// - Throws: as ``send(_:)``; if one of them is empty or too long, none was sent.
    package func send(contentsOf messages: [[UInt8]]) async throws(DataChannelError) {
        var frames: [ByteBuffer] = []
        for message in messages { frames.append(try frame(message)) }
        guard let last = frames.popLast() else { return }
        do {
            try await withTaskCancellationHandler {
                try await channel.eventLoop.flatSubmit { [channel, inbox, frames] in
                    inbox.noteSend()
                    TunnelLog.note("sent", byteCount: messages.reduce(0) { $0 + $1.count })
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
    package func receive() async throws(DataChannelError) -> [UInt8] {
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
    package var counts: MessageCounts { inbox.counts }

    /// Tells the peer, waits shortly for its answer, and returns when the socket is closed.
    package func close() async {
        TunnelLog.note("closing")
        inbox.end(DataChannelError(.closed, reason: "the tunnel was closed here"), keepingMessages: false)
        channel.triggerUserOutboundEvent(SocketCommand.close, promise: nil)
        try? await channel.closeFuture.get()
    }

    /// Sends a last message in one go with the close.
    ///
    /// - Parameter last: 1 byte up to the configured limit; otherwise it is not sent.
    package func close(after last: [UInt8]) async {
        if let frame = try? frame(last) { channel.write(frame, promise: nil) }
        await close()
    }

    private func frame(_ message: [UInt8]) throws(DataChannelError) -> ByteBuffer {
        guard !message.isEmpty else { throw DataChannelError(.framingViolation, reason: "a message must not be empty") }
        guard message.count <= messageLimit else {
            throw DataChannelError(.messageTooLong, reason: "\(message.count) bytes; the limit is \(messageLimit)")
        }
        return ByteBuffer(frame: .binary, ByteBuffer(bytes: message), mask: .random())
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
    package static let receiveInProgress = Self(rawValue: "receive-in-progress")
}

/// Messages that have come and were not asked for yet, and the one task that may be waiting for the next.
///
/// It is filled from the event loop and emptied from anywhere. When it is full it asks for reading to stop, which is
/// how a slow receiver slows the peer.
final class Inbox: Sendable {
    /// A message taken out.
    struct Taken {
        let message: [UInt8]
        /// True if reading had stopped, and must go on now.
        let resumesReading: Bool
    }

    fileprivate struct State {
        var messages: [[UInt8]] = []
        var next = 0
        var byteCount = 0
        var isReadingHeld = false
        var arrivedCount = 0
        var countBeforeLatestSend = 0
        var end: DataChannelError?
        var waiter: CheckedContinuation<Result<Taken, DataChannelError>, Never>?

        var isEmpty: Bool { next == messages.count }
    }

    /// The waiting bytes at which reading stops: two of the longest messages of the usual configuration.
    static let byteLimit = 2 << 20
    /// The count of a waiting message besides its bytes, so that not more than about a hundred may wait.
    fileprivate static let overhead = 16 << 10
    private let state = Mutex(State())

    /// The reason for which nothing more will come, once that is so.
    var end: DataChannelError? { state.withLock { $0.end } }

    /// The number of messages that have come.
    var counts: MessageCounts {
        state.withLock { state in
            let waiting = state.messages.count - state.next
            return MessageCounts(
                received: state.arrivedCount - waiting, beforeLatestSend: state.countBeforeLatestSend)
        }
    }

    /// Notes that a message is sent now. Called on the event loop, where the messages of one read are delivered at
    /// once.
    func noteSend() { state.withLock { $0.countBeforeLatestSend = $0.arrivedCount } }

    /// Adds a message, or hands it to the task that waits. After the end it is dropped.
    func deliver(_ message: [UInt8]) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<Taken, DataChannelError>, Never>? in
            guard state.end == nil else { return nil }
            state.arrivedCount += 1
            if let waiter = state.waiter {
                state.waiter = nil
                return waiter
            }
            state.messages.append(message)
            state.byteCount += message.count + Self.overhead
            return nil
        }
        waiter?.resume(returning: .success(Taken(message: message, resumesReading: false)))
    }

    /// Checks that more may be read now; if not, the taker of a message will be told to resume.
    func admitsReading() -> Bool {
        state.withLock { state in
            let isFull = state.byteCount >= Self.byteLimit && state.end == nil
            state.isReadingHeld = isFull
            return !isFull
        }
    }

    /// True while reading has stopped because the inbox is full.
    var isReadingHeld: Bool { state.withLock { $0.isReadingHeld } }

    /// Lets nothing more in, and tells the task that waits why. Only the first reason counts.
    ///
    /// - Parameter keepingMessages: true if messages that came before may still be taken.
    func end(_ error: DataChannelError, keepingMessages: Bool) {
        let waiter = state.withLock { state in
            if state.end == nil { state.end = error }
            if !keepingMessages { state.clear() }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .failure(error))
    }

    /// Takes the next message, or waits for it.
    ///
    /// - Throws: the reason of the end, once there are no messages; `receiveInProgress` if another task waits.
    func next() async throws(DataChannelError) -> Taken {
        let result: Result<Taken, DataChannelError> = await withCheckedContinuation { continuation in
            let immediate: Result<Taken, DataChannelError>? = state.withLock { state in
                if !state.isEmpty { return .success(state.take()) }
                if let end = state.end { return .failure(end) }
                if state.waiter != nil { return .failure(Self.secondWaiter) }
                state.waiter = continuation
                return nil
            }
            if let immediate { continuation.resume(returning: immediate) }
        }
        return try result.get()
    }

    private static let secondWaiter = DataChannelError(
        .receiveInProgress,
        reason: "another task waits for a message already"
    )
}

extension Inbox.State {
    fileprivate mutating func take() -> Inbox.Taken {
        let message = messages[next]
        messages[next] = []
        next += 1
        byteCount -= message.count + Inbox.overhead
        let resumes = isReadingHeld && byteCount < Inbox.byteLimit / 2
        if resumes { isReadingHeld = false }
        if isEmpty {
            messages.removeAll(keepingCapacity: true)
            next = 0
        }
        return Inbox.Taken(message: message, resumesReading: resumes)
    }

    fileprivate mutating func clear() {
        messages = []
        next = 0
        byteCount = 0
        isReadingHeld = false
    }
}
