internal import TunnelService

/// A bus that brings drawn messages to one node. It is used by one thread.
final class EmbeddedBus: ClusterBus, @unchecked Sendable {
    /// Somebody who listens to a subject.
    struct Listener {
        let number: Int
        let subject: String
        let handler: @Sendable (ClusterDelivery) -> Void
    }

    /// Those who listen, in the order in which they began.
    private(set) var listeners: [Listener] = []
    /// A question that waits for an answer.
    struct Question {
        let number: Int
        let subject: String
        let reply: String
        let message: [UInt8]
        let answer: @Sendable (ClusterAnswer) -> Void
    }

    /// The questions that wait.
    private(set) var questions: [Question] = []
    /// The messages and questions of the node.
    private(set) var told: [[UInt8]] = []

    private(set) var isConnected = true
    private var changed: (@Sendable () -> Void)?
    private var last = 0

    /// Loses the connection, or makes it again.
    func connect(_ isConnected: Bool) {
        self.isConnected = isConnected
        changed?()
    }

    /// Takes out the messages and questions of the node.
    func takeTold() -> [[UInt8]] {
        defer { told = [] }
        return told
    }

    func start(_ changed: @escaping @Sendable () -> Void) { self.changed = changed }

    func stop() { changed = nil }

    func publish(_ message: [UInt8], to subject: String) { told.append(message) }

    func request(
        of subject: String, _ message: (_ reply: String) -> [UInt8],
        _ answer: @escaping @Sendable (ClusterAnswer) -> Void
    ) -> any ClusterSubscription {
        last += 1
        let reply = "answers.\(last)"
        let message = message(reply)
        told.append(message)
        questions.append(
            Question(number: last, subject: subject, reply: reply, message: message, answer: answer))
        return Subscription(bus: self, number: last)
    }

    func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ClusterDelivery) -> Void
    ) -> any ClusterSubscription {
        last += 1
        listeners.append(Listener(number: last, subject: subject, handler: handler))
        return Subscription(bus: self, number: last)
    }

    private struct Subscription: ClusterSubscription {
        let bus: EmbeddedBus
        let number: Int

        func cancel() {
            bus.listeners.removeAll { $0.number == number }
            bus.questions.removeAll { $0.number == number }
        }
    }
}
