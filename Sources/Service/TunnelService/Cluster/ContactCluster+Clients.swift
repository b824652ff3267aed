import HybridProtocol
import NIOCore

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

    /// The longest wait that another node is believed, seconds.
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
