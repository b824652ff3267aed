import HybridProtocol
import NIOCore

/// The contact side of a node together with those of the other nodes (TS-CON-43): wakes authenticators that wait at
/// another node, lets those here be woken from there, and ends connections that a newer one elsewhere has replaced.
///
/// It lives on the event loop of the connections.
final class ContactCluster {
    /// An authenticator that waits here.
    struct Listener {
        var end: ListenerEnd
        var registration: ClusterMessage.Registration
        /// The tie of the registration that another node had when it was asked for its number.
        var replaced: UInt64?
        /// The time of the registration.
        var begin = ContinuousClock.now
        var subscription: (any ClusterSubscription)?
    }

    /// A client here whose authenticator may be at another node.
    struct Call {
        let call: ContactCall
        /// While the authenticator is nowhere.
        var subscription: (any ClusterSubscription)?
    }

    /// The way to the other nodes.
    let bus: any ClusterBus
    /// The service that this is part of.
    let relay: Relay
    /// The contact side of this node.
    let broker: ContactBroker
    /// A random name of this process.
    let process: [UInt8]
    /// The event loop of the connections.
    let eventLoop: any EventLoop
    /// The authenticators that wait here.
    var listeners: [AuthenticatorID: Listener] = [:]
    /// The clients that wait here, by their tunnel IDs.
    var calls: [[UInt8]: Call] = [:]
    /// The state of the other processes, as they have told it.
    var processes = ClusterProcesses()
    /// The processes that are asked for a proof that they run.
    var challenged: Set<[UInt8]> = []
    /// The number of messages that this process has sent.
    var counter: UInt64 = 0
    /// The number that this process has told last.
    var aliveNumber: UInt64 = 0
    /// The next part, or the rest, of an announcement of everything.
    var announcement: Scheduled<Void>?
    /// True if everything must be announced once more after that.
    var announcesAgain = false
    /// True if the authenticators of clients that wait must be asked for once more.
    var retriesAgain = false
    /// The time before which they are not.
    var nextRetry = NIODeadline.uptimeNanoseconds(0)
    private var ticking: RepeatedTask?
    private var subscriptions: [any ClusterSubscription] = []
    /// True if another process has this node's routing ID.
    var isImpostor = false

    /// Makes it; it begins with ``start()``.
    init(bus: any ClusterBus, relay: Relay, broker: ContactBroker) {
        self.bus = bus
        self.relay = relay
        self.broker = broker
        eventLoop = relay.eventLoop
        var random = SystemRandomNumberGenerator()
        process = (0..<ClusterEnvelope.processByteCount).map { _ in UInt8.random(in: 0...UInt8.max, using: &random) }
    }

    /// The age that another node is told of something.
    static func milliseconds(since begin: ContinuousClock.Instant) -> UInt64 {
        UInt64(max(.zero, ContinuousClock.now - begin) / .milliseconds(1))
    }

    /// True while other nodes can be reached.
    var isConnected: Bool { bus.isConnected }

    /// The times of the messages between nodes.
    var times: ClusterTimes { relay.configuration.clusterTimes }

    /// Begins to listen, and asks whether another process has this node's routing ID (TS-CON-50).
    ///
    /// - Returns: false if one has.
    func start() -> EventLoopFuture<Bool> {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        bus.start { eventLoop.execute { reference.value.connectionChanged() } }
        listen(to: ClusterSubject.process(process)) { $0.take(challenge: $1) }
        listen(to: ClusterSubject.node(relay.configuration.routingID)) { $0.take(presence: $1) }
        listen(to: ClusterSubject.declined) { $0.take(decline: $1.message) }
        listen(to: ClusterSubject.alive) { $0.take(alive: $1) }
        ticking = eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: TimeAmount(times.alive)) { _ in
            reference.value.tellAlive()
        }
        return isAlone()
    }

    /// Ends.
    func stop() {
        ticking?.cancel()
        announcement?.cancel()
        listeners = [:]
        for subscription in subscriptions { subscription.cancel() }
        bus.stop()
    }

    private func listen(
        to subject: String, _ handler: @escaping @Sendable (ContactCluster, Delivery) -> Void
    ) {
        subscriptions.append(subscribe(to: subject, handler))
    }

    private func connectionChanged() {
        relay.clusterChanged(isConnected: bus.isConnected)
        guard bus.isConnected else { return }
        // Who has not heard this process until now asks for its proof.
        tellAlive()
        recover()
    }
}

// Clients that wait here.
extension ContactCluster {
    /// Wakes an authenticator that is not connected here, now or when another node has it.
    func wake(_ call: ContactCall) {
        guard calls[call.wake.tunnelID] == nil else { return }
        calls[call.wake.tunnelID] = Call(call: call)
        request(call)
    }

    /// Forgets the call of a client.
    func forget(_ call: ContactCall) { calls.removeValue(forKey: call.wake.tunnelID)?.subscription?.cancel() }

    /// Asks the other nodes. Without a way to them the client waits as for an authenticator that is away (TS-CON-49).
    func request(_ call: ContactCall) {
        guard bus.isConnected else { return }
        let subject = ClusterSubject.authenticator(call.token.authenticator)
        let age = call.asked.map { Self.milliseconds(since: $0) }
        ask(.wake(call.wake, milliseconds: age), subject, for: relay.times.contactHold) { cluster, answer in
            cluster.take(answer, for: call)
        }
    }

    private func take(_ answer: Reply, for call: ContactCall) {
        guard let waiting = calls[call.wake.tunnelID] else { return }
        switch answer {
        case .message(.outcome(.acknowledged, _), _):
            relay.metrics.clusterWoken()
            call.client.accept()
        case .message(.outcome(.declined, _), _): call.client.refuse(.declined)
        case .message(.outcome(.revoked, _), _): call.client.refuse(.gone)
        case .message(.outcome(.limited, let seconds), _):
            call.client.refuse(.tooManyWakes(.seconds(Int64(clamping: min(seconds, Self.longestWait)))))
        case .message(.outcome(.away, _), _), .nobody: wait(waiting, call)
        case .silence: break
        case .message: relay.metrics.clusterDropped(.malformed)
        }
    }

    /// The longest wait that another node is believed, seconds.
    private static let longestWait: UInt64 = 86_400

    /// Has a client wait for its authenticator, which is nowhere: it may be on its way from one node to another.
    private func wait(_ waiting: Call, _ call: ContactCall) {
        guard waiting.subscription == nil else { return }
        let subscription = subscribe(to: ClusterSubject.waiting(call.token.authenticator)) { cluster, delivery in
            guard case .returned = delivery.message else { return cluster.relay.metrics.clusterDropped(.malformed) }
            cluster.request(call)
        }
        calls[call.wake.tunnelID]?.subscription = subscription
        // It may have come while nobody listened.
        request(call)
    }
}
