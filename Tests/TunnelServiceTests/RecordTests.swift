import NIOSSL
import TestPeers
import Testing

@testable import TunnelService

@Suite("Under TLS", .enabled(if: ForeignPeers.hasOpenSSL, ForeignPeers.needsOpenSSL))
struct RecordTests {
    @Test("a frame of the service is one record", arguments: [1, 81, 125, 126, 1_000, 16_000])
    func oneRecordAFrame(byteCount: Int) async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext(.tlsv13, .tlsv13)
            try await withService(security: .tls(certificate.identity)) { service in
                let records = RecordLengths()
                let authenticator = try await RawPeer.connect(service.port, tls: context, records: records)
                #expect(try await authenticator.shake(.new()).status == 101)
                let client = try await RawPeer.connect(service.port, tls: context)
                #expect(try await client.shake(.connect()).status == 101)
                // Those of the handshake, and of the answer.
                let first = records.contents.count
                let message = WireFrame(payload: [UInt8](repeating: 7, count: byteCount), isMasked: false)
                for _ in 0..<3 {
                    try await client.send(WireFrame(payload: message.payload))
                    #expect(try await authenticator.message() == message.payload)
                }
                let pong = WireFrame(opcode: WireFrame.pong, payload: [1, 2, 3], isMasked: false)
                try await authenticator.send(WireFrame(opcode: WireFrame.ping, payload: pong.payload))
                #expect(try await authenticator.frame() == pong)
                try await client.send(.close(1000))
                #expect(try await authenticator.closeCode() == 1000)
                let lengths = records.contents.dropFirst(first)
                let wanted = [message, message, message, pong].map(\.bytes.count) + [4]
                #expect(Array(lengths.prefix(wanted.count)) == wanted)
                await client.close()
                await authenticator.close()
            }
        }
    }

    @Test("a message longer than a record takes no more of them than fill the buffer of TLS")
    func longMessage() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext(.tlsv13, .tlsv13)
            try await withService(security: .tls(certificate.identity)) { service in
                let records = RecordLengths()
                let authenticator = try await RawPeer.connect(service.port, tls: context, records: records)
                #expect(try await authenticator.shake(.new()).status == 101)
                let client = try await RawPeer.connect(service.port, tls: context)
                #expect(try await client.shake(.connect()).status == 101)
                let first = records.contents.count
                let message = [UInt8](repeating: 7, count: 100_000)
                try await client.send(WireFrame(payload: message))
                #expect(try await authenticator.message() == message)
                let most = OutboundPortionHandler.byteCount - OutboundPortionHandler.recordOverhead
                let whole = [Int](repeating: most, count: 6)
                #expect(Array(records.contents.dropFirst(first)) == whole + [10 + message.count - 6 * most])
                await client.close()
                await authenticator.close()
            }
        }
    }
}
