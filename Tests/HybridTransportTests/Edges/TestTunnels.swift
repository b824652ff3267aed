import Edges
import HybridProtocol
import Synchronization

/// A tunnel service in memory, with every bad habit that a test asks for.
final class TestTunnels: TunnelOpener {
    /// How the service answers.
    enum Answer: Sendable {
        case open
        case hang
        case refuse(DataChannelError)
    }

    private let census: Census
    private let waiting = Mutex<[String: TestChannel]>([:])
    private let opened = Mutex<[String]>([])

    /// What the service answers to `new` and to `connect`.
    let onNew: Answer
    let onConnect: Answer
    let routingIDHeader: String?
    let fates: Fates

    /// What becomes of the messages of each side, by their number.
    struct Fates: Sendable {
        var ofClient: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { _, _ in .delivered }
        var ofAuthenticator: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { _, _ in .delivered }
    }

    init(
        _ census: Census,
        onNew: Answer = .open,
        onConnect: Answer = .open,
        routingIDHeader: String? = "0a0B0c",
        fates: Fates = Fates()
    ) {
        self.census = census
        self.onNew = onNew
        self.onConnect = onConnect
        self.routingIDHeader = routingIDHeader
        self.fates = fates
    }

    /// The URLs that were opened, in order.
    var urls: [String] { opened.withLock { $0 } }

    func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
        opened.withLock { $0.append(url) }
        let parts = url.split(separator: "/")
        guard parts.count >= 5, let tunnelID = parts.last.map(String.init) else {
            throw DataChannelError(.invalidURL, reason: "not a tunnel's URL")
        }
        let isNew = parts[3] == "new"
        switch isNew ? onNew : onConnect {
        case .open: break
        case .hang:
            _ = try? await Task.sleep(for: .seconds(3600))
            throw DataChannelError(.cancelled, reason: "cancelled")
        case .refuse(let error): throw error
        }
        guard isNew else {
            guard let channel = waiting.withLock({ $0.removeValue(forKey: tunnelID) }) else {
                throw DataChannelError(.upgradeRefused, reason: "no such tunnel", httpStatus: 404)
            }
            return OpenedTunnel(channel: channel.handOut(), routingIDHeader: nil)
        }
        let (authenticator, client) = TestChannel.pair(census, fates.ofAuthenticator, fates.ofClient)
        waiting.withLock { $0[tunnelID] = client }
        return OpenedTunnel(channel: authenticator.handOut(), routingIDHeader: routingIDHeader)
    }
}
