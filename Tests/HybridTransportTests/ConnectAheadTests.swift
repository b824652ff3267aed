import HybridProtocol
import LinuxSupport
import Synchronization
import TestPeers
import Testing

@testable import HybridTransport

/// A tunnel service that is known is connected to while the code is shown, and no other.
@Suite("Connecting while the code is shown", .timeLimit(.minutes(2)))
struct ConnectAheadTests {
    private static let given = TunnelURL.Service(address: "wss://given.example")

    @Test("goes on until the ceremony is over, and leaves nothing open")
    func ceremony() async throws {
        let context = TestContext()
        let (urls, shown) = AsyncStream<String>.makeStream()
        let ceremony = {
            var ceremony = ClientCeremony(
                scanner: context.radio, opener: context.tunnels, service: Self.given, limits: .generous)
            ceremony.connectsAhead = true
            return ceremony
        }()
        async let answer = ceremony.run(hint: .getAssertion, show: { shown.yield($0) }) {
            try await $0.send(TestContext.command)
        }
        let url = try #require(await urls.first { _ in true })
        let authenticator = await context.authenticator(url)
        #expect(try await answer == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(context.tunnels.ahead == ["wss://given.example"])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    /// The services that are connected to ahead.
    private static func services(
        given: TunnelURL.Service? = nil, link: SharedLink? = nil, _ choice: ChannelChoice = .webSocket,
        connectsAhead: Bool = true
    ) async -> [String] {
        let opener = EndingConnections(count: 0)
        var channels = ClientChannels(opener: opener, nearby: nil, choice: choice, service: given)
        channels.connectsAhead = connectsAhead
        await channels.connectAhead(of: link, .on(JumpingClock()))
        return opener.services
    }

    @Test("is for the service that was given, or that a link names, and for no other")
    func services() async throws {
        let link = try await LinkedDevice(TestContext()).link()
        #expect(await Self.services() == [])
        #expect(await Self.services(given: Self.given) == ["wss://given.example"])
        #expect(await Self.services(given: Self.given, .any) == ["wss://given.example"])
        #expect(await Self.services(given: Self.given, link: link) == ["wss://given.example"])
        #expect(await Self.services(link: link) == [TunnelURL.Service(link.link.domain).base])
        #expect(await Self.services(given: Self.given, link: link, .l2cap) == [])
        #expect(await Self.services(given: Self.given, link: link, connectsAhead: false) == [])
    }

    @Test("is done again after a pause where the connection ends, until a request takes it")
    func ends() async {
        let opener = EndingConnections(count: 3)
        let clock = JumpingClock()
        var channels = ClientChannels(opener: opener, nearby: nil, choice: .webSocket, service: Self.given)
        channels.connectsAhead = true
        let start = clock.now
        await channels.connectAhead(of: nil, .on(clock))
        #expect(opener.services.count == 4)
        #expect(start.duration(to: clock.now) >= .seconds(15))
    }
}

/// Connections of which the first few end, and the next is taken.
private final class EndingConnections: TunnelOpener {
    private let count: Int
    private let made = Mutex<[String]>([])

    init(count: Int) { self.count = count }

    var services: [String] { made.withLock { $0 } }

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        throw DataChannelError(.unreachable, reason: "")
    }

    func connectAhead(to service: TunnelURL.Service) async -> Bool {
        made.withLock {
            $0.append(service.base)
            return $0.count > count
        }
    }
}
