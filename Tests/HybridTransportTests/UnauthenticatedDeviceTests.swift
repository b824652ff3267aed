import BluetoothLE
import Cryptography
import HybridProtocol
import HybridTransport
import Testing

/// Unauthenticated devices on the channels over Bluetooth, to which anybody near can connect, and whose place anybody
/// can advertise.
@Suite("Unauthenticated devices nearby", .timeLimit(.minutes(10)))
struct UnauthenticatedDeviceTests {
    /// Action of an unauthenticated device on a channel.
    enum Deed: CaseIterable, Sendable {
        case silence, half, randomBytes, foreignHandshake, terminator, close

        func perform(on channel: any DataChannel) async {
            switch self {
            case .silence: break
            case .half: try? await channel.send([UInt8](repeating: 4, count: 40))
            case .randomBytes:
                try? await channel.send((0..<handshakeMessageByteCount).map { _ in UInt8.random(in: 0...255) })
            case .foreignHandshake:
                let point = try? P256.PrivateKey.generate().publicKey.uncompressed
                try? await channel.send((point ?? []) + [UInt8](repeating: 7, count: AES256GCM.tagByteCount))
            case .terminator: try? await channel.send(MessageAssembler.terminator)
            case .close: await channel.close()
            }
        }
    }

    /// More unauthenticated devices than are listened to at a time.
    private static let unauthenticatedCount = 6

    private static let limits = {
        var limits = TimeLimits.generous
        limits.candidate = .seconds(3)
        return limits
    }()

    /// Runs both ceremonies over the simulated channels. Unauthenticated devices come before the client.
    private func run(
        _ deed: Deed, _ context: TestContext, connector: (any NearbyConnector)? = nil
    ) async throws -> (client: Ending<[UInt8]>, authenticator: Ending<Int>) {
        let channels = try await SimulatedChannels(at: [.unused()])
        let address = try #require(BluetoothAddress("00:11:22:33:44:55", .random))
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = context.client(
            connector: connector ?? channels,
            show: { url in
                shown.yield(url)
                for _ in 0..<Self.unauthenticatedCount {
                    var channel: (any DataChannel)?
                    while channel == nil {
                        // At first nobody listens there.
                        channel = try? await channels.connect(to: address, psm: SimulatedChannels.psms.lowerBound)
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    guard let channel else { continue }
                    await deed.perform(on: channel)
                    // Open for as long as it may be.
                    Task { while (try? await channel.receive()) != nil {} }
                }
            })
        let url = await urls.first { _ in true } ?? ""
        let authenticator = await context.authenticator(url, Self.limits, listener: channels)
        return (await client, authenticator)
    }

    @Test("cost only their own connections, whatever they send", arguments: Deed.allCases)
    func unauthenticated(deed: Deed) async throws {
        let context = TestContext()
        let (client, authenticator) = try await run(deed, context)
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(client.stages.contains(.channelOpened) && !client.stages.contains(.tunnelJoined))
        #expect(authenticator.stages.filter { $0 == .channelOpened }.count == 1)
        #expect(authenticator.notices == [.unauthenticatedDevice])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("do not cost the tunnel either, by which a client comes that cannot connect", arguments: Deed.allCases)
    func tunnel(deed: Deed) async throws {
        let context = TestContext()
        let (client, authenticator) = try await run(
            deed, context, connector: Misdirection { throw DataChannelError(.unreachable, reason: "as told") })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(client.stages.contains(.tunnelJoined) && client.notices == [.tunnelInstead])
        #expect(!authenticator.stages.contains(.channelOpened))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("do not stop a client that an advert has led to them: it joins the tunnel", arguments: Deed.allCases)
    func misdirected(deed: Deed) async throws {
        let context = TestContext()
        let channels = try await SimulatedChannels(at: [.unused()])
        let (urls, shown) = AsyncStream<String>.makeStream()
        let ends = ChannelEnds()
        var limits = TimeLimits.generous
        limits.nearby = .seconds(3)
        async let client = context.client(
            limits, connector: Misdirection { await ends.lead(to: deed, context) }, show: { shown.yield($0) })
        let url = await urls.first { _ in true } ?? ""
        let authenticator = await context.authenticator(url, listener: channels)
        let ending = await client
        #expect(ending.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(ending.notices == [.tunnelInstead] && ending.stages.contains(.tunnelJoined))
        await ends.close()
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test(
        "or a lost connection are named as the cause, if the authenticator has left its tunnel for it",
        arguments: [404, 418])
    func lostConnection(status: Int) async throws {
        let context = TestContext(
            onConnect: .refuse(DataChannelError(.upgradeRefused, reason: "no such tunnel", httpStatus: status)))
        let channels = try await SimulatedChannels(at: [.unused()])
        let (urls, shown) = AsyncStream<String>.makeStream()
        let ends = ChannelEnds()
        async let client = context.client(
            connector: Misdirection { await ends.lead(to: .close, context) }, show: { shown.yield($0) })
        let url = await urls.first { _ in true } ?? ""
        async let authenticator = context.authenticator(url, .short(\.advertising), listener: channels)
        let ending = await client
        #expect(ending.notices == [.tunnelInstead] && ending.failed(.peerClosed, before: .handshaken))
        #expect(await authenticator.failed(.timeout, before: .handshaken))
        await ends.close()
    }

    @Test("stop a client that may not use the tunnel")
    func withoutTunnel() async throws {
        let context = TestContext()
        let channels = try await SimulatedChannels(at: [.unused()])
        let (urls, shown) = AsyncStream<String>.makeStream()
        let ends = ChannelEnds()
        async let client = context.client(
            channel: .l2cap, connector: Misdirection { await ends.lead(to: .foreignHandshake, context) },
            show: { shown.yield($0) })
        let url = await urls.first { _ in true } ?? ""
        async let authenticator = context.authenticator(url, .short(\.advertising), listener: channels)
        #expect(await client.failed(.protocolViolation, before: .handshaken))
        #expect(await authenticator.failed(.timeout, before: .handshaken))
        await ends.close()
        #expect(!context.tunnels.urls.contains { $0.contains("/connect/") })
    }
}

/// A connector that leads elsewhere.
private struct Misdirection: NearbyConnector {
    let open: @Sendable () async throws -> any DataChannel

    func connect(to address: BluetoothAddress, psm: UInt16) async throws -> any DataChannel { try await open() }
}

/// The unauthenticated devices' ends of channels.
private actor ChannelEnds {
    private var ends: [TestChannel] = []

    /// A client's channel whose other end is an unauthenticated device's.
    func lead(to deed: UnauthenticatedDeviceTests.Deed, _ context: TestContext) async -> any DataChannel {
        let (client, unauthenticated) = TestChannel.pair(
            context.resources, { _, _ in .delivered }, { _, _ in .delivered }, keepsMessagesWhole: false)
        ends.append(unauthenticated.handOut())
        let channel = client.handOut()
        await deed.perform(on: unauthenticated)
        return channel
    }

    func close() async { for end in ends { await end.close() } }
}
