import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// The client's end of a state-assisted session.
@Suite("The end of a state-assisted session", .timeLimit(.minutes(2)))
struct LinkedSessionEndTests {
    /// The shutdown is delayed until the search for the device is over, which closes the rest of it, as on a machine
    /// that is busy.
    @Test("is its shutdown message, whatever else ends meanwhile", arguments: [true, false])
    func shutdown(succeeds: Bool) async throws {
        let sentCount = Mutex(0)
        let context = TestContext(
            fates: .init(ofClient: { number, _ in
                sentCount.withLock { $0 = number + 1 }
                return .delivered
            }))
        let there = try LinkedDevice(TestContext())
        let link = try await there.link()
        let device = try LinkedDevice(context, copying: there)
        device.setContact(link.link.contactID)
        let scanIsOver = Gate()
        let closes = Mutex<[DelayedEnd.Close]>([])
        var limits = TimeLimits.generous
        limits.closing = .seconds(60)
        let ceremony = ClientCeremony(
            scanner: GatedScanner(radio: context.radio, isOver: scanIsOver),
            opener: DelayedEndOpener(tunnels: context.tunnels, gate: scanIsOver) { close in
                closes.withLock { $0.append(close) }
            }, limits: limits)
        async let client = ceremony.run(hint: .getAssertion, linking: ClientLinking(links: [link]), show: nil) {
            let answer = try await $0.send(TestContext.command)
            guard succeeds else { throw CancellationError() }
            return answer
        }
        let wake = try #require(await device.nextWake())
        let authenticator = try await device.serve(wake)
        #expect((try? await client) == (succeeds ? TestContext.answer : nil))
        #expect(authenticator.value == 1)
        #expect(closes.withLock(\.first) == .afterMessage)
        // The handshake, the command, and the shutdown.
        #expect(sentCount.withLock(\.self) == 3)
        #expect(context.resources.now == ResourceCounter.Counts())
    }
}

/// A scanner that opens a gate when a scan is over.
private struct GatedScanner: AdvertScanner {
    let radio: TestRadio
    let isOver: Gate

    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
    ) async throws -> Value {
        defer { isOver.open() }
        return try await radio.scan(body)
    }
}

/// Opens channels whose last message waits for a gate.
private struct DelayedEndOpener: TunnelOpener {
    let tunnels: TestTunnels
    let gate: Gate
    let note: @Sendable (DelayedEnd.Close) -> Void

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        let tunnel = try await tunnels.open(request)
        return OpenedTunnel(
            channel: DelayedEnd(channel: tunnel.channel, gate: gate, note: note),
            routingIDHeader: tunnel.routingIDHeader,
            signalsConnection: tunnel.signalsConnection)
    }
}

/// A channel whose last message waits for a gate, and which notes the ways in which it is closed.
private struct DelayedEnd: DataChannel {
    enum Close { case afterMessage, atOnce }

    let channel: any DataChannel
    let gate: Gate
    let note: @Sendable (Close) -> Void

    var counts: MessageCounts { channel.counts }

    func send(_ message: [UInt8]) async throws(DataChannelError) { try await channel.send(message) }

    func receive() async throws(DataChannelError) -> [UInt8] { try await channel.receive() }

    func close() async {
        note(.atOnce)
        await channel.close()
    }

    func close(after last: [UInt8]) async {
        await gate.wait()
        note(.afterMessage)
        await channel.close(after: last)
    }
}
