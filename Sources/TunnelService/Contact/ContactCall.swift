import ContactProtocol
import NIOCore

/// A client that waits until its authenticator knows of it.
struct ContactCall: Sendable {
    /// By what it asked.
    let ticket: ContactTicket
    /// What its authenticator is told.
    let wake: ServiceMessage.Wake
    /// The client.
    let client: CallingClient
}

/// How a client that waits is reached, which may live on another event loop.
struct CallingClient: Sendable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<RequestHandler>

    /// The client that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: RequestHandler, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    /// The authenticator knows of you.
    func accept() { tell { $0.acceptCall() } }

    /// The authenticator will not come.
    func refuse(_ refusal: Refusal) { tell { $0.refuseCall(refusal) } }

    private func tell(_ message: @escaping @Sendable (RequestHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
