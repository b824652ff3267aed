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

    /// Asks every listener but this node, and hands on the answers until it is cancelled, which the caller must do.
    /// There may be no answer ever, and several: anybody on the way can answer, before the others.
    ///
    /// - Parameters:
    ///   - subject: whom it is for.
    ///   - message: makes the message for the subject to which answers go. It is called once, or not at all if the
    ///     question cannot be sent.
    ///   - answer: takes each answer, in turn.
    func request(
        of subject: String, _ message: (_ reply: String) -> [UInt8],
        _ answer: @escaping @Sendable (ClusterAnswer) -> Void
    ) -> any ClusterSubscription

    /// Listens to a subject until it is cancelled.
    func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ClusterDelivery) -> Void
    ) -> any ClusterSubscription
}

/// The answer to a request.
package enum ClusterAnswer: Sendable, Equatable {
    /// Somebody has answered: who, the bytes must show.
    case message([UInt8])
    /// Nobody listens, as the bus says, or somebody in its name.
    case nobody
}

/// A message that another node has sent.
package struct ClusterDelivery: Sendable {
    /// Its bytes.
    package let message: [UInt8]
    /// The subject to which it was sent.
    package let subject: String
    /// The subject to which answers go, if it is a request.
    package let reply: String?
    /// Answers it, if it is a request.
    package let answer: (@Sendable ([UInt8]) -> Void)?

    /// Makes one.
    package init(message: [UInt8], subject: String, reply: String?, answer: (@Sendable ([UInt8]) -> Void)?) {
        self.message = message
        self.subject = subject
        self.reply = reply
        self.answer = answer
    }
}

/// Listening to a subject.
package protocol ClusterSubscription: Sendable {
    /// Ends it.
    func cancel()
}
