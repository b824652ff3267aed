import NIOCore
import TunnelProtocol

/// A client that waits until its authenticator knows of it.
struct ContactCall: Sendable {
    /// The token of the contact ID by which it asked.
    let token: ContactToken
    /// The wake that its authenticator is sent.
    let wake: ServiceMessage.Wake
    /// The client's connection.
    let client: CallingClient
}

/// A reference to a waiting client's connection, which may live on another event loop.
struct CallingClient: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<RequestHandler>

    /// The client that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: RequestHandler, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// Answers the client: the authenticator knows of it.
    func accept() { tell { $0.acceptCall() } }

    /// Refuses the client: the authenticator will not come.
    func refuse(_ refusal: Refusal) { tell { $0.refuseCall(refusal) } }

    private func tell(_ message: @escaping @Sendable (RequestHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
