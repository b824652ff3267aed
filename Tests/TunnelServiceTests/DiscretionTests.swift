import HybridProtocol
import Logging
import MetricsTestKit
import NIOConcurrencyHelpers
import Testing

@testable import TunnelService

@Suite("What the service tells about its peers")
struct DiscretionTests {
    /// Keeps every line, with its metadata.
    private struct Recorder: LogHandler {
        let lines: NIOLockedValueBox<[String]>
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = "\(event.level) \(event.message) " + all.map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            lines.withLockedValue { $0.append(line) }
        }
    }

    private func linesOfARun(_ level: Logger.Level) async throws -> [String] {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test", factory: { _ in Recorder(lines: lines, logLevel: level) })
        try await withService(logger: logger) { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(WireFrame(payload: Array("the message's contents".utf8)))
            _ = try await authenticator.message()
            for handshake in [Handshake.new(), .new("nonsense"), .connect(), Handshake(path: "/secret/path")] {
                let refused = try await RawPeer.connect(service.port)
                try await refused.send(handshake.text)
                _ = try await refused.lastAnswer()
                await refused.close()
            }
            try await client.send(WireFrame(opcode: WireFrame.text, payload: Array("the message's contents".utf8)))
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
        return lines.withLockedValue { $0 }
    }

    @Test(
        "in its log, at any level, is no tunnel ID, routing ID, address, path or message",
        arguments: [
            Logger.Level.info, .trace,
        ])
    func log(level: Logger.Level) async throws {
        let lines = try await linesOfARun(level)
        let forbidden = [
            Handshake.tunnelID, Handshake.routingID, "127.0.0.1", "nonsense", "secret", "contents",
        ]
        for line in lines {
            for word in forbidden {
                #expect(!line.lowercased().contains(word), "\(line)")
            }
        }
        if level == .info {
            #expect(lines.count == 2, "one line at the start, one at the end: \(lines)")
        } else {
            #expect(lines.contains { $0.contains("tunnel paired") })
            #expect(lines.contains { $0.contains("reason=violation") })
            #expect(lines.count { $0.contains("request refused") } == 4)
        }
    }

    @Test("in its metrics are counts, without identifiers")
    func metrics() async throws {
        let metrics = TestMetrics()
        let configuration = TunnelService.Configuration(
            security: .plain, routingID: try RoutingID(hex: Handshake.routingID), limits: .generous
        )
        let service = try await TunnelService(configuration: configuration, metrics: metrics).start()
        let (authenticator, client) = try await service.pair()
        try await client.send(WireFrame(payload: [1, 2, 3]))
        _ = try await authenticator.message()
        let refused = try await RawPeer.connect(service.port)
        #expect(try await refused.shake(.new()).status == 409)
        try await client.send(.close(1000))
        _ = try await authenticator.closeCode()
        for peer in [refused, client, authenticator] { await peer.close() }
        await service.shutdown()

        let expected: [(String, [(String, String)], Int64)] = [
            ("tunnel_service_connections_total", [], 3),
            ("tunnel_service_connections_dropped_total", [], 0),
            ("tunnel_service_refusals_total", [("status", "409")], 1),
            ("tunnel_service_refusals_total", [("status", "404")], 0),
            ("tunnel_service_tunnels_opened_total", [], 1),
            ("tunnel_service_tunnels_paired_total", [], 1),
            ("tunnel_service_tunnels_closed_total", [("reason", "closed")], 1),
            ("tunnel_service_tunnels_closed_total", [("reason", "lost")], 0),
            ("tunnel_service_messages_total", [], 1),
            ("tunnel_service_bytes_total", [], 3),
        ]
        for (label, dimensions, count) in expected {
            #expect(try metrics.expectCounter(label, dimensions).totalValue == count, "\(label) \(dimensions)")
        }
        for counter in metrics.counters {
            #expect(Set(counter.dimensions.map(\.0)).isSubset(of: ["status", "reason"]))
        }
    }
}
