internal import Synchronization

/// State of delivery of the runner's messages on one channel: only a message that arrived can be refused.
///
/// An end of the channel tells. Linux closes a socket of which everything was read in order, and resets one of which
/// something was not (RFC 2525 section 2.17; unix(7) likewise). So an orderly end by the peer says that it has read
/// everything sent before, and anything else says nothing. Of a peer on this machine the system also tells how much its
/// program has not read, so that a message that it sends after it has read everything says as much.
final class Delivery: Sendable {
    private struct State {
        /// The time at which the last message was sent that must arrive; nil without one.
        var lastSent: ContinuousClock.Instant?
        /// The time at which the peer last sent something.
        var lastReceived: ContinuousClock.Instant?
        /// The length of the last message that must arrive, in bytes.
        var lastByteCount = 0
        /// True if the peer has sent something when its system had acknowledged everything that must arrive.
        var isAnswered = false
        /// True if the peer has sent something when its program had read everything that must arrive, or a part of the
        /// last message.
        var isRead = false
        /// True if the last message lay unread when the peer last sent something.
        var isBehind = false
        /// True if something was written since: a goodbye, that may find nobody.
        var hasWritten = false
        /// True once it is known that the channel has ended, or is not needed any more.
        var isSettled = false
        /// The reason why it is not known that everything has arrived.
        var undeliveredReason: String?
        /// True once nothing counts any more.
        var isClosed = false
        /// True if the last message is too long to arrive whole before it can be refused.
        var isLong = false

        /// True if the peer has answered a long message. It need not take the rest: the answer is to the part it took.
        var isLongAnswered: Bool {
            guard isLong, let lastSent, let lastReceived else { return false }
            return lastReceived > lastSent
        }
    }

    /// Bytes from which on a message is long. Less is in the buffers of both systems before anybody looks at it.
    private static let longByteCount = 65_536

    private let state = Mutex(State())
    private let needsReading: Bool

    /// - Parameter needsReading: false if it is enough that the peer's system has taken a message before the peer ended
    ///   the channel.
    init(needsReading: Bool = true) { self.needsReading = needsReading }

    /// Changes the state, unless nothing counts any more.
    private func change(_ body: (inout State) -> Void) { state.withLock { if !$0.isClosed { body(&$0) } } }

    /// Notes that the mistake has been sent, and that nothing after it counts.
    func close() { state.withLock { ($0.isClosed, $0.isSettled) = (true, true) } }

    /// Notes that a message is about to be sent that must arrive.
    func willSend(byteCount: Int = 0) {
        change { state in
            if state.isSettled { state.undeliveredReason = state.undeliveredReason ?? Self.late }
            state.lastSent = .now
            state.isAnswered = false
            state.isRead = false
            state.lastByteCount = byteCount
            state.isLong = byteCount >= Self.longByteCount
        }
    }

    /// Notes that a message could not be sent.
    func couldNotSend() {
        change { if !$0.isLongAnswered { $0.undeliveredReason = $0.undeliveredReason ?? Self.late } }
    }

    /// Notes that the peer sent something.
    ///
    /// - Parameters:
    ///   - isAcknowledged: true if its system had acknowledged everything.
    ///   - unreadByteCount: the number of bytes that its program had not read; nil if that is not known.
    func received(isAcknowledged: Bool = false, unreadByteCount: Int? = nil) {
        change { state in
            state.lastReceived = .now
            state.hasWritten = false
            state.isBehind = unreadByteCount.map { $0 >= max(1, state.lastByteCount) } ?? false
            guard isAcknowledged, !state.isBehind else { return }
            state.isAnswered = true
            if unreadByteCount != nil { state.isRead = true }
        }
    }

    /// True if the last message lay unread when the peer last sent something.
    var isBehind: Bool { state.withLock { $0.isBehind } }

    /// Notes that something was written, which need not arrive.
    func wrote() { change { $0.hasWritten = true } }

    /// Notes that the peer has said at this time that it will read no more.
    ///
    /// - Parameter isBehind: true if the last message lay unread then.
    func saidGoodbye(at time: ContinuousClock.Instant, isBehind: Bool = false) {
        change { state in
            guard let sent = state.lastSent else { return }
            if time < sent { state.undeliveredReason = state.undeliveredReason ?? Self.late }
            if isBehind, !state.isRead { state.undeliveredReason = state.undeliveredReason ?? Self.unread }
        }
    }

    /// Notes that the channel is over in order: everything that was sent until now has been read.
    func settle() { change { $0.isSettled = true } }

    /// Notes that the channel has ended in another way. Where the peer had answered, and we had replied, it may be the
    /// reply that was not read.
    func reset() {
        change { state in
            guard !state.isSettled else { return }
            state.isSettled = true
            if !needsReading || state.isRead || state.isAnswered && state.hasWritten || state.isLongAnswered { return }
            if state.lastSent != nil { state.undeliveredReason = state.undeliveredReason ?? Self.unread }
        }
    }

    /// True if nothing can be learned any more, or nothing was sent.
    var isSettled: Bool { !needsReading || state.withLock { $0.isSettled || $0.lastSent == nil } }

    /// True if something was sent that must arrive, and the peer has neither answered nor ended the channel.
    var isSilent: Bool { !isSettled && !hasAnswer }

    /// True if the peer has sent something since the last message that must arrive.
    var hasAnswer: Bool {
        state.withLock { state in
            guard let sent = state.lastSent, let received = state.lastReceived else { return false }
            return received > sent
        }
    }

    /// Notes that the peer's system has not acknowledged the last that was written, or its program has not read it.
    func giveUp(isAcknowledged: Bool = false) {
        change { state in
            guard !state.isSettled else { return }
            state.isSettled = true
            if needsReading, !state.isAnswered, !state.isLongAnswered {
                state.undeliveredReason =
                    state.undeliveredReason ?? (isAcknowledged ? Self.ignored : Self.unacknowledged)
            }
        }
    }

    /// Notes a reason for which it is not known that everything has arrived. The first one counts.
    func noteUndelivered(_ reason: String) { change { $0.undeliveredReason = $0.undeliveredReason ?? reason } }

    /// Clears the reason: it has arrived.
    func clear() { change { $0.undeliveredReason = nil } }

    /// The reason why it is not known that everything has arrived; nil if it is.
    var undeliveredReason: String? { state.withLock { $0.undeliveredReason } }

    private static let late = "it had ended the connection before that was sent"
    private static let unread = "it ended the connection, and did not read everything that had been sent"
    private static let ignored = "it did not read everything that had been sent"
    private static let unacknowledged = "its system did not acknowledge the bytes sent"
}
