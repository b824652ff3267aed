import NIOCore
import TunnelProtocol

// The names of the nodes.
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
}
