package import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// The parts of this machine's ceremonies in either role: radio, tunnels, channels, time limits and key log.
package struct CeremonyParts: Sendable {
    /// The radio.
    package var radio: any Radio
    /// Opens tunnels.
    package var opener: any TunnelOpener
    /// The address of the tunnel service; nil for the domain's own.
    package var service: TunnelURL.Service?
    /// The tunnel domain that an authenticator's advert names.
    package var domain: TunnelDomain
    /// The channels that are used.
    package var channel: ChannelChoice
    /// The time limits.
    package var limits: TimeLimits
    /// True if a client connects to a tunnel service that it knows while its QR code is shown.
    package var connectsAhead = false
    /// Gets the keys of each session: anyone who has them and a capture reads it. Nil but in a laboratory.
    package var keyLog: TrafficKeyLog?

    /// Puts the parts together; nothing is opened yet.
    package init(
        radio: any Radio, opener: any TunnelOpener, service: TunnelURL.Service? = nil, domain: TunnelDomain = .google,
        channel: ChannelChoice = .webSocket, limits: TimeLimits = .standard, keyLog: TrafficKeyLog? = nil
    ) {
        self.radio = radio
        self.opener = opener
        self.service = service
        self.domain = domain
        self.channel = channel
        self.limits = limits
        self.keyLog = keyLog
    }

    /// The address of an authenticator's tunnel service.
    package var tunnelService: TunnelURL.Service { service ?? TunnelURL.Service(domain) }

    /// Makes a client's ceremony.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: `RadioError`.
    package func client(observe: @escaping CeremonyObserver) throws(RadioError) -> ClientCeremony {
        var ceremony = ClientCeremony(
            scanner: try radio.scanner(), opener: opener, nearby: try nearby(), channel: channel, service: service,
            limits: limits, observe: observe)
        ceremony.keyLog = keyLog
        ceremony.connectsAhead = connectsAhead
        return ceremony
    }

    /// Makes an authenticator's ceremony, for a QR code.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: `RadioError`.
    package func authenticator(observe: @escaping CeremonyObserver) throws(RadioError) -> AuthenticatorCeremony {
        var ceremony = AuthenticatorCeremony(
            advertiser: try radio.advertiser(), opener: opener, nearby: try nearby(), channel: channel, domain: domain,
            service: service, limits: limits, observe: observe)
        ceremony.keyLog = keyLog
        return ceremony
    }

    /// Makes an authenticator's ceremony, for the request of a linked client.
    ///
    /// - Parameter observe: gets every stage.
    /// - Throws: `RadioError`.
    package func woken(observe: @escaping CeremonyObserver) throws(RadioError) -> WokenCeremony {
        var ceremony = WokenCeremony(
            advertiser: try radio.advertiser(), opener: opener, service: tunnelService, limits: limits,
            observe: observe)
        ceremony.keyLog = keyLog
        return ceremony
    }

    private func nearby() throws(RadioError) -> (any NearbyConnector & NearbyListener)? {
        channel == .webSocket ? nil : try radio.channels()
    }
}

/// The role, the time limits and the progress of one ceremony.
///
/// It reports each stage to the observer and knows which one is expected next, so that a failure names the stage that
/// was not reached. The observer is called under the lock, and so in order and by one task at a time.
final class CeremonyContext: Sendable {
    let limits: TimeLimits
    /// Gets the keys of the session; nil but in a laboratory.
    let keyLog: TrafficKeyLog?
    private let role: Role
    private let observe: CeremonyObserver
    private let expected: Mutex<Stage>

    init(
        of role: Role, expecting first: Stage, limits: TimeLimits, keyLog: TrafficKeyLog?,
        observe: @escaping CeremonyObserver
    ) {
        self.role = role
        self.limits = limits
        self.keyLog = keyLog
        self.observe = observe
        expected = Mutex(first)
    }

    /// Notes that a stage was reached, and which one is expected now.
    func reached(_ stage: Stage, next: Stage) {
        expected.withLock {
            $0 = next
            CeremonyLog.note(stage, of: role)
            observe(.stage(stage))
        }
    }

    /// Notes that a stage was reached beside the others: the expected one stays as it is.
    func passed(_ stage: Stage) {
        expected.withLock { _ in
            CeremonyLog.note(stage, of: role)
            observe(.stage(stage))
        }
    }

    /// Notes that another stage is expected now.
    func expect(_ stage: Stage) { expected.withLock { $0 = stage } }

    /// Reports something beside the stages.
    func notice(_ notice: CeremonyEvent.Notice) { expected.withLock { _ in observe(.notice(notice)) } }

    /// The ceremony's failure for an error that is thrown at this point.
    func failure(_ error: any Error) -> HybridTransportError {
        HybridTransportError(error, reaching: expected.withLock { $0 }, as: role)
    }

    /// The error of a stage that was not reached within `limit`; the expected one unless another is named.
    func timeout(_ limit: Duration, reaching stage: Stage? = nil) -> HybridTransportError {
        .timeout(reaching: stage ?? expected.withLock { $0 }, as: role, limit: limit)
    }

    /// The time on the clock of the limits.
    var now: Duration { limits.timer.now }

    /// Runs `body` in a task of its own for at most `limit`, of which the time since `start` is over; then cancels it,
    /// and waits for it; see `DeadlineTimer/within(_:since:_:)`.
    ///
    /// - Parameter stage: the stage that `body` must reach; nil for the one that is expected when its time is over.
    /// - Throws: ``HybridTransportError`` with the code `timeout` and that stage; otherwise the error of `body`.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, reaching stage: Stage? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await limits.timer.within(limit, since: start, body)
        } catch is DeadlineExceeded {
            throw timeout(limit, reaching: stage)
        }
    }

    /// Runs `body` likewise, but in the task of the caller, which costs least.
    ///
    /// - Parameter end: makes `body` fail, soon. Called when its time is over.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, endedBy end: @escaping @Sendable () -> Void,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await limits.timer.within(limit, since: start, endedBy: end, body)
        } catch is DeadlineExceeded {
            throw timeout(limit)
        }
    }

    /// Runs `body` likewise: when its time is over, `channel` is closed, which ends the operations of `body` on it.
    func within<Value: Sendable>(
        _ limit: Duration, since start: Duration? = nil, on channel: any DataChannel,
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await within(limit, since: start, endedBy: { Task { await channel.close() } }, body)
    }
}

extension CeremonyParts {
    /// The longest time for each of the two looks. A slow radio or service is left to the ceremony.
    private static var checkLimit: Duration { .seconds(1) }

    /// Looks whether a ceremony can take place, before a person is asked for anything: whether the radio can be used,
    /// and whether something answers at the tunnel service. Takes milliseconds, where nothing is slow.
    ///
    /// - Parameters:
    ///   - role: the role in it. Of a client's tunnel service nothing is known before the advert, unless it was given.
    ///   - offered: the channels that the client offers; nil if they are not known, or are ours. A tunnel service is
    ///     looked at where there is no other way.
    /// - Throws: ``HybridTransportError``, as the ceremony would.
    package func check(as role: Role, offered: [ChannelIdentifier]? = nil) async throws(HybridTransportError) {
        let isClient = role == .client
        do {
            try await unlessSlow { [radio] in try await radio.check(advertises: !isClient) }
        } catch {
            throw HybridTransportError(error, reaching: isClient ? .advertSeen : .advertising, as: role)
        }
        let common = offered.map { $0.filter(channel.channels.contains) } ?? channel.channels
        guard common == [.webSocket], !isClient || service != nil else { return }
        do throws(DataChannelError) {
            try await opener.check(tunnelService, within: Self.checkLimit)
        } catch {
            throw HybridTransportError(
                error.of(domain, unless: service != nil), reaching: isClient ? .tunnelJoined : .tunnelOpened, as: role)
        }
    }

    private func unlessSlow(_ look: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await look() }
            group.addTask { [limits] in try await limits.timer.sleep(for: Self.checkLimit) }
            try await group.next()
        }
    }
}

extension DataChannelError {
    /// The same error; one of a tunnel service whose name nobody has typed says which domain it is of.
    func of(_ domain: TunnelDomain, unless isGiven: Bool) -> Self {
        guard !isGiven, code == .unreachable else { return self }
        return Self(code, reason: "\(reason) (tunnel domain \(domain.number))")
    }
}
