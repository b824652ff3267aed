internal import Cryptography
public import Edges
public import HybridProtocol

/// The client's ceremony of a QR-initiated session, from the QR code to the authenticator's answers.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of PROTOCOL.md section 0.
///
///     let ceremony = ClientCeremony(scanner: radio, opener: tunnelClient)
///     let answer = try await ceremony.run(hint: .getAssertion) { url in print(url) } session: { connection in
///         try await connection.send([4])
///     }
public struct ClientCeremony: Sendable {
    private let scanner: any Scanner
    private let tunnels: Tunnels
    private let limits: TimeLimits
    private let observe: CeremonyObserver

    /// Makes a ceremony.
    ///
    /// - Parameters:
    ///   - scanner: hears the authenticator's advert.
    ///   - opener: joins its tunnel.
    ///   - service: where the tunnel service is, instead of where the advert's domain says.
    ///   - limits: how long each part may take.
    ///   - observe: is told of every stage.
    public init(
        scanner: any Scanner,
        opener: any TunnelOpener,
        service: TunnelURL.Service? = nil,
        limits: TimeLimits = .standard,
        observe: @escaping CeremonyObserver = { _ in }
    ) {
        self.scanner = scanner
        tunnels = Tunnels(opener: opener, service: service)
        self.limits = limits
        self.observe = observe
    }

    /// Runs the ceremony once.
    ///
    /// When this returns or throws, the scan is over and the tunnel is closed, whatever happened.
    ///
    /// - Parameters:
    ///   - hint: what the client is going to ask for.
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - show: shows the QR code. Its text is a secret between the screen and the person.
    ///   - session: sends the commands.
    /// - Returns: what `session` returned.
    /// - Throws: ``HybridTransportError``; otherwise what `show` or `session` threw.
    public func run<Result: Sendable>(
        hint: RequestHint,
        timestamp: UInt64? = nil,
        show: @escaping @Sendable (_ url: String) async throws -> Void,
        session: @escaping @Sendable (ClientConnection) async throws -> Result
    ) async throws -> Result {
        let connection = try await connect(Invitation.Details(timestamp: timestamp, hint: hint), show)
        do {
            let result = try await session(connection)
            await connection.end()
            observe(.stage(.closed))
            return result
        } catch {
            await connection.end()
            throw error
        }
    }

    private func connect(
        _ details: Invitation.Details,
        _ show: @escaping @Sendable (String) async throws -> Void
    ) async throws -> ClientConnection {
        do {
            // The scan runs from before the code is shown until the handshake is done: no advert is missed, and a second
            // device that answers the same code is noticed.
            return try await scanner.scan { adverts in try await establish(details, show, adverts) }
        } catch {
            throw HybridTransportError(error, reaching: .qrShown)
        }
    }

    private func establish(
        _ details: Invitation.Details,
        _ show: @escaping @Sendable (String) async throws -> Void,
        _ adverts: ReceivedAdverts
    ) async throws -> ClientConnection {
        var next = Stage.qrShown
        do {
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                let invitation = try ClientInvitation.fresh(details)
                let tunnelID = try invitation.invitation.tunnelID()
                let watcher = AdvertWatcher(key: try invitation.invitation.advertKey(), observe: observe)
                try await show(invitation.invitation.url())
                observe(.stage(.qrShown))

                next = .advertOpened
                group.addTask { await watcher.watch(adverts) }
                let advert = try await firstAdvert(watcher)
                observe(.stage(.advertOpened))
                group.addTask { await watcher.warnOfOthers() }

                next = .tunnelJoined
                let channel = try await reaching(.tunnelJoined, within: limits.tunnel) {
                    try await tunnels.connect(tunnelID, advert.plaintext)
                }
                do {
                    observe(.stage(.tunnelJoined))
                    next = .handshaken
                    let ephemeralKey = try P256.PrivateKey.generate()
                    let initiator = try Initiator(invitation, advert: advert.plaintext, ephemeralKey: ephemeralKey)
                    let response = try await exchange(initiator.message, on: channel)
                    let client = try initiator.finish(response.span)
                    observe(.stage(.handshaken))

                    next = .ready
                    let frame = try await reaching(.ready, within: limits.handshake) { try await channel.receive() }
                    let session = try client.readFirstMessage(frame)
                    observe(.stage(.ready))
                    return ClientConnection(session, channel, limit: limits.command, observe)
                } catch {
                    await channel.close()
                    throw error
                }
            }
        } catch {
            throw HybridTransportError(error, reaching: next)
        }
    }

    private func firstAdvert(_ watcher: AdvertWatcher) async throws -> OpenedAdvert {
        do {
            return try await reaching(.advertOpened, within: limits.discovery) { try await watcher.next() }
        } catch let error as HybridTransportError where error.code == .timeout {
            throw HybridTransportError.timeout(reaching: await watcher.missingStage, limit: limits.discovery)
        }
    }

    private func exchange(_ message: [UInt8], on channel: any DataChannel) async throws -> [UInt8] {
        try await reaching(.handshaken, within: limits.handshake) {
            try await channel.send(message)
            return try await channel.receive()
        }
    }
}

extension ClientInvitation {
    /// An invitation with a new key pair and a new secret.
    fileprivate static func fresh(_ details: Invitation.Details) throws -> ClientInvitation {
        try ClientInvitation(
            privateKey: .generate(), secret: .random(count: Invitation.secretByteCount), details: details)
    }
}
