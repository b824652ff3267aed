import Cryptography
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// An authenticator that can be linked, and answers when it is woken.
final class LinkedDevice: Sendable {
    let context: TestContext
    let name: String
    private let root: RootSecret
    private let rootBytes: [UInt8]
    private let contactIDs = Mutex<[LinkID: ContactID]>([:])
    private let wakes: AsyncStream<TestContact.Wake>
    private let feed: AsyncStream<TestContact.Wake>.Continuation
    private let settled = Mutex<[Bool]>([])

    init(_ context: TestContext, name: String = "laptop") throws {
        self.context = context
        self.name = name
        let bytes = randomBytes(count: RootSecret.byteCount)
        root = try RootSecret(SecretBytes(copying: bytes.span))
        rootBytes = bytes
        (wakes, feed) = AsyncStream.makeStream()
    }

    /// The same device in another context.
    init(_ context: TestContext, copying other: LinkedDevice) throws {
        self.context = context
        name = other.name
        let bytes = other.rootBytes
        root = try RootSecret(SecretBytes(copying: bytes.span))
        rootBytes = bytes
        contactIDs.withLock { own in own = other.contactIDs.withLock { $0 } }
        (wakes, feed) = AsyncStream.makeStream()
    }

    /// The outcomes of the offers, in order: true if one was sent.
    var settlements: [Bool] { settled.withLock { $0 } }

    /// Makes a link's offer, whose contact ID works from then on.
    func offer(contactID bytes: [UInt8]? = nil, signals: Bool = true) throws -> AuthenticatorLinking.Offer {
        let linkID = try LinkID(randomBytes(count: LinkID.byteCount))
        let contactID = try ContactID(bytes ?? randomBytes(count: 41))
        contactIDs.withLock { $0[linkID] = contactID }
        setContact(contactID, signals: signals)
        let offer = try LinkOffer(contactID: contactID, linkID: linkID, root: root, name: name)
        return AuthenticatorLinking.Offer(offer) { [self] wasSent in settled.withLock { $0.append(wasSent) } }
    }

    /// Lets the tunnel service reach this device by a contact ID.
    func setContact(_ contactID: ContactID, signals: Bool = true, delay: Duration = .zero) {
        context.tunnels.setContact(contactID, TestContact(signals: signals, delay: delay) { [feed] in feed.yield($0) })
    }

    /// The next wake.
    func nextWake() async -> TestContact.Wake? { await wakes.first { _ in true } }

    /// Answers a wake.
    ///
    /// - Parameter contactID: of which link the keys are taken; the request's own if nil.
    func serve(
        _ wake: TestContact.Wake, contactID: ContactID? = nil, log: EventLog = EventLog(),
        respond: @escaping TestContext.Responder = { _ in TestContext.answer }
    ) async throws -> Ending<Int> {
        let request = try ContactRequest(decoding: wake.clientPayload.span)
        let contactID = try #require(contactID ?? contactIDs.withLock { $0[request.linkID] })
        let session = try WokenSession(request, contactID: contactID, root: root)
        let ceremony = WokenCeremony(
            advertiser: context.radio, opener: context.tunnels, service: TunnelURL.Service(.google),
            limits: .generous,
            observe: { log.note($0) })
        let result: Result<Int, any Error>
        do {
            result = .success(
                try await ceremony.run(
                    session, tunnelID: wake.tunnelID, routingID: RoutingID([1, 2, 3]),
                    offer: SessionOffer(getInfo: TestContext.getInfo, respond: respond)))
        } catch {
            result = .failure(error)
        }
        return Ending(result: result, events: log.events)
    }

    /// Links a client by a QR code.
    func link(signals: Bool = true) async throws -> SharedLink {
        let events = LinkEvents()
        let offer = try offer(signals: signals)
        let (client, _, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) }, AuthenticatorLinking(.atOnce) { offer })
        #expect(client.value == TestContext.answer)
        return try #require(events.links.first)
    }
}

/// Records the events of links.
final class LinkEvents: Sendable {
    private let state = Mutex<[ClientLinking.Event]>([])

    func note(_ event: ClientLinking.Event) { state.withLock { $0.append(event) } }

    var links: [SharedLink] {
        state.withLock { $0 }.compactMap { if case .linked(let link) = $0 { link } else { nil } }
    }

    var gone: [SharedLink] { state.withLock { $0 }.compactMap { if case .gone(let link) = $0 { link } else { nil } } }

    var unreachable: [HybridTransportError] {
        state.withLock { $0 }.compactMap { if case .unreachable(_, let error) = $0 { error } else { nil } }
    }

    var refused: [HybridProtocolError] {
        state.withLock { $0 }.compactMap { if case .refused(let error) = $0 { error } else { nil } }
    }

    var count: Int { state.withLock { $0.count } }
}

extension TestContext {
    /// Runs both against each other by a QR code, each with its own linking. The authenticator waits for the gate.
    func runLinking(
        _ ofClient: ClientLinking,
        _ ofAuthenticator: AuthenticatorLinking,
        client limits: TimeLimits = .generous,
        authenticator authenticatorLimits: TimeLimits = .generous,
        after gate: Gate? = nil,
        session: @escaping Session = { try await $0.send(TestContext.command) },
        respond: @escaping Responder = { _ in TestContext.answer }
    ) async -> (client: Ending<[UInt8]>, authenticator: Ending<Int>, url: String) {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = linkedClient(ofClient, limits: limits, show: { shown.yield($0) }, session: session)
        let url = await urls.first { _ in true } ?? ""
        await gate?.wait()
        let log = EventLog()
        let ceremony = AuthenticatorCeremony(
            advertiser: radio, opener: tunnels, nearby: nearby, limits: authenticatorLimits, observe: { log.note($0) })
        let result: Result<Int, any Error>
        do {
            result = .success(
                try await ceremony.run(
                    Invitation(url: url), linking: ofAuthenticator,
                    offer: SessionOffer(getInfo: Self.getInfo, respond: respond)))
        } catch {
            result = .failure(error)
        }
        return (await client, Ending(result: result, events: log.events), url)
    }

    /// Runs a client that knows links.
    func linkedClient(
        _ linking: ClientLinking,
        limits: TimeLimits = .generous,
        hint: RequestHint = .getAssertion,
        show: (@Sendable (String) async throws -> Void)? = nil,
        session: @escaping Session = { try await $0.send(TestContext.command) }
    ) async -> Ending<[UInt8]> {
        let log = EventLog()
        let ceremony = ClientCeremony(
            scanner: radio, opener: tunnels, nearby: nearby, limits: limits, observe: { log.note($0) })
        let result: Result<[UInt8], any Error>
        do {
            result = .success(try await ceremony.run(hint: hint, linking: linking, show: show, session: session))
        } catch {
            result = .failure(error)
        }
        return Ending(result: result, events: log.events)
    }
}
