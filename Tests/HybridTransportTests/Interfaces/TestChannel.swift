import HybridProtocol
import HybridTransport
import Synchronization

/// One end of a channel in memory. As with the real ones, cancelling a task that sends or receives cuts it.
final class TestChannel: DataChannel {
    /// The fate of a message on its way.
    enum Fate: Sendable {
        case delivered
        case replaced([[UInt8]])
        /// It never arrives, and its sender is not told.
        case lost
        /// The sender is kept waiting until it closes the channel, or is cancelled, as by a peer that does not read.
        case stuck
        /// The sender's end of the channel is closed cleanly in its place.
        case closed
    }

    let keepsMessagesWhole: Bool

    private let inbox: Inbox
    private let outbox: Inbox
    private let resources: ResourceCounter
    private let isOpen = Mutex(true)
    private let (untilClosed, closed) = AsyncStream<Never>.makeStream()
    private let sentCount = Mutex(0)
    private let fate: @Sendable (Int, [UInt8]) -> Fate

    private init(
        inbox: Inbox, outbox: Inbox, resources: ResourceCounter, keepsMessagesWhole: Bool,
        fate: @escaping @Sendable (Int, [UInt8]) -> Fate
    ) {
        self.keepsMessagesWhole = keepsMessagesWhole
        self.inbox = inbox
        self.outbox = outbox
        self.resources = resources
        self.fate = fate
    }

    /// Makes both ends of a channel. An end counts as open from the moment that it is handed out.
    static func pair(
        _ resources: ResourceCounter,
        _ firstFate: @escaping @Sendable (Int, [UInt8]) -> Fate,
        _ secondFate: @escaping @Sendable (Int, [UInt8]) -> Fate,
        keepsMessagesWhole: Bool = true
    ) -> (TestChannel, TestChannel) {
        let (one, other) = (Inbox(), Inbox())
        return (
            TestChannel(
                inbox: one, outbox: other, resources: resources, keepsMessagesWhole: keepsMessagesWhole,
                fate: firstFate),
            TestChannel(
                inbox: other, outbox: one, resources: resources, keepsMessagesWhole: keepsMessagesWhole,
                fate: secondFate)
        )
    }

    func handOut() -> TestChannel {
        resources.change { $0.openChannels += 1 }
        return self
    }

    func send(_ message: [UInt8]) async throws(DataChannelError) {
        guard isOpen.withLock({ $0 }) else { throw .closedHere }
        let number = sentCount.withLock {
            $0 += 1
            return $0 - 1
        }
        inbox.noteSend()
        switch fate(number, message) {
        case .delivered: try deliver([message])
        case .replaced(let messages): try deliver(messages)
        case .lost: return
        case .stuck:
            for await _ in untilClosed {}
            guard Task.isCancelled else { throw .closedHere }
            cut()
            throw DataChannelError(.cancelled, reason: "cancelled")
        case .closed:
            outbox.end(.closedThere)
            inbox.end(.closedThere)
        }
    }

    private func deliver(_ messages: [[UInt8]]) throws(DataChannelError) {
        for message in messages where !outbox.put(message) { throw inbox.end ?? .closedThere }
    }

    func receive() async throws(DataChannelError) -> [UInt8] {
        let result = await withTaskCancellationHandler {
            await inbox.take()
        } onCancel: {
            cut()
        }
        return try result.get()
    }

    var counts: MessageCounts { inbox.counts }

    func close() async {
        guard closeOnce() else { return }
        closed.finish()
        inbox.drop()
        inbox.end(.closedHere)
        outbox.end(.closedThere)
    }

    /// Lets the peer receive an error.
    func endPeer(with error: DataChannelError) { outbox.end(error) }

    private func cut() {
        inbox.drop()
        inbox.end(DataChannelError(.cancelled, reason: "cancelled"))
        outbox.end(DataChannelError(.connectionLost, reason: "the peer is gone"))
    }

    private func closeOnce() -> Bool {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { resources.change { $0.openChannels -= 1 } }
        return wasOpen
    }
}

extension DataChannelError {
    fileprivate static let closedHere = Self(.closed, reason: "closed on this side")
    fileprivate static let closedThere = Self(.closed, reason: "closed by the other side")
}

/// The messages that wait at one end of a channel.
private final class Inbox: Sendable {
    private typealias Taken = Result<[UInt8], DataChannelError>

    private struct State {
        var messages: [[UInt8]] = []
        var arrivedCount = 0
        var countBeforeLatestSend = 0
        var end: DataChannelError?
        var waiter: CheckedContinuation<Result<[UInt8], DataChannelError>, Never>?
    }

    private let state = Mutex(State())

    /// The error with which the channel has ended.
    var end: DataChannelError? { state.withLock { $0.end } }

    var counts: MessageCounts {
        state.withLock {
            MessageCounts(received: $0.arrivedCount - $0.messages.count, beforeLatestSend: $0.countBeforeLatestSend)
        }
    }

    func noteSend() { state.withLock { $0.countBeforeLatestSend = $0.arrivedCount } }

    /// Puts a message in; false if the channel has ended.
    func put(_ message: [UInt8]) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Taken, Never>?) in
            if state.end != nil { return (false, nil) }
            state.arrivedCount += 1
            guard let waiter = state.waiter else {
                state.messages.append(message)
                return (true, nil)
            }
            state.waiter = nil
            return (true, waiter)
        }
        waiter?.resume(returning: .success(message))
        return isTaken
    }

    func take() async -> Result<[UInt8], DataChannelError> {
        await withCheckedContinuation { continuation in
            let immediate = state.withLock { state -> Taken? in
                if !state.messages.isEmpty { return .success(state.messages.removeFirst()) }
                if let end = state.end { return .failure(end) }
                precondition(state.waiter == nil, "two tasks receive at once")
                state.waiter = continuation
                return nil
            }
            if let immediate { continuation.resume(returning: immediate) }
        }
    }

    func end(_ error: DataChannelError) {
        let waiter = state.withLock { state in
            if state.end == nil { state.end = error }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .failure(error))
    }

    func drop() { state.withLock { $0.messages = [] } }
}
