import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// A test context for both ceremonies: a radio, a tunnel service, and a counter of open resources.
struct TestContext: Sendable {
    let resources: ResourceCounter
    let radio: TestRadio
    let tunnels: TestTunnels
    /// Bluetooth connections without a tunnel; nil if there are none.
    let nearby: TestNearby?

    init(
        onNew: TestTunnels.Answer = .open,
        onConnect: TestTunnels.Answer = .open,
        routingIDHeader: String? = "0a0B0c",
        fates: TestTunnels.Fates = TestTunnels.Fates(),
        nearby: ((ResourceCounter) -> TestNearby)? = nil
    ) {
        resources = ResourceCounter()
        self.nearby = nearby?(resources)
        radio = TestRadio(resources)
        tunnels = TestTunnels(
            resources, onNew: onNew, onConnect: onConnect, routingIDHeader: routingIDHeader, fates: fates)
    }

    typealias Session = @Sendable (ClientConnection) async throws -> [UInt8]
    typealias Responder = @Sendable ([UInt8]) async -> [UInt8]

    static let getInfo: [UInt8] = [0xa1, 0x01, 0x80]
    static let command: [UInt8] = [0x02, 0xa0]
    static let answer: [UInt8] = [0x00, 0xa0]

    /// Runs the client's ceremony; `show` gets the URL.
    func client(
        _ limits: TimeLimits = .generous,
        channel: ChannelChoice = .any,
        connector: (any NearbyConnector)? = nil,
        log: EventLog = EventLog(),
        show: @escaping @Sendable (String) async throws -> Void,
        session: @escaping Session = { try await $0.send(TestContext.command) }
    ) async -> Ending<[UInt8]> {
        let ceremony = ClientCeremony(
            scanner: radio, opener: tunnels, nearby: connector ?? nearby, channel: channel, limits: limits,
            observe: { log.note($0) })
        let result: Result<[UInt8], any Error>
        do {
            result = .success(
                try await ceremony.run(hint: .getAssertion, timestamp: 1_700_000_000, show: show, session: session))
        } catch {
            result = .failure(error)
        }
        return Ending(result: result, events: log.events)
    }

    /// Runs the authenticator's ceremony.
    func authenticator(
        _ url: String,
        _ limits: TimeLimits = .generous,
        domain: TunnelDomain = .google,
        channel: ChannelChoice = .any,
        listener: (any NearbyListener)? = nil,
        advertiser: (any Advertiser)? = nil,
        log: EventLog = EventLog(),
        respond: @escaping Responder = { _ in TestContext.answer },
        offer: SessionOffer? = nil
    ) async -> Ending<Int> {
        let ceremony = AuthenticatorCeremony(
            advertiser: advertiser ?? radio, opener: tunnels, nearby: listener ?? nearby, channel: channel,
            domain: domain,
            limits: limits, observe: { log.note($0) })
        let result: Result<Int, any Error>
        do {
            result = .success(
                try await ceremony.run(
                    Invitation(url: url),
                    offer: offer ?? SessionOffer(getInfo: Self.getInfo, isComplete: { _, _ in false }, respond: respond)
                ))
        } catch {
            result = .failure(error)
        }
        return Ending(result: result, events: log.events)
    }

    /// Runs both against each other.
    func run(
        client clientLimits: TimeLimits = .generous,
        authenticator authenticatorLimits: TimeLimits = .generous,
        channels: (client: ChannelChoice, authenticator: ChannelChoice) = (.any, .any),
        clientLog: EventLog = EventLog(),
        authenticatorLog: EventLog = EventLog(),
        respond: @escaping Responder = { _ in TestContext.answer },
        offer: SessionOffer? = nil,
        session: @escaping Session = { try await $0.send(TestContext.command) }
    ) async -> (client: Ending<[UInt8]>, authenticator: Ending<Int>, url: String) {
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = client(
            clientLimits, channel: channels.client, log: clientLog, show: { shown.yield($0) }, session: session)
        var url = ""
        for await next in urls {
            url = next
            break
        }
        async let authenticator = authenticator(
            url, authenticatorLimits, channel: channels.authenticator, log: authenticatorLog, respond: respond,
            offer: offer)
        return (await client, await authenticator, url)
    }
}

/// The result of one ceremony, and its events.
struct Ending<Value: Sendable>: Sendable {
    let result: Result<Value, any Error>
    let events: [CeremonyEvent]

    var value: Value? { try? result.get() }

    var error: HybridTransportError? {
        guard case .failure(let error) = result else { return nil }
        return error as? HybridTransportError
    }

    var stages: [Stage] {
        events.compactMap {
            guard case .stage(let stage) = $0 else { return nil }
            return stage
        }
    }

    var notices: [CeremonyEvent.Notice] {
        events.compactMap {
            guard case .notice(let notice) = $0 else { return nil }
            return notice
        }
    }

    /// True if it failed with this code before this stage.
    func failed(_ code: HybridTransportError.Code, before stage: Stage) -> Bool {
        error == HybridTransportError(code, stage: stage, cause: "", advice: .startAgain)
    }
}

/// Records the events of a ceremony, and runs an action at each.
final class EventLog: Sendable {
    private let state = Mutex<[CeremonyEvent]>([])
    private let action: @Sendable (CeremonyEvent) -> Void

    init(_ action: @escaping @Sendable (CeremonyEvent) -> Void = { _ in }) { self.action = action }

    var events: [CeremonyEvent] { state.withLock { $0 } }

    func note(_ event: CeremonyEvent) {
        state.withLock { $0.append(event) }
        action(event)
    }
}

extension TimeLimits {
    /// So long that no slow machine runs into them.
    static let generous = TimeLimits(
        discovery: .seconds(60), tunnel: .seconds(60), handshake: .seconds(60), command: .seconds(60),
        idle: .seconds(60), candidate: .seconds(60))

    /// Generous, but not towards a client that asks for nothing.
    static let briefIdle = {
        var limits = generous
        limits.idle = .seconds(3)
        return limits
    }()

    /// Generous but for an idle time of five seconds: a pause of two is well within it, also on a slow machine.
    static let shortIdle = {
        var limits = generous
        limits.idle = .seconds(5)
        return limits
    }()

    /// Generous but for one limit, within which a slow machine still does the steps before it.
    static func short(_ path: WritableKeyPath<TimeLimits, Duration>) -> TimeLimits {
        var limits = generous
        limits[keyPath: path] = .seconds(3)
        return limits
    }
}
