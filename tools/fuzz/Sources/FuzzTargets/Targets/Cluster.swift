internal import Cryptography
internal import HybridProtocol

@testable internal import TunnelService

extension FuzzTarget {
    static let clusterMessage = FuzzTarget("cluster-message", "messages of the nodes of a tunnel service") { input in
        let kind = input.number(below: 4)
        if kind & 1 == 1 {
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
        guard kind == 0 else { return try envelope(bytes) }
        guard let message = try? ClusterMessage(decoding: bytes) else { return }
        expect((try? ClusterMessage(decoding: message.encoded)) == message, "a message that is read changes")
        expect(message.encoded.count <= bytes.count, "a message that is read grows")
    }

    /// Checks that an envelope is written as it was read, and not believed without a code.
    private static func envelope(_ bytes: [UInt8]) throws {
        guard let envelope = try? ClusterEnvelope(decoding: bytes) else { return }
        let again = try ClusterEnvelope(decoding: envelope.encoded)
        expect(
            again.sender == envelope.sender && again.contents == envelope.contents && again.code == envelope.code,
            "an envelope changes when written and read")
        let secret = [UInt8](repeating: 5, count: ContactTokenIssuer.secretByteCount)
        let issuer = try ContactTokenIssuer(secret: SecretBytes(copying: secret.span))
        let believed = try? envelope.message(on: ClusterEnvelope.Route(subject: "s"), by: issuer)
        expect(believed == nil, "a message without a node's code is believed")
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
