import HybridProtocol
import NIOCore
import NIOHTTP1

// Authenticators that wait here.
extension ContactCluster {
    /// Takes note that an authenticator has registered to be woken here.
    func registered(_ authenticator: AuthenticatorID, at end: ListenerEnd) {
        if var listener = listeners[authenticator] {
            listener.begin = .now
            defer { listeners[authenticator] = listener }
            // Its labels have changed, or another connection here has replaced the one before.
            guard listener.end != end else { return }
            listener.end = end
            listener.registration.number += 1
            return announceTwice(authenticator, listener)
        }
        let registration = ClusterMessage.Registration(number: 1, tie: .random(in: 0...UInt64.max))
        listeners[authenticator] = Listener(end: end, registration: registration)
        // Asked before this node listens, so that it is not its own answer.
        ask(.query, ClusterSubject.authenticator(authenticator), for: TimeAmount(times.query)) { cluster, answer in
            cluster.number(authenticator, registration, after: answer)
        }
    }

    private func number(
        _ authenticator: AuthenticatorID, _ registration: ClusterMessage.Registration, after answer: Reply
    ) {
        guard var listener = listeners[authenticator], listener.registration.tie == registration.tie else { return }
        if case .message(.number(let other), _) = answer {
            listener.registration.number = max(listener.registration.number, other.number + 1)
            listener.replaced = other.tie
        } else if listener.subscription != nil {
            return
        }
        // It may have been said, by anybody, that nobody has a number.
        if listener.subscription == nil {
            listener.subscription = subscribe(to: ClusterSubject.authenticator(authenticator)) {
                $0.take($1, for: authenticator)
            }
        }
        listeners[authenticator] = listener
        announceTwice(authenticator, listener)
    }

    /// Announces a registration now, and once more after the next `alive`: so either that comes through, or the gap is
    /// noticed (TS-CON-52).
    private func announceTwice(_ authenticator: AuthenticatorID, _ listener: Listener) {
        announce(authenticator, listener)
        let registration = listener.registration
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.scheduleTask(in: TimeAmount(times.alive) * 2) {
            guard let listener = reference.value.listeners[authenticator], listener.registration == registration else {
                return
            }
            reference.value.announce(authenticator, listener)
        }
    }

    /// Tells other nodes that an authenticator waits here.
    func announce(_ authenticator: AuthenticatorID, _ listener: Listener) {
        let age = Self.milliseconds(since: listener.begin)
        let message = ClusterMessage.registered(
            listener.registration, milliseconds: age, replacing: listener.replaced)
        publish(message, to: ClusterSubject.authenticator(authenticator))
        announceReturn(of: authenticator)
    }

    /// Tells other nodes that an authenticator can be woken here, or by more labels.
    private func announceReturn(of authenticator: AuthenticatorID) {
        publish(.returned, to: ClusterSubject.waiting(authenticator))
    }

    /// Takes note that the connection of an authenticator has ended.
    func left(_ authenticator: AuthenticatorID, _ end: ListenerEnd) {
        guard let listener = listeners[authenticator], listener.end == end else { return }
        listener.subscription?.cancel()
        listeners[authenticator] = nil
    }

    /// Tells the node where an authenticator waits of further labels.
    func add(_ labels: [ContactLabel], to authenticator: AuthenticatorID) {
        guard listeners[authenticator] == nil else { return announceReturn(of: authenticator) }
        publish(.labels(labels), to: ClusterSubject.authenticator(authenticator))
    }

    /// Tells the node of a client that an authenticator, which had acknowledged, will not come.
    func declined(_ tunnelID: [UInt8]) {
        publish(.declined(tunnelID: tunnelID), to: ClusterSubject.declined)
    }

    /// Ends the tunnel of a client here whose authenticator, at another node, will not come.
    func take(decline message: ClusterMessage) {
        guard case .declined(let bytes) = message, let tunnelID = try? TunnelID(bytes) else {
            return relay.metrics.clusterDropped(.malformed)
        }
        relay.registry.waiting(tunnelID)?.end(.normal, .declined)
    }

    private func take(_ delivery: Delivery, for authenticator: AuthenticatorID) {
        guard let listener = listeners[authenticator] else {
            // It has left since this was sent.
            if case .wake = delivery.message { delivery.answer?(ClusterMessage(.unreachable)) }
            return
        }
        switch delivery.message {
        case .query: delivery.answer?(.number(listener.registration))
        case .registered(let other, let milliseconds, let replaced):
            let age = milliseconds.map { Duration.milliseconds(Int64(clamping: $0)) }
            compare(authenticator, listener, with: other, age, replacing: replaced)
        case .labels(let labels):
            broker.registry.add(labels, to: authenticator)
            announceReturn(of: authenticator)
        case .wake(let wake, let milliseconds):
            let asked = milliseconds.map { ContinuousClock.now - .milliseconds(Int64(clamping: $0)) }
            take(wake, asked: asked, for: authenticator, delivery.answer)
        default: relay.metrics.clusterDropped(.malformed)
        }
    }

    /// Ends the connection here if another node has a newer one (TS-CON-46, TS-CON-47).
    private func compare(
        _ authenticator: AuthenticatorID, _ listener: Listener, with other: ClusterMessage.Registration,
        _ age: Duration?, replacing replaced: UInt64?
    ) {
        guard other != listener.registration else { return }
        guard isNewer(other, age, than: listener) else {
            // The other one has not heard of this one, or it would not be there.
            return announce(authenticator, listener)
        }
        // Only one that is certainly older must not come back: the other one had this one's number when it began.
        let isReplaced = replaced == listener.registration.tie && other.number > listener.registration.number
        listener.end.yield(isReplaced: isReplaced)
    }

    /// Two nodes that could not hear each other have counted on their own: then the ages tell which one is newer.
    private func isNewer(
        _ other: ClusterMessage.Registration, _ age: Duration?, than listener: Listener
    ) -> Bool {
        let ownAge = ContinuousClock.now - listener.begin
        if let age, age + times.agreement < ownAge { return true }
        if let age, ownAge + times.agreement < age { return false }
        return other > listener.registration
    }

    /// Wakes an authenticator that waits here, under its labels and its limits (TS-CON-48).
    private func take(
        _ wake: ServiceMessage.Wake, asked: ContinuousClock.Instant?, for authenticator: AuthenticatorID,
        _ answer: (@Sendable (ClusterMessage) -> Void)?
    ) {
        guard let answer, let token = broker.issuer.token(wake.contactID), token.authenticator == authenticator
        else { return relay.metrics.clusterDropped(.malformed) }
        let client = CallingClient {
            answer(.outcome(.acknowledged, seconds: 0))
        } refuse: { refusal in
            answer(ClusterMessage(refusal))
        }
        let call = ContactCall(token: token, wake: wake, client: client, asked: asked, isForwarded: true)
        // Asked again, because the first question or its answer may have been lost.
        if broker.registry.takeOver(call) { return }
        do throws(HTTPRefusal) {
            if broker.registry.standing(of: token) == .reachable { try broker.limit(token) }
            guard try broker.call(call) else { throw .unreachable }
        } catch {
            return client.refuse(error)
        }
        let registry = broker.registry
        eventLoop.scheduleTask(in: relay.times.contactHold) {
            registry.removeCall(of: authenticator, tunnelID: wake.tunnelID)?.client.refuse(.unreachable)
        }
    }
}

extension ClusterMessage {
    /// The outcome of a wake that ended in this refusal at the authenticator's node.
    fileprivate init(_ refusal: HTTPRefusal) {
        self =
            switch refusal {
            case .gone: .outcome(.revoked, seconds: 0)
            case .declined: .outcome(.declined, seconds: 0)
            case _ where refusal.status == .tooManyRequests: .outcome(.limited, seconds: refusal.seconds)
            default: .outcome(.away, seconds: 0)
            }
    }
}
