/// The way on which the nodes of a service reach each other: subjects, to which a node listens, and on which others
/// publish or ask. It may lose messages and be gone for a while.
///
/// Its handlers are called on threads of its own.
package protocol ClusterBus: Sendable {
    /// True while it carries messages.
    var isConnected: Bool { get }

    /// Begins, and tells each time when it has been lost or is there again.
    func start(_ changed: @escaping @Sendable () -> Void)

    /// Ends.
    func stop()

    /// Tells everybody who listens, but not this node.
    func publish(_ message: [UInt8], to subject: String)

    /// Asks every listener but this node. The first answer counts; there may be none ever.
    func request(_ message: [UInt8], of subject: String, _ answer: @escaping @Sendable (ClusterAnswer) -> Void)

    /// Listens to a subject until it is cancelled.
    func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ClusterDelivery) -> Void
    ) -> any ClusterSubscription
}

/// The answer to a request.
package enum ClusterAnswer: Sendable, Equatable {
    /// Somebody has answered.
    case message([UInt8])
    /// Nobody listens.
    case nobody
}

/// A message that another node has sent.
package struct ClusterDelivery: Sendable {
    /// Its bytes.
    package let message: [UInt8]
    /// Answers it, if it is a request.
    package let answer: (@Sendable ([UInt8]) -> Void)?

    /// Makes one.
    package init(message: [UInt8], answer: (@Sendable ([UInt8]) -> Void)?) {
        self.message = message
        self.answer = answer
    }
}

/// Listening to a subject.
package protocol ClusterSubscription: Sendable {
    /// Ends it.
    func cancel()
}
