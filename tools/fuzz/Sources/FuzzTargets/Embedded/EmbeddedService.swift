internal import Cryptography
internal import HybridProtocol
internal import Logging
internal import Metrics
internal import NIOCore
internal import NIOEmbedded

@testable internal import TunnelService

/// A tunnel service without sockets: some connections, whose bytes are drawn.
final class EmbeddedService {
    private static let peerCount = 4
    private static let secret = [UInt8](repeating: 5, count: ContactTokenIssuer.secretByteCount)
    private static let quiet = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    let loop = EmbeddedEventLoop()
    let relay: Relay
    private let ticking: RepeatedTask
    private var peers: [EmbeddedPeer?] = Array(repeating: nil, count: peerCount)
    var said = EmbeddedPeer.Said()
    /// The number of messages that other nodes have sent.
    var sent: UInt64 = 0
    private let key: P256.PrivateKey

    /// - Parameter bus: the bus between a node and the others; nil for a single one.
    init(bus: EmbeddedBus? = nil) throws {
        var limits = TunnelService.Limits()
        limits.messageBytes = 1_024
        limits.pendingTunnels = 2
        // One input may connect more often than one address may in a moment.
        limits.connectionRate = TunnelService.Rate(burst: 10_000, interval: .milliseconds(1))
        limits.connectionRatePerPrefix = limits.connectionRate
        let issuer = try ContactTokenIssuer(secret: SecretBytes(copying: Self.secret.span))
        relay = Relay(
            configuration: TunnelService.Configuration(
                security: .plain, hostNames: ["localhost"], contactTokens: issuer, limits: limits),
            tls: nil, eventLoop: loop, logger: Self.quiet, metrics: NOOPMetricsHandler.instance)
        ticking = relay.startTicking()
        let scalar = [UInt8](repeating: 6, count: P256.scalarByteCount)
        key = try P256.PrivateKey(scalar: scalar.span)
        if let bus { join(bus) }
    }

    /// Lets one peer, drawn, do one thing.
    func step(_ input: inout FuzzInput) throws {
        let index = input.number(below: Self.peerCount)
        let action = input.number(below: 10)
        guard let peer = peers[index] else {
            peers[index] = try connect()
            return
        }
        switch action {
        case 0: peer.send(input.counted(atMost: 255))
        case 1, 2: peer.send(WireBytes.request(&input, contactIDs: said.contactIDs))
        case 3:
            var bytes = WireBytes.request(&input, contactIDs: said.contactIDs)
            _ = input.alter(&bytes)
            peer.send(bytes)
        case 4, 5: peer.send(WireBytes.frame(&input, isMasked: true))
        case 6, 7:
            var message = try contactMessage(&input, to: peer)
            if input.bool() { _ = input.alter(&message) }
            peer.send(WireBytes.frame(of: message, first: WireBytes.binary, mask: input.bytes(4)))
        case 8:
            peer.leave()
            peers[index] = nil
        default: loop.advanceTime(by: .seconds(Int64(input.byte())))
        }
        for peer in peers { peer?.listen(&said) }
    }

    /// Lets everybody leave, and checks that nothing is left.
    func end() throws {
        for peer in peers { peer?.leave() }
        loop.run()
        // Clients of other nodes are waited for as long as they wait.
        if relay.cluster != nil { loop.advanceTime(by: relay.times.contactHold) }
        expect(relay.counter.count == 0, "\(relay.counter.count) connections are counted that are gone")
        expect(relay.registry.pendingCount == 0, "\(relay.registry.pendingCount) tunnels wait for peers that are gone")
        expect(relay.registry.pairedCount == 0, "\(relay.registry.pairedCount) tunnels are between peers that are gone")
        expect(relay.budget.heldBytes == 0, "\(relay.budget.heldBytes) bytes are held for peers that are gone")
        if let contacts = relay.contacts?.registry {
            expect(contacts.listenerCount == 0, "\(contacts.listenerCount) authenticators listen that are gone")
            expect(contacts.callCount == 0, "\(contacts.callCount) calls wait for clients that are gone")
        }
        try leaveBus()
        ticking.cancel()
        try loop.syncShutdownGracefully()
    }

    private func connect() throws -> EmbeddedPeer {
        let channel = EmbeddedChannel(loop: loop)
        try Listener.setUp(channel, relay: relay)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return EmbeddedPeer(channel)
    }

    private func contactMessage(_ input: inout FuzzInput, to peer: EmbeddedPeer) throws -> [UInt8] {
        let tunnelID = said.tunnelIDs.isEmpty ? input.bytes(16) : input.one(of: said.tunnelIDs)
        switch input.number(below: 4) {
        case 0: return AuthenticatorMessage.decline(tunnelID: tunnelID).encoded()
        case 1: return AuthenticatorMessage.acknowledge(tunnelID: tunnelID).encoded()
        default:
            let labels = (0..<input.number(below: 3)).compactMap { ContactLabel([0, 0, 0, 0, 0, 0, 0, UInt8($0)]) }
            let challenge = peer.challenge ?? input.bytes(ContactRegistration.challengeByteCount)
            let registration = try ContactRegistration(
                labels: labels, listens: input.bool(), host: "localhost", challenge: challenge, key: key)
            return AuthenticatorMessage.register(registration).encoded()
        }
    }
}
