internal import Synchronization

/// Signals of the notification daemon, from the bus's thread to the tasks that wait for an answer.
final class NotificationEvents: Sendable {
    enum Event: Sendable {
        /// A notification's end, and who says so.
        case answered(UInt32, DesktopNotification.Answer, by: String)
        /// The daemon or the bus is gone.
        case lost(String)
    }

    static let answerKey = "answer"
    static let refuseKey = "refuse"
    /// The key of a click on the notification itself.
    static let defaultKey = "default"
    private static let interface = "org.freedesktop.Notifications"
    /// The most events that wait for one task; any more are dropped.
    private static let capacity = 256

    private struct State {
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var count = 0
        /// The bus is gone.
        var end: Event?
    }

    private let watch: DBusNameWatch
    private let state = Mutex(State())

    init(_ watch: DBusNameWatch) { self.watch = watch }

    /// Events from now on.
    func subscribe() -> (AsyncStream<Event>, Int) {
        let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
        let number = state.withLock { state in
            state.count += 1
            state.continuations[state.count] = continuation
            if let end = state.end { continuation.yield(end) }
            return state.count
        }
        return (events, number)
    }

    /// Ends a subscription.
    func end(_ subscription: Int) { state.withLock { $0.continuations.removeValue(forKey: subscription) }?.finish() }

    /// Takes an event of the bus, on its thread.
    func receive(_ event: DBusConnection.Event) {
        switch event {
        case .ended(let error):
            let end = Event.lost(error.reason)
            state.withLock { $0.end = end }
            tell(end)
        case .signal(let signal):
            let isRunning = watch.owner != nil
            if watch.receive(signal) {
                if isRunning { tell(.lost("it has ended")) }
            } else if watch.isSender(of: signal), let event = Self.event(of: signal) {
                tell(event)
            }
        }
    }

    private func tell(_ event: Event) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    private static func event(of signal: DBusMessage) -> Event? {
        guard signal.interface == interface, signal.body.count == 2, let id = signal.body[0].uint32Value else {
            return nil
        }
        switch (signal.member, signal.body[1]) {
        case ("ActionInvoked", .string(answerKey)), ("ActionInvoked", .string(defaultKey)):
            return .answered(id, .answer, by: signal.sender)
        case ("ActionInvoked", .string(refuseKey)): return .answered(id, .refuse, by: signal.sender)
        case ("NotificationClosed", .uint32(let reason)):
            let answer: DesktopNotification.Answer =
                switch reason {
                case 1: .expired
                case 2: .dismissed
                default: .closed
                }
            return .answered(id, answer, by: signal.sender)
        default: return nil
        }
    }
}
