import HybridProtocol
import HybridTransport
import Testing

/// Two ends of an application that has a code and messages of its own.
@Suite("A channel for an application's messages", .timeLimit(.minutes(2)))
struct MessageChannelTests {
    private typealias Channel = MessageChannel<OpaqueMessages>

    private static let scheme = InvitationScheme(
        urlPrefix: "EXAMPLE-CHAT:/", label: "example chat 1", codeName: "chat code")

    private static func result<Value>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    /// Runs both ends; the authenticator's answers the code that the client's shows.
    private func run<Shown: Sendable, Read: Sendable>(
        _ context: TestContext, limits: TimeLimits = .generous,
        client: @escaping @Sendable (Channel) async throws -> Shown,
        authenticator: @escaping @Sendable (Channel) async throws -> Read
    ) async -> (client: Result<Shown, any Error>, authenticator: Result<Read, any Error>) {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let showing = Self.result {
            try await ClientCeremony(scanner: context.radio, opener: context.tunnels, nearby: context.nearby)
                .openChannel(for: Self.scheme, messages: OpaqueMessages.init) {
                    shown.yield($0)
                } session: {
                    try await client($0)
                }
        }
        let url = await urls.first { _ in true } ?? ""
        let reading = await Self.result {
            try await AuthenticatorCeremony(
                advertiser: context.radio, opener: context.tunnels, nearby: context.nearby, limits: limits
            ).openChannel(ApplicationInvitation(url: url, scheme: Self.scheme), messages: OpaqueMessages.init) {
                try await authenticator($0)
            }
        }
        return (await showing, reading)
    }

    @Test("carries messages both ways, over the tunnel and over Bluetooth", arguments: [false, true])
    func bothWays(isNearby: Bool) async throws {
        let context = isNearby ? TestContext(nearby: { TestNearby($0) }) : TestContext()
        let ends = await run(context) { channel in
            try await channel.send([1])
            try await channel.send([2, 2])
            return (try await channel.receive(), await channel.handshakeHash)
        } authenticator: { channel in
            let received = [try await channel.receive(), try await channel.receive()]
            try await channel.send(received.flatMap { $0 })
            return await channel.handshakeHash
        }
        let (answer, hash) = try ends.client.get()
        #expect(answer == [1, 2, 2])
        #expect(try ends.authenticator.get() == hash)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("cancels a question when the other end leaves")
    func leaving() async throws {
        let ends = await run(TestContext()) { channel in
            _ = try await channel.receive()
        } authenticator: { channel in
            try await channel.send([1])
            try await channel.whileOpen { await EndlessQuestion.ask() }
        }
        try ends.client.get()
        let error = #expect(throws: HybridTransportError.self) { try ends.authenticator.get() }
        #expect(error?.code == .peerClosed)
    }

    @Test("waits with what nobody receives, loses none of it, and closes with some of it left", arguments: [20, 3])
    func waiting(receivedCount: Int) async throws {
        let (sent, sending) = AsyncStream<Void>.makeStream()
        let ends = await run(TestContext()) { channel in
            for number in UInt8(0)..<20 { try await channel.send([number]) }
            sending.yield()
            _ = try? await channel.receive()
        } authenticator: { channel in
            _ = await sent.first { _ in true }
            var received: [[UInt8]] = []
            for _ in 0..<receivedCount { received.append(try await channel.receive()) }
            return received
        }
        try ends.client.get()
        #expect(try ends.authenticator.get() == (0..<UInt8(receivedCount)).map { [$0] })
    }

    @Test("reads no more while eight wait, not even the end, and then has all")
    func unread() async throws {
        let ends = await run(TestContext()) { channel in
            for number in UInt8(0)..<20 { try await channel.send([number]) }
        } authenticator: { channel in
            // It would be cut short if the end were read; that takes some time.
            try await channel.whileOpen { try? await Task.sleep(for: .milliseconds(300)) }
            var received: [[UInt8]] = []
            for _ in 0..<20 { received.append(try await channel.receive()) }
            return received
        }
        try ends.client.get()
        #expect(try ends.authenticator.get() == (0..<20).map { [$0] })
    }

    @Test("ends at the time limit of a message that does not come")
    func timeLimit() async throws {
        var limits = TimeLimits.generous
        limits.command = .milliseconds(200)
        let ends = await run(TestContext(), limits: limits) { channel in
            _ = try? await channel.receive()
        } authenticator: { channel in
            try await channel.receive()
        }
        let error = #expect(throws: HybridTransportError.self) { try ends.authenticator.get() }
        #expect(error?.code == .timeout && error?.stage == .commandAnswered)
    }

    @Test("sends a last message, after which the other end has what it was sent, and the caller's own error")
    func lastMessage() async throws {
        struct Refusal: Error {}
        let ends = await run(TestContext()) { channel in
            try await channel.receive()
        } authenticator: { channel in
            await channel.sendLast([9])
            throw Refusal()
        }
        #expect(try ends.client.get() == [9])
        #expect(throws: Refusal.self) { try ends.authenticator.get() }
    }
}
