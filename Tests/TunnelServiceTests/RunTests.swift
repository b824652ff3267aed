import Cryptography
import HybridProtocol
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TestPeers
import Testing

@testable import TunnelService

@Suite("Running")
struct RunTests {
    @Test("in a service group ends when the group is shut down gracefully")
    func gracefulShutdown() async throws {
        let port = try FreePort.next()
        let service = TunnelService(
            configuration: .init(port: port, security: .plain, limits: .generous, drainTime: .milliseconds(200)))
        let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let peer = try await connected(port)
            #expect(try await peer.shake(.new()).status == 101)
            await group.triggerGracefulShutdown()
            #expect(try await peer.closeCode() == 1001)
            await peer.close()
            try await tasks.waitForAll()
        }
        await #expect(throws: (any Error).self) { try await RawPeer.connect(port) }
    }

    @Test("ends at once when its task is cancelled")
    func cancellation() async throws {
        let port = try FreePort.next()
        let service = TunnelService(
            configuration: .init(port: port, security: .plain, limits: .generous, drainTime: .seconds(600)))
        let running = Task { try await service.run() }
        let authenticator = try await connected(port)
        #expect(try await authenticator.shake(.new()).status == 101)
        let client = try await RawPeer.connect(port)
        #expect(try await client.shake(.connect(routingID: "000000")).status == 101)
        running.cancel()
        #expect(try await authenticator.closeCode() == 1001)
        #expect(try await client.closeCode() == 1001)
        await client.close()
        await authenticator.close()
        try await running.value
    }

    @Test("on a port in use is refused")
    func portInUse() async throws {
        try await withService { service in
            let second = TunnelService(configuration: .init(port: service.port, security: .plain))
            await #expect(throws: TunnelServiceError(.portInUse, reason: "")) { try await second.start() }
        }
    }

    @Test(
        "at a name that does not resolve is refused", arguments: [("no.such.name.invalid", 1), ("127.0.0.1", 70_000)])
    func noAddress(host: String, port: Int) async throws {
        let service = TunnelService(configuration: .init(host: host, port: port, security: .plain, limits: .generous))
        await #expect(throws: TunnelServiceError(.cannotListen, reason: "")) { try await service.start() }
    }

    @Test("without TLS is refused on addresses that others can reach", arguments: ["0.0.0.0", "::", "192.0.2.1"])
    func plainElsewhere(host: String) async throws {
        let service = TunnelService(configuration: .init(host: host, security: .plain, limits: .generous))
        await #expect(throws: TunnelServiceError(.plainNotAllowed, reason: "")) { try await service.start() }
        var behindProxy = TunnelService.Configuration(host: host, security: .plainBehindProxy, limits: .generous)
        #expect(throws: TunnelServiceError(.plainNotAllowed, reason: "")) { try behindProxy.listeningAddress() }
        behindProxy.trustedProxies = [try #require(AddressRange("10.0.0.1"))]
        #expect(throws: Never.self) { try behindProxy.listeningAddress() }
    }

    @Test("with a contact side is refused without a name of the service")
    func noHostName() async throws {
        let secret = SecretBytes.random(count: ContactTokenIssuer.secretByteCount)
        let tokens = try ContactTokenIssuer(secret: secret)
        let service = TunnelService(configuration: .init(security: .plain, contactTokens: tokens, limits: .generous))
        await #expect(throws: TunnelServiceError(.noHostName, reason: "")) { try await service.start() }
    }

    @Test("works on IPv6", .enabled(if: ForeignPeers.hasIPv6, "this machine has no ::1"))
    func ipv6() async throws {
        let service = TunnelService(configuration: .init(host: "::1", security: .plain, limits: .generous))
        let running = try await service.start()
        #expect(running.host == "::1")
        let peer = try await RawPeer.connect(running.port, host: "::1")
        #expect(try await peer.shake(.new().with("Host", "[::1]:\(running.port)")).status == 101)
        await peer.close()
        await running.shutdown()
    }

    /// The ends of a tunnel reach each other without a lock or a hop, which traps on another event loop than theirs.
    @Test("carries both ends of every tunnel on one event loop, however many there are")
    func manyEventLoops() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        let configuration = TunnelService.Configuration(security: .plain, limits: .generous)
        let running = try await TunnelService(configuration: configuration, eventLoopGroup: group).start()
        for number in 0..<20 {
            let tunnelID = String(repeating: "0", count: 30) + "\(10 + number)"
            let authenticator = try await running.authenticator(tunnelID)
            // Would shift the client to another event loop each time, if connections went to them in turn.
            var others: [RawPeer] = []
            for _ in 0..<(number % 4) { others.append(try await RawPeer.connect(running.port)) }
            let client = try await RawPeer.connect(running.port)
            #expect(try await client.shake(.connect(tunnelID, routingID: "000000")).status == 101)
            for byte in 0..<50 as Range<UInt8> {
                try await client.send(WireFrame(payload: [byte]))
                try await authenticator.send(WireFrame(payload: [byte]))
            }
            for byte in 0..<50 as Range<UInt8> {
                #expect(try await authenticator.message() == [byte])
                #expect(try await client.message() == [byte])
            }
            for peer in others + [client, authenticator] { await peer.close() }
        }
        await running.shutdown()
        try await group.shutdownGracefully()
    }

    @Test("leaves no client behind whose authenticator goes in the moment in which it joins")
    func race() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 4)
        let configuration = TunnelService.Configuration(security: .plain, limits: .generous)
        let running = try await TunnelService(configuration: configuration, eventLoopGroup: group).start()
        for number in 100..<500 {
            let tunnelID = String(repeating: "0", count: 29) + "\(number)"
            let authenticator = try await running.authenticator(tunnelID)
            let client = try await RawPeer.connect(running.port)
            async let gone: Void = authenticator.reset()
            let status = try await client.shake(.connect(tunnelID, routingID: "000000")).status
            if status == 101 {
                #expect(try await client.closeCode() == 1001)
            } else {
                #expect(status == 404)
            }
            try await gone
            await client.close()
        }
        try await until { running.connectionCount == 0 }
        #expect(running.pairedTunnelCount == 0)
        await running.shutdown()
        try await group.shutdownGracefully()
    }

    private func connected(_ port: Int) async throws -> RawPeer {
        let deadline = ContinuousClock.now + RawPeer.timeout
        while true {
            if let peer = try? await RawPeer.connect(port) { return peer }
            guard ContinuousClock.now < deadline else { throw RawPeer.TimedOut(awaited: "the service to listen") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
