import HybridProtocol
import NIOCore

/// A reference to an authenticator's connection, which may live on another event loop.
struct ListenerEnd: Sendable, Equatable {
    private let eventLoop: any EventLoop
    private let handler: NIOLoopBound<ListenHandler>
    private let identity: ObjectIdentifier

    /// The connection that a handler on `eventLoop` serves. To be made on that event loop.
    init(_ handler: ListenHandler, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
        identity = ObjectIdentifier(handler)
    }

    /// Announces a client.
    func wake(_ wake: ServiceMessage.Wake) { tell { $0.wake(wake) } }

    /// Closes the connection: a newer one has replaced it, or might have, and then it must come again.
    func yield(isReplaced: Bool = true) { tell { $0.yield(isReplaced: isReplaced) } }

    /// True if it is the same connection.
    static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

    private func tell(_ message: @escaping @Sendable (ListenHandler) -> Void) {
        eventLoop.execute { message(handler.value) }
    }
}
