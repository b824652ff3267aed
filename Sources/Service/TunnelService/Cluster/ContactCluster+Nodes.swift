import HybridProtocol
import NIOCore

// The names of the nodes, and whether what they tell reaches each other.
extension ContactCluster {
    /// Asks whether another process has this node's routing ID.
    ///
    /// - Returns: false if one has.
    func isAlone() -> EventLoopFuture<Bool> {
        let promise = eventLoop.makePromise(of: Bool.self)
        let subject = ClusterSubject.node(relay.configuration.routingID)
        ask(.present(process: process), subject, for: Self.queryTime) { cluster, answer in
            if case .message(.present(let process)) = answer { cluster.isImpostor = process != cluster.process }
            promise.succeed(!cluster.isImpostor)
        }
        return promise.futureResult
    }

    /// Answers another process that asks for this node's routing ID.
    func take(presence message: ClusterMessage, _ delivery: ClusterDelivery) {
        guard case .present(let other) = message else { return relay.metrics.clusterDropped(.malformed) }
        if other != process { delivery.answer?(ClusterMessage.present(process: process).encoded) }
    }

    /// Tells the other nodes that this process goes on, with the next number (TS-CON-51).
    ///
    /// Does not count what cannot be sent: everything is announced when it can be again.
    func tellAlive() {
        guard bus.isConnected else { return }
        aliveNumber += 1
        bus.publish(ClusterMessage.alive(process: process, number: aliveNumber).encoded, to: ClusterSubject.alive)
    }

    /// Takes note that another process goes on, and announces everything anew if something of it did not come
    /// (TS-CON-52).
    func take(alive message: ClusterMessage) {
        guard case .alive(let other, let number) = message else { return relay.metrics.clusterDropped(.malformed) }
        guard other != process, !processes.take(number, of: other) else { return }
        relay.metrics.clusterGap()
        recover()
    }

    /// Tells other nodes once more what they may not have heard, and asks them again.
    ///
    /// Somebody who forges messages may have it done as often as he likes: so everything is announced by one run at a
    /// time, at a bounded rate, and clients that wait are asked for once in a while.
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
        for call in calls.values { request(call.call) }
    }

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
