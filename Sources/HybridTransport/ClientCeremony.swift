internal import Cryptography
public import Edges
public import HybridProtocol

/// The client's ceremony of a QR-initiated session, from the QR code to the authenticator's answers.
///
/// Source: CTAP 2.2 section 11.5.1; the order is that of PROTOCOL.md section 0.
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
    /// device that answers the same code is noticed whenever it does. When this returns or throws, the scan is over and
    /// the tunnel is closed, whatever happened; cancelling the task ends it promptly.
    ///
    /// - Parameters:
    ///   - hint: what the client is going to ask for.
    ///   - timestamp: the time that the QR code states, in seconds since 1970; nil leaves it out.
    ///   - show: shows the QR code. Its text is a secret between the screen and the person. Only when it has returned are
    ///     adverts listened to.
    ///   - session: sends the commands.
    /// - Returns: what `session` returned.
    /// - Throws: ``HybridTransportError``; otherwise what `show` or `session` threw.
    public func run<Value: Sendable>(
        hint: RequestHint,
        timestamp: UInt64? = nil,
        show: @escaping @Sendable (_ url: String) async throws -> Void,
        session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        let details = Invitation.Details(
            timestamp: timestamp, hint: hint, channels: channels.choice.channels)
        let progress = Progress(of: .client, expecting: .qrShown, observe)
        do {
            let value = try await scanner.scan { adverts in
                try await meet(details, adverts, progress, show, session)
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
        _ details: Invitation.Details,
        _ adverts: ReceivedAdverts,
        _ progress: Progress,
        _ show: @escaping @Sendable (String) async throws -> Void,
        _ session: @escaping @Sendable (ClientConnection) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            let invitation = try ClientInvitation.fresh(details)
            let tunnelID = try invitation.invitation.tunnelID()
            let watcher = AdvertWatcher(key: try invitation.invitation.advertKey(), progress)
            let url = invitation.invitation.url()
            try await CallersError.wrapping { try await show(url) }
            progress.reached(.qrShown, next: .advertSeen)

            group.addTask { await watcher.watch(adverts) }
            let advert = try await progress.within(limits.discovery) { try await watcher.first() }
            progress.reached(.advertOpened, next: .tunnelJoined)
            group.addTask { await watcher.warnOfOthers() }

            let channel = try await channels.open(advert, tunnelID, limits, progress)
            let connection: ClientConnection
            do {
                let ephemeralKey = try P256.PrivateKey.generate()
                let initiator = try Initiator(invitation, advert: advert.plaintext, ephemeralKey: ephemeralKey)
                connection = try await connect(initiator, channel, progress)
            } catch {
                await channel.close()
                throw error
            }
            return try await connection.lend { try await CallersError.wrapping { try await session(connection) } }
        }
    }

    private func connect(
        _ initiator: consuming Initiator,
        _ channel: any DataChannel,
        _ progress: Progress
    ) async throws -> ClientConnection {
        let message = initiator.message
        var (response, assembler) = try await progress.within(limits.handshake) {
            try await channel.sendMessage(message)
            return try await channel.receiveHandshakeMessage()
        }
        let client = try initiator.finish(response.span)
        progress.reached(.handshaken, next: .ready)
        let frame = try await firstFrame(for: client, channel, &assembler, progress)
        let session = try client.readFirstMessage(frame)
        progress.reached(.ready, next: .commandSent)
        return ClientConnection(session, channel, assembler, limits, progress)
    }

    private func firstFrame(
        for client: borrowing ConnectedClient,
        _ channel: any DataChannel,
        _ assembler: inout MessageAssembler,
        _ progress: Progress
    ) async throws -> [UInt8] {
        let start = ContinuousClock.now
        while true {
            let frame = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                if isWhole { return frame }
                return try client.opens(frame) ? frame : nil
            }
            if let frame { return frame }
            let isHalfway = !assembler.isBetweenMessages
            let piece = try await progress.within(limits.handshake, since: start) {
                try await channel.receivePiece(isHalfway: isHalfway)
            }
            try assembler.append(piece)
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

extension ClientInvitation {
    /// An invitation with a new key pair and a new secret.
    fileprivate static func fresh(_ details: Invitation.Details) throws -> ClientInvitation {
        try ClientInvitation(
            privateKey: .generate(), secret: .random(count: Invitation.secretByteCount), details: details)
    }
}
