import HybridProtocol
import Synchronization
import Testing

@testable import HybridTransport

/// A ceremony that cannot be is refused before anybody is asked for anything.
@Suite("A look before a ceremony", .timeLimit(.minutes(2)))
struct CheckTests {
    /// A radio and a tunnel service that are only looked at.
    private final class Looks: Radio, TunnelOpener {
        private let radio: @Sendable () async throws -> Void
        private let seen = Mutex<[String]>([])

        init(radio: @escaping @Sendable () async throws -> Void = {}) { self.radio = radio }

        var all: [String] { seen.withLock { $0 } }

        func scanner() throws(RadioError) -> any AdvertScanner { throw RadioError(.absent, reason: "") }
        func advertiser() throws(RadioError) -> any Advertiser { throw RadioError(.absent, reason: "") }
        func channels() throws(RadioError) -> any NearbyConnector & NearbyListener {
            throw RadioError(.absent, reason: "")
        }

        func check(advertises: Bool) async throws {
            seen.withLock { $0.append(advertises ? "advertiser" : "scanner") }
            try await radio()
        }

        func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
            throw DataChannelError(.unreachable, reason: "")
        }

        func check(_ service: TunnelURL.Service, within limit: Duration) async throws(DataChannelError) {
            seen.withLock { $0.append(service == TunnelURL.Service(.apple) ? "apple" : "given") }
            throw DataChannelError(.unreachable, reason: "nobody")
        }
    }

    private static func parts(
        _ looks: Looks, given: Bool = false, _ channel: ChannelChoice = .webSocket
    ) -> CeremonyParts {
        CeremonyParts(
            radio: looks, opener: looks, service: given ? .init(address: "wss://localhost") : nil, domain: .apple,
            channel: channel)
    }

    @Test("tells what is wrong with the radio, and looks no further", arguments: [Role.client, .authenticator])
    func radio(role: Role) async {
        let looks = Looks { throw RadioError(.poweredOff, reason: "hci0 is off") }
        let error = await #expect(throws: HybridTransportError.self) { try await Self.parts(looks).check(as: role) }
        #expect(error?.code == .radio && error?.stage == (role == .client ? .advertSeen : .advertising))
        #expect(error?.cause == "powered-off: hci0 is off" && error?.reason == "hci0 is off")
        #expect(error?.advice == .checkRadio("powered-off"))
        #expect(looks.all == [role == .client ? "scanner" : "advertiser"])
    }

    @Test("leaves a radio that does not answer to the ceremony")
    func slowRadio() async throws {
        let looks = Looks { try await Task.sleep(for: .seconds(3_600)) }
        try await Self.parts(looks).check(as: .client)
    }

    @Test("tells that nobody answers at the tunnel service, and names its domain unless its address was given")
    func tunnelService() async {
        let looks = Looks()
        let error = await #expect(throws: HybridTransportError.self) {
            try await Self.parts(looks).check(as: .authenticator)
        }
        #expect(error?.code == .tunnelUnreachable && error?.stage == .tunnelOpened)
        #expect(error?.reason == "nobody (tunnel domain 1)")
        let given = await #expect(throws: HybridTransportError.self) {
            try await Self.parts(looks, given: true).check(as: .client)
        }
        #expect(given?.stage == .tunnelJoined && given?.reason == "nobody")
        #expect(looks.all == ["advertiser", "apple", "scanner", "given"])
    }

    @Test("does not look at a tunnel service that is not known yet, or need not be")
    func withoutTunnel() async throws {
        let looks = Looks()
        try await Self.parts(looks).check(as: .client)
        try await Self.parts(looks, given: true, .any).check(as: .authenticator, offered: [.webSocket, .ble])
        try await Self.parts(looks, given: true, .l2cap).check(as: .client)
        try await Self.parts(looks, given: true).check(as: .authenticator, offered: [])
        #expect(looks.all == ["scanner", "advertiser", "scanner", "advertiser"])
        await #expect(throws: HybridTransportError.self) {
            try await Self.parts(looks, given: true, .any).check(as: .authenticator, offered: [.webSocket])
        }
    }
}
