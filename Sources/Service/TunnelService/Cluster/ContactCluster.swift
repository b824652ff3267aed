import Logging
import NIOCore
import NIOHTTP1
import TunnelProtocol

/// The contact side of a node together with those of the other nodes (HT-CON-43): wakes authenticators that wait at
/// another node, lets those here be woken from there, and ends connections that a newer one elsewhere has replaced.
///
/// It lives on the event loop of the connections.
final class ContactCluster {
    /// An authenticator that waits here.
    private struct Listener {
        var end: ListenerEnd
        var registration: ClusterMessage.Registration
        /// False while the number was not asked for with success: then another's does not say which one is newer.
        var isNumbered: Bool
        var subscription: (any ClusterSubscription)?
    }

    /// A client here whose authenticator may be at another node.
    private struct Call {
        let call: ContactCall
        /// While the authenticator is nowhere.
        var subscription: (any ClusterSubscription)?
    }

    /// What comes of a question.
    private enum Reply: Sendable {
        case message(ClusterMessage)
        case nobody
        /// Nothing that could be read came in time.
        case silence
    }

    /// The longest wait for the number of another registration, and for another process of this node's name.
    private static let queryTime = TimeAmount.seconds(2)

    private let bus: any ClusterBus
    private let relay: Relay
    private let broker: ContactBroker?
    private let process: [UInt8]
    private let eventLoop: any EventLoop
    private var listeners: [AuthenticatorID: Listener] = [:]
    private var calls: [[UInt8]: Call] = [:]
    private var subscriptions: [any ClusterSubscription] = []
    /// True if another process has this node's routing ID.
    private(set) var isImpostor = false

    /// Makes it; it begins with ``start()``.
    init(bus: any ClusterBus, relay: Relay) {
        self.bus = bus
        self.relay = relay
        broker = relay.contacts
        eventLoop = relay.eventLoop
        var random = SystemRandomNumberGenerator()
        process = (0..<ClusterMessage.processByteCount).map { _ in UInt8.random(in: 0...UInt8.max, using: &random) }
    }

    /// True while other nodes can be reached.
    var isConnected: Bool { bus.isConnected }

    /// Begins to listen, and asks whether another process has this node's routing ID (HT-CON-50).
    ///
    /// - Returns: false if one has.
    func start() -> EventLoopFuture<Bool> {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        let eventLoop = eventLoop
        bus.start { eventLoop.execute { reference.value.connectionChanged() } }
        listen(to: ClusterSubject.node(relay.configuration.routingID)) { $0.take(presence: $1, $2) }
        listen(to: ClusterSubject.declined) { $0.take(decline: $1, $2) }
        return isAlone()
    }

    /// Ends.
    func stop() {
        for subscription in subscriptions { subscription.cancel() }
        bus.stop()
    }

    private func listen(
        to subject: String, _ handler: @escaping @Sendable (ContactCluster, ClusterMessage, ClusterDelivery) -> Void
    ) {
        subscriptions.append(subscribe(to: subject, handler))
    }

    private func subscribe(
        to subject: String, _ handler: @escaping @Sendable (ContactCluster, ClusterMessage, ClusterDelivery) -> Void
    ) -> any ClusterSubscription {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        return bus.subscribe(to: subject) { [eventLoop] delivery in
            eventLoop.execute {
                if let message = reference.value.read(delivery.message) { handler(reference.value, message, delivery) }
            }
        }
    }

    /// Asks, and hands on what comes of it, once.
    private func ask(
        _ message: ClusterMessage, _ subject: String, for time: TimeAmount,
        _ answer: @escaping @Sendable (ContactCluster, Reply) -> Void
    ) {
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        let waiting = NIOLoopBoundBox(true, eventLoop: eventLoop)
        let finish: @Sendable (Reply) -> Void = { reply in
            guard waiting.value else { return }
            waiting.value = false
            answer(reference.value, reply)
        }
        let timeout = eventLoop.scheduleTask(in: time) { finish(.silence) }
        bus.request(message.encoded, of: subject) { [eventLoop] reply in
            eventLoop.execute {
                timeout.cancel()
                switch reply {
                case .message(let bytes): finish(reference.value.read(bytes).map { .message($0) } ?? .silence)
                case .nobody: finish(.nobody)
                }
            }
        }
    }

    private func read(_ bytes: [UInt8]) -> ClusterMessage? {
        do throws(ClusterMessage.Violation) {
            return try ClusterMessage(decoding: bytes)
        } catch {
            relay.metrics.clusterDropped(error)
            return nil
        }
    }

    private func connectionChanged() {
        relay.clusterChanged(isConnected: bus.isConnected)
        guard bus.isConnected else { return }
        _ = isAlone()
        for (authenticator, listener) in listeners { announce(authenticator, listener) }
        for call in calls.values { request(call.call) }
    }
}

// The names of the nodes.
extension ContactCluster {
    private func isAlone() -> EventLoopFuture<Bool> {
        let promise = eventLoop.makePromise(of: Bool.self)
        let subject = ClusterSubject.node(relay.configuration.routingID)
        ask(.present(process: process), subject, for: Self.queryTime) { cluster, answer in
            if case .message(.present(let process)) = answer { cluster.isImpostor = process != cluster.process }
            promise.succeed(!cluster.isImpostor)
        }
        return promise.futureResult
    }

    private func take(presence message: ClusterMessage, _ delivery: ClusterDelivery) {
        guard case .present(let other) = message else { return relay.metrics.clusterDropped(.malformed) }
        if other != process { delivery.answer?(ClusterMessage.present(process: process).encoded) }
    }
}

// Authenticators that wait here.
extension ContactCluster {
    /// Takes note that an authenticator has registered to be woken here.
    func registered(_ authenticator: AuthenticatorID, at end: ListenerEnd) {
        if var listener = listeners[authenticator] {
            // Its labels have changed, or another connection here has replaced the one before.
            guard listener.end != end else { return }
            listener.end = end
            listener.registration.number += 1
            listeners[authenticator] = listener
            return announce(authenticator, listener)
        }
        let registration = ClusterMessage.Registration(number: 1, tie: .random(in: 0...UInt64.max))
        listeners[authenticator] = Listener(end: end, registration: registration, isNumbered: false)
        // Asked before this node listens, so that it is not its own answer.
        ask(.query, ClusterSubject.authenticator(authenticator), for: Self.queryTime) { cluster, answer in
            cluster.number(authenticator, registration, after: answer)
        }
    }

    private func number(
        _ authenticator: AuthenticatorID, _ registration: ClusterMessage.Registration, after answer: Reply
    ) {
        guard var listener = listeners[authenticator], listener.registration.tie == registration.tie else { return }
        switch answer {
        case .message(.number(let number)):
            listener.registration.number = max(listener.registration.number, number + 1)
            listener.isNumbered = true
        case .nobody: listener.isNumbered = true
        case .message, .silence: break
        }
        listener.subscription = subscribe(to: ClusterSubject.authenticator(authenticator)) {
            $0.take($1, for: authenticator, $2)
        }
        listeners[authenticator] = listener
        announce(authenticator, listener)
    }

    private func announce(_ authenticator: AuthenticatorID, _ listener: Listener) {
        bus.publish(
            ClusterMessage.registered(listener.registration).encoded, to: ClusterSubject.authenticator(authenticator))
        bus.publish(ClusterMessage.returned.encoded, to: ClusterSubject.waiting(authenticator))
    }

    /// Takes note that the connection of an authenticator has ended.
    func left(_ authenticator: AuthenticatorID, _ end: ListenerEnd) {
        guard let listener = listeners[authenticator], listener.end == end else { return }
        listener.subscription?.cancel()
        listeners[authenticator] = nil
    }

    /// Tells the node where an authenticator waits of further labels.
    func add(_ labels: [ContactLabel], to authenticator: AuthenticatorID) {
        guard listeners[authenticator] == nil else { return }
        bus.publish(ClusterMessage.labels(labels).encoded, to: ClusterSubject.authenticator(authenticator))
    }

    /// Tells the node of a client that an authenticator, which had acknowledged, will not come.
    func declined(_ tunnelID: [UInt8]) {
        bus.publish(ClusterMessage.declined(tunnelID: tunnelID).encoded, to: ClusterSubject.declined)
    }

    private func take(decline message: ClusterMessage, _ delivery: ClusterDelivery) {
        guard case .declined(let bytes) = message, let tunnelID = try? TunnelID(bytes) else {
            return relay.metrics.clusterDropped(.malformed)
        }
        relay.registry.waiting(tunnelID)?.end(.normal, .declined)
    }

    private func take(_ message: ClusterMessage, for authenticator: AuthenticatorID, _ delivery: ClusterDelivery) {
        guard let listener = listeners[authenticator] else { return }
        switch message {
        case .query: delivery.answer?(ClusterMessage.number(listener.registration.number).encoded)
        case .registered(let other): compare(authenticator, listener, with: other)
        case .labels(let labels): broker?.registry.add(labels, to: authenticator)
        case .wake(let wake): take(wake, for: authenticator, delivery)
        default: relay.metrics.clusterDropped(.malformed)
        }
    }

    /// Ends the connection here if another node has a newer one (HT-CON-46, HT-CON-47).
    private func compare(
        _ authenticator: AuthenticatorID, _ listener: Listener, with other: ClusterMessage.Registration
    ) {
        guard other > listener.registration else {
            // The other one has not heard of this one, or it would not be there.
            if other < listener.registration { announce(authenticator, listener) }
            return
        }
        // Only what is certainly older must not come back.
        listener.end.yield(isReplaced: listener.isNumbered && other.number > listener.registration.number)
    }

    /// Wakes an authenticator that waits here, under its labels and its limits (HT-CON-48).
    private func take(_ wake: ServiceMessage.Wake, for authenticator: AuthenticatorID, _ delivery: ClusterDelivery) {
        guard let broker, let answer = delivery.answer,
            let token = (try? broker.issuer.token(wake.contactID)) ?? nil, token.authenticator == authenticator
        else { return relay.metrics.clusterDropped(.malformed) }
        let client = CallingClient {
            answer(ClusterMessage.outcome(.acknowledged, seconds: 0).encoded)
        } refuse: { refusal in
            answer(ClusterMessage(refusal).encoded)
        }
        do throws(Refusal) {
            try broker.limit(token)
            try broker.registry.call(ContactCall(token: token, wake: wake, client: client))
        } catch {
            return client.refuse(error)
        }
        let registry = broker.registry
        eventLoop.scheduleTask(in: relay.times.contactHold) {
            registry.removeCall(of: authenticator, tunnelID: wake.tunnelID)?.client.refuse(.unreachable)
        }
    }
}

// Clients that wait here.
extension ContactCluster {
    /// Wakes an authenticator that is not connected here, now or when another node has it.
    func wake(_ call: ContactCall) {
        calls[call.wake.tunnelID] = Call(call: call)
        request(call)
    }

    /// Forgets the call of a client.
    func forget(_ call: ContactCall) { calls.removeValue(forKey: call.wake.tunnelID)?.subscription?.cancel() }

    /// Without a way to other nodes the client waits as for an authenticator that is away (HT-CON-49).
    private func request(_ call: ContactCall) {
        guard bus.isConnected else { return }
        let subject = ClusterSubject.authenticator(call.token.authenticator)
        ask(.wake(call.wake), subject, for: relay.times.contactHold) { cluster, answer in
            cluster.take(answer, for: call)
        }
    }

    private func take(_ answer: Reply, for call: ContactCall) {
        guard let waiting = calls[call.wake.tunnelID] else { return }
        switch answer {
        case .message(.outcome(.acknowledged, _)):
            relay.metrics.clusterWoken()
            call.client.accept()
        case .message(.outcome(.declined, _)): call.client.refuse(.declined)
        case .message(.outcome(.revoked, _)): call.client.refuse(.gone)
        case .message(.outcome(.limited, let seconds)):
            call.client.refuse(.tooManyWakes(.seconds(Int64(clamping: min(seconds, Self.longestWait)))))
        case .message(.outcome(.away, _)), .nobody: wait(waiting, call)
        case .silence: break
        case .message: relay.metrics.clusterDropped(.malformed)
        }
    }

    private static let longestWait: UInt64 = 86_400

    /// Has a client wait for its authenticator, which is nowhere: it may be on its way from one node to another.
    private func wait(_ waiting: Call, _ call: ContactCall) {
        guard waiting.subscription == nil else { return }
        let subscription = subscribe(to: ClusterSubject.waiting(call.token.authenticator)) { cluster, message, _ in
            guard case .returned = message else { return cluster.relay.metrics.clusterDropped(.malformed) }
            cluster.request(call)
        }
        calls[call.wake.tunnelID]?.subscription = subscription
        // It may have come while nobody listened.
        request(call)
    }
}

extension ClusterMessage {
    /// The outcome of a wake that ended in this refusal at the authenticator's node.
    fileprivate init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .gone: .outcome(.revoked, seconds: 0)
            case .declined: .outcome(.declined, seconds: 0)
            case _ where refusal.status == .tooManyRequests: .outcome(.limited, seconds: refusal.seconds)
            default: .outcome(.away, seconds: 0)
            }
    }
}
