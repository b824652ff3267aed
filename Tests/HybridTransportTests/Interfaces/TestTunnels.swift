import HybridProtocol
import HybridTransport
import Synchronization

/// A tunnel service in memory, with every misbehaviour that a test asks for.
final class TestTunnels: TunnelOpener {
    /// The answer of the service.
    enum Answer: Sendable {
        case open
        case hang
        case refuse(DataChannelError)
    }

    private let resources: ResourceCounter
    private let waiting = Mutex<[String: TestChannel]>([:])
    private let opened = Mutex<[String]>([])
    private let signalled = Mutex<Set<String>>([])
    private let contacts = Mutex<[String: TestContact]>([:])
    private let connectedAhead = Mutex<[String]>([])

    /// The answers to `new` and to `connect`.
    let onNew: Answer
    let onConnect: Answer
    let routingIDHeader: String?
    let fates: Fates

    /// The fates of the messages of each side, by their number.
    struct Fates: Sendable {
        var ofClient: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { _, _ in .delivered }
        var ofAuthenticator: @Sendable (Int, [UInt8]) -> TestChannel.Fate = { _, _ in .delivered }
    }

    init(
        _ resources: ResourceCounter,
        onNew: Answer = .open,
        onConnect: Answer = .open,
        routingIDHeader: String? = "0a0B0c",
        fates: Fates = Fates()
    ) {
        self.resources = resources
        self.onNew = onNew
        self.onConnect = onConnect
        self.routingIDHeader = routingIDHeader
        self.fates = fates
    }

    /// The URLs that were opened, in order.
    var urls: [String] { opened.withLock { $0 } }

    func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
        opened.withLock { $0.append(request.url) }
        let parts = request.url.split(separator: "/")
        guard parts.count >= 5, let tunnelID = parts.last.map(String.init) else {
            throw DataChannelError(.invalidURL, reason: "not a tunnel's URL")
        }
        if parts[3] == "contact" { return try await openContact(tunnelID, ContactHeaders(of: request)) }
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
            if signalled.withLock({ $0.contains(tunnelID) }) { try await channel.send(TunnelWebSocket.signalMessage) }
            return OpenedTunnel(channel: channel.handOut(), routingIDHeader: nil)
        }
        let (authenticator, client) = TestChannel.pair(resources, fates.ofAuthenticator, fates.ofClient)
        waiting.withLock { $0[tunnelID] = client }
        return OpenedTunnel(channel: authenticator.handOut(), routingIDHeader: routingIDHeader)
    }

    /// The services that were connected to before there was a request, in order.
    var ahead: [String] { connectedAhead.withLock { $0 } }

    /// The connection ends with its task.
    func connectAhead(to service: TunnelURL.Service) async -> Bool {
        connectedAhead.withLock { $0.append(service.base) }
        resources.change { $0.openChannels += 1 }
        _ = try? await Task.sleep(for: .seconds(3_600))
        resources.change { $0.openChannels -= 1 }
        return false
    }

    /// Ends a tunnel that waits for its authenticator, for the client with an error if there is one.
    func end(_ tunnelID: TunnelID, with error: DataChannelError? = nil) async throws {
        guard let channel = waiting.withLock({ $0.removeValue(forKey: tunnelID.hex) }) else { return }
        if let error { channel.endPeer(with: error) }
        await channel.handOut().close()
    }

    /// Sets the authenticator of a contact ID; nil: 410 again.
    func setContact(_ contactID: ContactID, _ contact: TestContact?) {
        contacts.withLock { $0[contactID.base64URL] = contact }
    }

    private func openContact(_ contactID: String, _ headers: ContactHeaders?) async throws(DataChannelError)
        -> OpenedTunnel
    {
        guard let contact = contacts.withLock({ $0[contactID] }) else {
            throw DataChannelError(.gone, reason: "as told", httpStatus: 410)
        }
        if let refusal = contact.refusal { throw refusal }
        let tunnelID = (0..<TunnelID.byteCount).map { _ in UInt8.random(in: 0...255) }
        guard let id = try? TunnelID(tunnelID), let headers else {
            throw DataChannelError(.upgradeRefused, reason: "no payload", httpStatus: 400)
        }
        let (client, authenticator) = TestChannel.pair(resources, fates.ofClient, fates.ofAuthenticator)
        waiting.withLock { $0[id.hex] = authenticator }
        if contact.signals { _ = signalled.withLock { $0.insert(id.hex) } }
        let tunnel = OpenedTunnel(
            channel: client.handOut(), routingIDHeader: nil, signalsConnection: contact.signals)
        contact.wake(.init(tunnelID: id, clientPayload: headers.clientPayload))
        if contact.delay > .zero { _ = try? await Task.sleep(for: contact.delay) }
        return tunnel
    }
}

extension ContactHeaders {
    /// The headers of a request for an authenticator; nil if it has none.
    init?(of request: TunnelRequest) {
        func values(_ name: String) -> [String] { request.headers.filter { $0.name == name }.map(\.value) }
        self.init(
            clientPayloads: values(TunnelHeader.clientPayload), signals: values(TunnelHeader.signalConnection))
    }
}

/// The authenticator of a contact ID.
struct TestContact: Sendable {
    /// The refusal that the service answers with instead.
    var refusal: DataChannelError?
    /// True if the service signals the client that the authenticator has joined.
    var signals = true
    /// The time from the wake to the answer of the client's request.
    var delay = Duration.zero
    /// Gets every request.
    var wake: @Sendable (Wake) -> Void = { _ in }

    struct Wake: Sendable {
        let tunnelID: TunnelID
        let clientPayload: [UInt8]
    }
}
