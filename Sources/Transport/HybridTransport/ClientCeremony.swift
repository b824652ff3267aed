package import HybridProtocol
internal import Synchronization

/// The client's ceremony, from the QR code, or the links that it has, to the authenticator's answers.
///
/// Source: CTAP 2.2 sections 11.5.1 and 11.5.2; the order is that of the article Ceremony of
/// HybridProtocol.
///
///     let ceremony = ClientCeremony(scanner: radio, opener: tunnelClient)
///     let answer = try await ceremony.run(hint: .getAssertion) { url in print(url) } session: { connection in
///         try await connection.send(command)
///     }
package struct ClientCeremony: Sendable {
    private let scanner: any AdvertScanner
    private var channels: ClientChannels
    private let limits: TimeLimits
    private let observe: CeremonyObserver
    /// Gets the keys of the session; nil but in a laboratory.
    var keyLog: TrafficKeyLog?
    /// True if the tunnel service is connected to while the QR code is shown, where one was given or a link names one.
    var connectsAhead: Bool {
        get { channels.connectsAhead }
        set { channels.connectsAhead = newValue }
    }

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - scanner: hears the authenticator's advert.
    ///   - opener: joins its tunnel.
    ///   - nearby: connects to the authenticator without a tunnel; nil if this machine cannot, and then only the
    ///     WebSocket is offered and used.
    ///   - channel: the channels that are offered and used.
    ///   - service: the address of the tunnel service, instead of the domain of the advert.
    ///   - limits: the time limits of its parts.
    ///   - observe: gets every stage.
    package init(
        scanner: any AdvertScanner,
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
    /// The scan lasts from before the code is shown until the session is over, so that no advert is missed, and a
    /// second device that answers the same code is noticed whenever it does. Links are tried beside the code; the first
    /// advert that decrypts wins. When this returns or throws, the scan is over and all tunnels are closed, whatever
    /// happened; cancelling the task ends it promptly.
    ///
    /// - Parameters:
    ///   - hint: the kind of request that the client is going to send. Links are tried for `getAssertion` and
    ///     `makeCredential` only.
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - linking: the links that are tried, and the offer to be linked.
    ///   - show: shows the QR code. Its text is a secret between the screen and the user. Only when it has returned are
    ///     adverts listened to. Nil for links only.
    ///   - session: sends the commands.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError``, `invalidRequest` without a QR code and without a link; otherwise the error
    ///   of `show` or `session`.
    package func run<Value: Sendable>(
        hint: RequestHint,
        timestamp: UInt64? = nil,
        linking: ClientLinking = .none,
        show: (@Sendable (_ url: String) async throws -> Void)?,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let context = CeremonyContext(
            of: .client, expecting: show == nil ? .advertSeen : .qrShown, limits: limits, keyLog: keyLog,
            observe: observe)
        do {
            let details = Invitation.Details(
                timestamp: timestamp, supportsLinking: linking.isOffered, hint: hint, channels: channels.choice.channels
            )
            let links = hint.isForLinks ? linking.links : []
            guard show != nil || !links.isEmpty else {
                throw HybridTransportError(
                    .invalidRequest, stage: .advertSeen, cause: "neither a QR code nor a linked device was given",
                    advice: .linkFirst)
            }
            // The keys are drawn while the radio starts.
            let drawing = Task { [channels] in
                try ClientSearch(
                    details: show == nil ? nil : details, attempts: links.map { try ContactAttempt($0, hint: hint) },
                    linking: linking, channels: channels, context: context)
            }
            // The end of the session waits for the other side: the scan ends meanwhile.
            let ending = Mutex<Task<Void, Never>?>(nil)
            let outcome: Result<Value, any Error>
            do {
                let value = try await scanner.scan { adverts in
                    let search = try await drawing.value
                    let link = linking.links.first
                    return try await runSearch(search, of: link, in: adverts, show: show, context: context) {
                        rendezvous in
                        let connection = try await search.connect(rendezvous)
                        return try await connection.withSession(noting: { task in ending.withLock { $0 = task } }) {
                            try await CallersError.wrapping { try await session(connection) }
                        }
                    }
                }
                outcome = .success(value)
            } catch {
                outcome = .failure(error)
            }
            await ending.withLock { $0 }?.value
            let value = try outcome.get()
            context.reached(.closed, next: .closed)
            return value
        } catch let error as CallersError {
            throw error.error
        } catch {
            throw context.failure(error)
        }
    }

    /// Shows a QR code of an application's own scheme, and opens a channel for its messages to the device that reads
    /// it.
    ///
    /// No authenticator of FIDO reads the code, and none of another application. No link is tried or made, and no key
    /// is logged. When this returns or throws, the scan is over and the channel is closed, whatever happened;
    /// cancelling the task ends it promptly.
    ///
    ///     let answer = try await ceremony.openChannel(for: scheme, messages: OpaqueMessages.init) { url in
    ///         print(url)
    ///     } session: { channel in
    ///         try await channel.send(question)
    ///         return try await channel.receive()
    ///     }
    ///
    /// - Parameters:
    ///   - scheme: the application's.
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - messages: makes the state of the messages from the handshake hash: 32 bytes that both ends share.
    ///   - show: shows the QR code. Its text is a secret between the screen and the user.
    ///   - session: exchanges messages.
    /// - Returns: the value of `session`.
    /// - Throws: ``HybridTransportError`` if the devices do not meet; otherwise the error of `show` or `session`.
    package func openChannel<Codec: MessageCodec, Value: Sendable>(
        for scheme: InvitationScheme, timestamp: UInt64? = nil,
        messages: @escaping @Sendable (_ handshakeHash: [UInt8]) -> Codec,
        show: @escaping @Sendable (_ url: String) async throws -> Void,
        session: @escaping @Sendable (MessageChannel<Codec>) async throws -> Value
    ) async throws -> Value {
        let context = CeremonyContext(
            of: .client, expecting: .qrShown, limits: limits, keyLog: nil, observe: observe)
        do {
            let details = Invitation.Details(
                timestamp: timestamp, supportsLinking: nil, hint: .getAssertion, channels: channels.choice.channels)
            let search = try ClientSearch(
                details: details, of: scheme, attempts: [], linking: .none, channels: channels, context: context)
            let value = try await scanner.scan { adverts in
                try await runSearch(search, in: adverts, show: show, context: context) { rendezvous in
                    let channel = try await search.openChannel(rendezvous, messages)
                    return try await CallersError.wrapping {
                        try await channel.withSession { try await session(channel) }
                    }
                }
            }
            context.reached(.closed, next: .closed)
            return value
        } catch let error as CallersError {
            throw error.error
        } catch {
            throw context.failure(error)
        }
    }

    private func runSearch<Value: Sendable>(
        _ search: ClientSearch,
        of link: SharedLink? = nil,
        in adverts: ReceivedAdverts,
        show: (@Sendable (String) async throws -> Void)?,
        context: CeremonyContext,
        session: @Sendable (Rendezvous) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            if let show {
                let url = try search.url()
                try await CallersError.wrapping { try await show(url) }
                context.reached(.qrShown, next: .advertSeen)
                group.addImmediateTask { [channels, limits] in await channels.connectAhead(of: link, limits.timer) }
            }
            group.addImmediateTask { await search.watcher.watch(adverts) }
            let rendezvous: Rendezvous
            do {
                rendezvous = try await search.rendezvous()
            } catch {
                await search.abandon()
                throw error
            }
            // The channel of the one that was found is the session's from here on: only that knows when its last
            // message has gone.
            if search.hasAttempts { group.addTask { await search.abandon(but: rendezvous) } }
            if rendezvous.attempt == nil { group.addTask { await search.watcher.warnOfOthers() } }
            return try await session(rendezvous)
        }
    }
}

/// An error of a caller's closure, which passes the ceremony as it is.
private struct CallersError: Error {
    let error: any Error

    static func wrapping<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch { throw CallersError(error: error) }
    }
}

extension RequestHint {
    /// True if a link can be used for it: state-assisted transactions carry CTAP alone (HT-STA-38).
    fileprivate var isForLinks: Bool { self == .getAssertion || self == .makeCredential }
}
