import HybridProtocol
import HybridTransport
import TestPeers
import Testing
import TunnelClient

@Suite("Under TLS", .timeLimit(.minutes(5)))
struct RecordTests {
    @Test("the request, each message and the close are one record each, also where two go out at once")
    func oneRecordAFrame() async throws {
        let authority = try await TestAuthority.make()
        let client = try TunnelClient(configuration: .with { $0.additionalAuthorities = [authority.file] })
        try await EchoService.run(identity: authority.loopback) { port, records in
            let channel = try await client.open("wss://localhost:\(port)/").channel
            // The part of the handshake's end that TLS 1.3 hides, and the request.
            let first = records.contents
            #expect(first.count == 2)
            // Both in one packet: one less to be lost.
            #expect(records.reads.filter { $0 > 0 } == [2])
            let byteCounts = [1, 81, 125, 126, 1_000, 16_000]
            let messages = byteCounts.map { [UInt8](repeating: 5, count: $0) }
            for message in messages {
                try await channel.send(message)
                #expect(try await channel.receive() == message)
            }
            try await channel.send(contentsOf: messages)
            for message in messages { #expect(try await channel.receive() == message) }
            await channel.close()
            let masked = byteCounts.map { $0 + ($0 < 126 ? 6 : 8) }
            #expect(Array(records.contents.dropFirst(first.count).prefix(13)) == masked + masked + [8])
        }
    }
}
