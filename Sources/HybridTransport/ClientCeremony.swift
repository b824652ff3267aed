public import Edges
public import HybridProtocol

/// The client's ceremony, from the QR code, or the links that it has, to the authenticator's answers.
///
/// Source: CTAP 2.2 sections 11.5.1 and 11.5.2; the order is that of PROTOCOL.md sections 0 and 8.
///
///     let ceremony = ClientCeremony(scanner: radio, opener: tunnelClient)
///     let answer = try await ceremony.run(hint: .getAssertion) { url in print(url) } session: { connection in
///         try await connection.send(command)
///     }
public struct ClientCeremony: Sendable {
    private let scanner: any Scanner
    private let channels: ClientChannels
    private let limits: TimeLimits
    private let observe: CeremonyObserver

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - scanner: hears the authenticator's advert.
    ///   - opener: joins its tunnel.
    ///   - nearby: connects to the authenticator without a tunnel; nil if this machine cannot, and then only the WebSocket is
    ///     offered and used.
    ///   - channel: which channels are offered and used.
    ///   - service: where the tunnel service is, instead of where the advert's domain says.
    ///   - limits: how long each part may take.
    ///   - observe: is told of every stage.
    public init(
        scanner: any Scanner,
        opener: any TunnelOpener,
        nearby: (any NearbyConnector)? = nil,
        channel: ChannelChoice = .any,
        service: TunnelURL.Service? = nil,
        limits: TimeLimits = .standard,
        observe: @escaping CeremonyObserver = { _ in }
    ) {
        self.scanner = scanner
        channels = ClientChannels(
            opener: opener, nearby: nearby, choice: nearby == nil ? .webSocket : channel, service: service)
        self.limits = limits
        self.observe = observe
    }

    /// Runs the ceremony once.
    ///
    /// The scan lasts from before the code is shown until the session is over, so that no advert is missed, and a second
    /// device that answers the same code is noticed whenever it does. Links are tried beside the code; the first advert that opens
    /// wins. When this returns or throws, the scan is over and all tunnels are closed, whatever happened; cancelling the task ends
    /// it promptly.
    ///
    /// - Parameters:
    ///   - hint: what the client is going to ask for. Links are tried for `getAssertion` and `makeCredential` only.
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - linking: which links are tried, and whether a new one is wanted.
    ///   - show: shows the QR code. Its text is a secret between the screen and the person. Only when it has returned are
    ///     adverts listened to. Nil if there is to be none, but links only.
    ///   - session: sends the commands.
    /// - Returns: what `session` returned.
    /// - Throws: ``HybridTransportError``, `invalidRequest` without a QR code and without a link; otherwise what `show` or `session`
    ///   threw.
    public func run<Value: Sendable>(
        hint: RequestHint,
        timestamp: UInt64? = nil,
        linking: ClientLinking = .none,
        show: (@Sendable (_ url: String) async throws -> Void)?,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let progress = Progress(of: .client, expecting: show == nil ? .advertSeen : .qrShown, observe)
        do {
            let details = Invitation.Details(
                timestamp: timestamp, supportsLinking: linking.isOffered, hint: hint, channels: channels.choice.channels
            )
            let search = try ClientSearch(
                details: show == nil ? nil : details,
                attempts: hint.isForLinks ? linking.links.map { try ContactAttempt($0, hint: hint) } : [],
                channels: channels, limits: limits, progress: progress)
            let value = try await scanner.scan { adverts in
                try await meet(search, adverts, linking, progress, show, session)
            }
            progress.reached(.closed, next: .closed)
            return value
        } catch let error as CallersError {
            throw error.error
        } catch {
            throw progress.failure(error)
        }
    }

    private func meet<Value: Sendable>(
        _ search: ClientSearch,
        _ adverts: ReceivedAdverts,
        _ linking: ClientLinking,
        _ progress: Progress,
        _ show: (@Sendable (String) async throws -> Void)?,
        _ session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            if let show {
                let url = try search.url()
                try await CallersError.wrapping { try await show(url) }
                progress.reached(.qrShown, next: .advertSeen)
            }
            group.addTask { await search.watcher.watch(adverts) }
            do {
                let meeting = try await search.meeting(linking.observe)
                group.addTask { await search.abandon(but: meeting) }
                if meeting.link == nil { group.addTask { await search.watcher.warnOfOthers() } }
                let connection = try await connect(meeting, search, linking, progress)
                let value = try await connection.lend {
                    try await CallersError.wrapping { try await session(connection) }
                }
                await search.abandon()
                return value
            } catch {
                await search.abandon()
                throw error
            }
        }
    }

    private func connect(
        _ meeting: ClientSearch.Meeting,
        _ search: ClientSearch,
        _ linking: ClientLinking,
        _ progress: Progress
    ) async throws -> ClientConnection {
        do {
            let initiator = try search.initiator(meeting)
            return try await ClientHandshake(limits: limits, progress: progress).run(initiator, meeting, linking)
        } catch {
            await meeting.channel.close()
            throw error
        }
    }
}

/// An error of our caller's own, which passes the ceremony as it is.
private struct CallersError: Error {
    let error: any Error

    static func wrapping<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch { throw CallersError(error: error) }
    }
}

extension RequestHint {
    /// Whether a link can be used for it: state-assisted transactions carry CTAP alone (PROTOCOL.md 8).
    fileprivate var isForLinks: Bool { self == .getAssertion || self == .makeCredential }
}
