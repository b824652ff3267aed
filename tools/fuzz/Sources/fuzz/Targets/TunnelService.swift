internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOEmbedded

@testable internal import TunnelService

extension FuzzTarget {
    static let tunnelService = FuzzTarget(
        "tunnel-service", "several peers' HTTP and WebSocket bytes, and what is left when they are gone"
    ) { input in
        let service = try EmbeddedService()
        while !input.isEmpty { try service.step(&input) }
        try service.end()
    }
}

/// A tunnel service without sockets: some connections, whose bytes are drawn.
private final class EmbeddedService {
    private static let peerCount = 4
    private static let tunnelIDs = ["00112233445566778899aabbccddeeff", "FF112233445566778899AABBCCDDEEFF"]
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    private let loop = EmbeddedEventLoop()
    private let relay: Relay
    private var peers: [EmbeddedChannel?] = Array(repeating: nil, count: peerCount)

    init() throws {
        var limits = TunnelService.Limits()
        limits.messageBytes = 1_024
        limits.pendingTunnels = 2
        relay = Relay(
            configuration: TunnelService.Configuration(security: .plain, limits: limits), tls: nil, eventLoops: [loop],
            logger: Self.quiet, metrics: NOOPMetricsHandler.instance)
    }

    func step(_ input: inout FuzzInput) throws {
        let index = input.number(below: Self.peerCount)
        let action = input.number(below: 8)
        guard let peer = peers[index] else {
            peers[index] = try connect()
            return
        }
        switch action {
        case 0: send(input.counted(atMost: 255), from: peer)
        case 1, 2: send(Array(request(&input).utf8), from: peer)
        case 3:
            var bytes = Array(request(&input).utf8)
            _ = input.alter(&bytes)
            send(bytes, from: peer)
        case 4, 5: send(frame(&input), from: peer)
        case 6:
            _ = try? peer.finish(acceptAlreadyClosed: true)
            peers[index] = nil
        default: loop.advanceTime(by: .seconds(Int64(input.byte())))
        }
        for peer in peers { drain(peer) }
    }

    func end() throws {
        for peer in peers {
            _ = try? peer?.finish(acceptAlreadyClosed: true)
        }
        loop.run()
        for peer in peers { drain(peer) }
        expect(relay.census.count == 0, "\(relay.census.count) connections are counted that are gone")
        expect(relay.registry.pendingCount == 0, "\(relay.registry.pendingCount) tunnels wait for peers that are gone")
        expect(
            relay.registry.pairedCount == 0,
            "\(relay.registry.pairedCount) tunnels are left between peers that are gone")
        expect(relay.budget.heldBytes == 0, "\(relay.budget.heldBytes) bytes are held for peers that are gone")
        relay.stopTicking()
        try loop.syncShutdownGracefully()
    }

    private func connect() throws -> EmbeddedChannel {
        let peer = EmbeddedChannel(loop: loop)
        try Listener.setUp(peer, relay: relay)
        peer.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return peer
    }

    private func send(_ bytes: [UInt8], from peer: EmbeddedChannel) {
        // What a handler makes of them is its own affair.
        _ = try? peer.writeInbound(ByteBuffer(bytes: bytes))
    }

    private func drain(_ peer: EmbeddedChannel?) {
        while let peer, (try? peer.readOutbound(as: ByteBuffer.self)) != nil {}
    }

    private func request(_ input: inout FuzzInput) -> String {
        let id = input.one(of: Self.tunnelIDs)
        let path = input.one(of: ["/cable/new/\(id)", "/cable/connect/000000/\(id)"])
        return """
            GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: fido.cable\r\n\r\n
            """
    }

    private func frame(_ input: inout FuzzInput) -> [UInt8] {
        let first = input.bool() ? 0x82 : input.byte()
        let payload = input.counted(atMost: 125)
        let mask = input.bytes(4)
        let masked = payload.indices.map { payload[$0] ^ mask[$0 % mask.count] }
        return input.bool()
            ? [first, UInt8(payload.count)] + payload : [first, 0x80 | UInt8(payload.count)] + mask + masked
    }
}
