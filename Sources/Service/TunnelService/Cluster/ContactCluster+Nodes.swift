import HybridProtocol
import NIOCore

// The names of the nodes, and whether their messages reach each other.
extension ContactCluster {
    /// Asks whether another process has this node's routing ID.
    ///
    /// - Returns: false if one has.
    func isAlone() -> EventLoopFuture<Bool> {
        let promise = eventLoop.makePromise(of: Bool.self)
        let subject = ClusterSubject.node(relay.configuration.routingID)
        ask(.present, subject, for: TimeAmount(times.query)) { cluster, answer in
            if case .message(.present, _) = answer { cluster.isImpostor = true }
            promise.succeed(!cluster.isImpostor)
        }
        return promise.futureResult
    }

    /// Answers another process that asks for this node's routing ID.
    func take(presence delivery: Delivery) {
        guard case .present = delivery.message else { return relay.metrics.clusterDropped(.malformed) }
        delivery.answer?(.present)
    }

    /// Tells the other nodes that this process goes on, with the next number (TS-CON-51).
    ///
    /// Does not count a message that cannot be sent: everything is announced when it can be again.
    func tellAlive() {
        guard bus.isConnected else { return }
        aliveNumber += 1
        publish(.alive(number: aliveNumber), to: ClusterSubject.alive)
    }

    /// Takes note that another process goes on, and announces everything anew if something of it did not come
    /// (TS-CON-52).
    func take(alive delivery: Delivery) {
        guard case .alive(let number) = delivery.message else { return relay.metrics.clusterDropped(.malformed) }
        guard !processes.take(number: number, of: delivery.sender.process) else { return }
        relay.metrics.clusterGap()
        recover()
    }

    /// Announces to other nodes once more the authenticators that they may not have heard of, and asks them again.
    ///
    /// It may be asked for often: so everything is announced by one run at a time, at a bounded rate, and clients that
    /// wait are asked for once in a while.
    func recover() {
        retriesAgain = true
        retry()
        if announcement == nil { announceEverything() } else { announcesAgain = true }
    }

    private func retry() {
        guard retriesAgain, nextRetry <= .now() else { return }
        retriesAgain = false
        nextRetry = .now() + TimeAmount(times.rest)
        _ = isAlone()
        askAgain()
    }

    /// Asks other nodes once more for the authenticators of the clients that wait here.
    func askAgain() { for call in calls.values { request(call.call) } }

    /// The authenticators that are announced at a time, and the time until the next ones are: 5,000 a second.
    private static let announcementCount = 50
    private static let announcementPause = TimeAmount.milliseconds(10)

    private func announceEverything() {
        announcesAgain = false
        announce(Array(listeners.keys)[...])
    }

    private func announce(_ authenticators: ArraySlice<AuthenticatorID>) {
        for authenticator in authenticators.prefix(Self.announcementCount) {
            // One whose number is still asked for is announced afterwards.
            guard let listener = listeners[authenticator], listener.subscription != nil else { continue }
            announce(authenticator, listener)
        }
        let others = authenticators.dropFirst(Self.announcementCount)
        let pause = others.isEmpty ? TimeAmount(times.rest) : Self.announcementPause
        let reference = NIOLoopBound(self, eventLoop: eventLoop)
        announcement = eventLoop.scheduleTask(in: pause) {
            let cluster = reference.value
            cluster.announcement = nil
            cluster.retry()
            if !others.isEmpty {
                cluster.announce(others)
            } else if cluster.announcesAgain {
                cluster.announceEverything()
            }
        }
    }
}
