import Cryptography
import HybridProtocol
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import TunnelService

extension TunnelService.Limits {
    /// The defaults, but for the tunnels of one address, and the times in which a test on a busy machine must have done
    /// something.
    static var generous: Self {
        var limits = Self()
        limits.requestTime = .seconds(60)
        limits.closeTime = .seconds(60)
        limits.pingInterval = .seconds(60)
        limits.silence = .seconds(120)
        // All peers of a test have one address.
        limits.pendingTunnelsPerAddress = 4_096
        return limits
    }
}

/// A service on loopback for the time of a test, which leaves nothing behind.
func withService<Value>(
    security: TunnelService.Security = .plain,
    limits: TunnelService.Limits = .generous,
    hostNames: [String] = [],
    contactTokens: ContactTokenIssuer? = nil,
    trustedProxies: [AddressRange] = [],
    admin: AdminAddress? = nil,
    eventLoops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
    _ body: (RunningTunnelService) async throws -> Value
) async throws -> Value {
    let routingID = try RoutingID(hex: Handshake.routingID)
    let configuration = TunnelService.Configuration(
        security: security, routingID: routingID, hostNames: hostNames, contactTokens: contactTokens,
        trustedProxies: trustedProxies, admin: admin, limits: limits
    )
    let running = try await TunnelService(
        configuration: configuration, eventLoopGroup: eventLoops, logger: logger
    ).start()
    let outcome: Result<Value, any Error>
    do {
        outcome = .success(try await body(running))
    } catch {
        outcome = .failure(error)
        // Their peers answer no Close any more, for which a service waits two minutes.
        running.relay.forEachConnection { $0.close() }
    }
    await running.shutdown()
    #expect(running.connectionCount == 0)
    #expect(running.pendingTunnelCount == 0)
    #expect(running.pairedTunnelCount == 0)
    #expect(running.bufferedByteCount == 0)
    #expect(running.listenerCount == 0)
    #expect(running.waitingContactCount == 0)
    return try outcome.get()
}

extension RunningTunnelService {
    /// Opens a tunnel.
    func authenticator(_ tunnelID: String = Handshake.tunnelID, reading: Bool = true) async throws -> RawPeer {
        let peer = try await RawPeer.connect(port, reading: reading)
        if reading {
            let answer = try await peer.shake(.new(tunnelID))
            try #require(answer.status == 101)
        } else {
            try await peer.send(Handshake.new(tunnelID).text)
            try await until { pendingTunnelCount > 0 }
        }
        return peer
    }

    /// Joins a tunnel.
    func client(_ tunnelID: String = Handshake.tunnelID, reading: Bool = true) async throws -> RawPeer {
        let peer = try await RawPeer.connect(port, reading: reading)
        if reading {
            let answer = try await peer.shake(.connect(tunnelID))
            try #require(answer.status == 101)
        } else {
            try await peer.send(Handshake.connect(tunnelID).text)
            try await until { pairedTunnelCount > 0 }
        }
        return peer
    }

    /// Opens and joins a tunnel.
    func pair(_ tunnelID: String = Handshake.tunnelID) async throws -> (authenticator: RawPeer, client: RawPeer) {
        let authenticator = try await authenticator(tunnelID)
        return (authenticator, try await client(tunnelID))
    }
}

/// Waits until something is so.
func until(_ condition: () async -> Bool) async throws {
    let deadline = ContinuousClock.now + RawPeer.timeout
    while !(await condition()) {
        guard ContinuousClock.now < deadline else { throw RawPeer.TimedOut(awaited: "a condition") }
        try await Task.sleep(for: .milliseconds(10))
    }
}
