internal import Synchronization

/// Record of one case while it runs.
final class CaseRecord: Sendable {
    /// The standard error of the peer's command.
    let errors = StandardErrorTail()
    /// The traffic of the channels.
    let transcript = TranscriptRecorder()
    /// True if the case counts only once it is known that every message has arrived.
    let needsDelivery: Bool
    /// True if that is not known before the peer's program has read it, false if its system has to have taken it.
    let needsReading: Bool

    /// A channel, and a way to learn what has arrived on it.
    private struct Tracked: Sendable {
        let delivery: Delivery
        let look: @Sendable (_ isLast: Bool) async -> Void
    }

    private struct State {
        var connectionCount = 0
        var tracked: [Tracked] = []
        var isMistakeSent = false
        var slowestStep = Duration.zero
        var edition: Rule.Edition?
        var lenience: String?
        var shimFault: String?
    }

    private let state = Mutex(State())

    private static let pause = Duration.milliseconds(5)
    private static let lookCount = 200
    /// The time that a peer has to react to a mistake, before something right is sent behind it.
    private static let reactionTime = Duration.seconds(1)

    init(needsDelivery: Bool = false, needsReading: Bool = true) {
        self.needsDelivery = needsDelivery
        self.needsReading = needsReading
    }

    /// The number of a new connection: 1 for the case's first.
    func nextConnection() -> Int {
        state.withLock { state in
            state.connectionCount += 1
            return state.connectionCount
        }
    }

    /// Notes how long a step of the peer took.
    func note(step: Duration) { state.withLock { $0.slowestStep = max($0.slowestStep, step) } }

    /// Notes the edition of CTAP that the peer shows: once the latest, it stays that.
    func note(edition: Rule.Edition) {
        state.withLock { $0.edition = $0.edition == .ctap23 ? .ctap23 : edition }
    }

    /// The edition that the peer has shown; nil if it has shown nothing yet.
    var edition: Rule.Edition? { state.withLock { $0.edition } }

    /// The time of the peer's slowest step until now.
    var slowestStep: Duration { state.withLock { $0.slowestStep } }

    /// Notes CBOR that is read though it is not canonical; the first one counts.
    ///
    /// - Parameters:
    ///   - what: the kind of message.
    ///   - id: the case whose rule it breaks.
    func noteForm(of bytes: [UInt8], _ what: String, case id: String, rule: String) {
        guard let fault = CanonicalForm.fault(bytes) else { return }
        let text = "its \(what) is not canonical CBOR: \(fault) (\(rule), \(id))"
        state.withLock { $0.lenience = $0.lenience ?? text }
    }

    /// The first such fault; nil if there was none.
    var lenience: String? { state.withLock { $0.lenience } }

    /// Notes that a shim has broken its protocol, or that there is no radio for it; the first one counts.
    func note(shimFault: String) {
        transcript.note("process", shimFault)
        state.withLock { $0.shimFault = $0.shimFault ?? shimFault }
    }

    /// The first such fault; nil if there was none.
    var shimFault: String? { state.withLock { $0.shimFault } }

    /// The delivery on a new channel.
    ///
    /// - Parameter look: asks whether everything has arrived, for channels that are still open in the end.
    func track(_ look: @escaping @Sendable (Delivery, _ isLast: Bool) async -> Void = { _, _ in }) -> Delivery {
        let delivery = Delivery(needsReading: needsReading)
        state.withLock { state in
            if state.isMistakeSent { delivery.close() }
            state.tracked.append(Tracked(delivery: delivery) { isLast in await look(delivery, isLast) })
        }
        return delivery
    }

    /// Asks of all channels that are still open whether everything has arrived, and waits for that a moment.
    func settleDeliveries() async {
        for tracked in state.withLock({ $0.tracked }) {
            for count in 1...Self.lookCount where !tracked.delivery.isSettled {
                await tracked.look(count == Self.lookCount)
                if !tracked.delivery.isSettled { try? await Task.sleep(for: Self.pause) }
            }
        }
    }

    /// Notes that the mistake has been sent, and waits a moment until it has arrived. Whether later messages arrive
    /// does not matter: a peer that refuses the mistake does not read them.
    ///
    /// - Parameter awaitsReaction: false if the peer gets no time to react: the next message is a part of the flow.
    func mistakeIsSent(awaitsReaction: Bool = true) async {
        guard needsDelivery else { return }
        // The peer's end says more than an acknowledgement: whether it has read everything.
        let end = ContinuousClock.now + (awaitsReaction ? Self.reactionTime : .zero)
        while ContinuousClock.now < end, state.withLock({ $0.tracked }).contains(where: { $0.delivery.isSilent }) {
            try? await Task.sleep(for: Self.pause)
        }
        try? await Task.sleep(for: Self.pause)
        await settleDeliveries()
        let tracked = state.withLock { state in
            state.isMistakeSent = true
            return state.tracked
        }
        for tracked in tracked { tracked.delivery.close() }
    }

    /// Notes a reason for which it is not known that the mistake has arrived.
    func noteUndelivered(_ reason: String) {
        let delivery = Delivery()
        delivery.noteUndelivered(reason)
        state.withLock { $0.tracked.append(Tracked(delivery: delivery) { _ in }) }
    }

    /// The reason why it is not known that everything has arrived; nil if it is.
    var undeliveredReason: String? { state.withLock { $0.tracked }.lazy.compactMap(\.delivery.undeliveredReason).first }
}
