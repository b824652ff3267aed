import Glibc
public import HybridProtocol
import NIOConcurrencyHelpers
import NIOCore

/// A tunnel service that listens.
///
/// It goes on until ``shutdown(drain:)`` is called; nothing else ends it.
public struct RunningTunnelService: Sendable {
    /// The port that it listens on, 1…65535.
    public let port: Int

    private let listener: any Channel
    let relay: Relay
    private let admin: (any Channel)?
    let ticking: RepeatedTask

    init(listener: any Channel, admin: (any Channel)?, relay: Relay, ticking: RepeatedTask) {
        self.listener = listener
        self.relay = relay
        self.admin = admin
        self.ticking = ticking
        port = listener.localAddress?.port ?? 0
    }

    /// The address that it listens on, without the port, such as `127.0.0.1` or `::1`.
    public var host: String { listener.localAddress?.ipAddress ?? "" }

    /// The port of the admin address, if it has one.
    public var adminPort: Int? { admin?.localAddress?.port }

    /// The reason for which no new connections should be sent here, in one line; `nil` if they are welcome. `/readyz`
    /// of the admin address answers it.
    public var unreadiness: String? {
        get async { try? await relay.eventLoop.submit { [relay] in relay.unreadiness }.get() }
    }

    /// Returns when the event loop of the connections has turned: for a watchdog.
    public func turn() async { try? await listener.eventLoop.submit {}.get() }

    /// The number of open connections.
    public var connectionCount: Int { relay.counter.count }
    /// The number of authenticators that are connected to be woken.
    public var listenerCount: Int { relay.contacts?.registry.listenerCount ?? 0 }
    /// The number of clients that wait for their authenticator to know of them.
    public var waitingContactCount: Int { relay.contacts?.registry.callCount ?? 0 }
    /// The number of tunnels that wait for their second end.
    public var pendingTunnelCount: Int { relay.registry.pendingCount }
    /// The number of tunnels that have both ends.
    public var pairedTunnelCount: Int { relay.registry.pairedCount }
    /// The bytes of unfinished and unsent messages that are held, in all tunnels.
    public var bufferedByteCount: Int { relay.budget.heldBytes }

    /// Takes another certificate and key for connections from now on, and other contact secrets for requests from now
    /// on. Connections and tunnels that are there go on.
    ///
    /// A service that was started without TLS, or without a contact side, stays so.
    ///
    /// - Parameters:
    ///   - identity: the certificate and key; `nil` to keep the present ones.
    ///   - contactTokens: issues contact IDs; `nil` to keep the present issuer. If it does not know the secret of
    ///     before, clients whose links were made with that forget them.
    /// - Throws: ``TunnelServiceError`` with the code `invalid-certificate`; then nothing has changed.
    public func reload(
        identity: TLSIdentity? = nil, contactTokens: ContactTokenIssuer? = nil
    ) throws(TunnelServiceError) {
        let context = try identity?.makeContext(relay.logger)
        if let context {
            relay.tls.withLockedValue { current in
                if current != nil { current = context }
            }
        }
        if let contactTokens { relay.contacts?.replaceIssuer(by: contactTokens) }
    }

    /// Lets no tunnel open from now on, and authenticators wait elsewhere to be woken. Tunnels that have both ends, and
    /// those that wait for their second end and get it, go on for up to `drain`; then all are closed with 1001. Listens
    /// as long as a tunnel waits, and tells others with 503 to come again. Returns when every connection is gone: at
    /// most `drain`, twice the close time and two seconds for TLS later.
    ///
    /// Safe to call more than once; each call returns when all is gone, and the shortest drain time counts.
    public func shutdown(drain: Duration = .zero) async {
        let eventLoop = listener.eventLoop
        let noneWaits = eventLoop.makePromise(of: Void.self)
        relay.registry.drain(noneWaits)
        noneWaits.futureResult.whenComplete { [listener] _ in listener.close(promise: nil) }
        relay.forEachConnection { $0.handler?.drain() }
        let goAway = eventLoop.scheduleTask(in: TimeAmount(drain)) { [relay, listener] in
            listener.close(promise: nil)
            relay.forEachConnection { $0.handler?.goAway() }
        }
        let close = eventLoop.scheduleTask(in: TimeAmount(drain) + relay.times.close + relay.times.close) { [relay] in
            relay.forEachConnection { $0.close() }
        }
        try? await listener.closeFuture.get()
        try? await relay.counter.whenEmpty(on: eventLoop).get()
        goAway.cancel()
        close.cancel()
        ticking.cancel()
        try? await admin?.close().get()
        if case .unixSocket(let path) = relay.configuration.admin { unlink(path) }
        try? await eventLoop.submit { [relay] in
            relay.cluster?.stop()
            relay.clusterBox.value = nil
        }.get()
        relay.stopped()
    }
}
