import HybridProtocol
import NIOCore

/// A client that waits until its authenticator knows of it.
struct ContactCall: Sendable {
    /// The token of the contact ID by which it asked.
    let token: ContactToken
    /// The wake that its authenticator is sent.
    let wake: ServiceMessage.Wake
    /// The client's connection.
    let client: CallingClient
    /// The time at which the client asked; another node may be older than that it tells it.
    var asked: ContinuousClock.Instant? = .now
    /// True if the client waits at another node, which asks again when its authenticator is back.
    var isForwarded = false
}

/// A reference to a waiting client, here or at another node.
struct CallingClient: Sendable {
    private let whenAccepted: @Sendable () -> Void
    private let whenRefused: @Sendable (HTTPRefusal) -> Void

    /// A client that is answered in these ways.
    init(accept: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (HTTPRefusal) -> Void) {
        whenAccepted = accept
        whenRefused = refuse
    }

    /// The client that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: RequestHandler, eventLoop: any EventLoop) {
        let handler = NIOLoopBound(handler, eventLoop: eventLoop)
        whenAccepted = { eventLoop.execute { handler.value.acceptCall() } }
        whenRefused = { refusal in eventLoop.execute { handler.value.refuseCall(refusal) } }
    }

    /// Answers the client: the authenticator knows of it.
    func accept() { whenAccepted() }

    /// Refuses the client: the authenticator will not come.
    func refuse(_ refusal: HTTPRefusal) { whenRefused(refusal) }
}
