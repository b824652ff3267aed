@testable internal import TunnelService

extension FuzzTarget {
    static let clusterMessage = FuzzTarget("cluster-message", "messages of the nodes of a tunnel service") { input in
        if input.bool() {
            let message = ClusterMessage.drawn(from: &input, contactIDs: [])
            expect((try? ClusterMessage(decoding: message.encoded)) == message, "a message that is written changes")
            // One more entry, 23: 0, which is the last one in the canonical order.
            var longer = message.encoded
            longer[0] += 1
            longer += [23, 0]
            expect((try? ClusterMessage(decoding: longer)) == message, "a key that is not known changes a message")
            return
        }
        let bytes = input.rest()
        guard let message = try? ClusterMessage(decoding: bytes) else { return }
        expect((try? ClusterMessage(decoding: message.encoded)) == message, "a message that is read changes")
        expect(message.encoded.count <= bytes.count, "a message that is read grows")
    }

    static let cluster = FuzzTarget(
        "cluster", "a node of a tunnel service: its peers, and what other nodes tell, ask and answer"
    ) { input in
        let bus = EmbeddedBus()
        let service = try EmbeddedService(bus: bus)
        while !input.isEmpty { try service.step(&input, bus) }
        try service.end()
    }
}
