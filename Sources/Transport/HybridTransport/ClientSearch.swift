internal import Cryptography
internal import HybridProtocol
internal import Synchronization

/// Search for an authenticator in one ceremony: for an advert that answers the QR code, or the contact request of a
/// link.
final class ClientSearch: Sendable {
    /// Receives the adverts of both.
    let watcher: AdvertWatcher
    private let invitation: Mutex<ClientInvitation?>
    private let tunnelID: TunnelID?
    /// The key of message 1, drawn while the authenticator is on its way.
    private let ephemeralKey = Mutex<P256.PrivateKey?>(nil)
    private let attempts: [ContactAttempt]
    private let channels: ClientChannels
    private let linking: ClientLinking
    private let context: CeremonyContext

    private static let isUsedUp = HybridProtocolError(.sessionEnded, reason: "there is no invitation any more")

    /// Draws the keys; nothing is sent.
    ///
    /// - Parameters:
    ///   - details: the contents of the QR code; nil if there is none, but links only.
    ///   - scheme: the scheme of the QR code.
    ///   - attempts: the links that are tried.
    /// - Throws: ``HybridProtocolError``, ``CryptographyError``.
    init(
        details: Invitation.Details?, of scheme: InvitationScheme = .fido, attempts: [ContactAttempt],
        linking: ClientLinking, channels: ClientChannels, context: CeremonyContext
    ) throws {
        if let details {
            let invitation = try ClientInvitation(
                privateKey: .generate(), secret: .random(count: Invitation.secretByteCount), details: details,
                of: scheme)
            tunnelID = try invitation.invitation.tunnelID()
            watcher = try AdvertWatcher(invitation.invitation.advertKey(), attempts, context)
            self.invitation = Mutex(invitation)
        } else {
            tunnelID = nil
            watcher = try AdvertWatcher(nil, attempts, context)
            invitation = Mutex(nil)
        }
        self.attempts = attempts
        self.channels = channels
        self.linking = linking
        self.context = context
    }

    /// The text of the QR code.
    ///
    /// - Throws: ``HybridProtocolError`` `sessionEnded` if there is none.
    func url() throws -> String {
        try invitation.withLock { (invitation) throws(HybridProtocolError) in
            switch invitation {
            case nil: throw Self.isUsedUp
            case .some(let invitation): return invitation.invitation.url()
            }
        }
    }

    /// Sends the contact requests, and waits for the first advert that decrypts and the channel to its sender.
    ///
    /// An advert that does not decrypt is ignored, and so is its PSM (HT-BLE-9). A link that fails is reported, and
    /// the others and the QR code go on.
    ///
    /// - Throws: ``HybridTransportError``, ``RadioError``, ``HybridProtocolError`` for an advert that answers the QR
    ///   code and breaks the rules: its sender holds the code, so to wait for another would only keep the user waiting
    ///   (HT-ADV-37).
    func rendezvous() async throws -> Rendezvous {
        for attempt in attempts {
            attempt.start(channels, context) { [watcher] in watcher.note($0, of: attempt) }
        }
        if tunnelID != nil {
            try ephemeralKey.withLock { (key) throws(CryptographyError) in key = try .generate() }
        }
        var attemptCount = attempts.count
        let start = context.now
        while true {
            let event = try await context.within(context.limits.discovery, since: start, endedBy: watcher.stop) {
                try await watcher.next()
            }
            switch event {
            case .invited(let advert):
                let advert = try advert.get()
                guard let tunnelID else { continue }
                context.reached(.advertOpened, next: .tunnelJoined)
                let (channel, isNearby) = try await channels.open(advert, tunnelID, context)
                return Rendezvous(advert: .invited(advert), channel: channel, isNearby: isNearby)
            case .linked(let attempt, .success(let advert)):
                context.reached(.advertOpened, next: .tunnelJoined)
                do {
                    let channel = try await attempt.channel()
                    context.reached(.tunnelJoined, next: .handshaken)
                    return Rendezvous(advert: .linked(attempt, advert), channel: channel)
                } catch {
                    // The attempt itself reports the failure of its tunnel.
                    try Task.checkCancellation()
                    context.expect(.advertOpened)
                }
            case .linked(let attempt, .failure(let error)):
                await attempt.abandon()
                watcher.note(error, of: attempt)
            case .failed(let attempt, let error):
                let failure = HybridTransportError(ofLink: error)
                let isGone = (error as? DataChannelError)?.code == .gone
                linking.observe(isGone ? .gone(attempt.link) : .unreachable(attempt.link, failure))
                attemptCount -= 1
                if attemptCount == 0, tunnelID == nil { throw failure }
            }
        }
    }

    /// Connects to the authenticator that was found. Once only. After an error the channel is closed.
    ///
    /// The PSM of the authenticator stands in the suffix of its advert, where anybody can write it. So if the handshake
    /// fails there, the tunnel of the same advert is joined, where that is allowed.
    ///
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``, ``CryptographyError``.
    func connect(_ found: Rendezvous) async throws -> ClientConnection {
        try await shakeHands(found) { [linking, context] rendezvous, handshaken in
            try await rendezvous.connect(handshaken, linking: linking, context: context)
        }
    }

    /// Connects likewise, and begins an application's messages.
    func openChannel<Codec>(
        _ found: Rendezvous, _ messages: (_ handshakeHash: [UInt8]) -> Codec
    ) async throws -> MessageChannel<Codec> {
        try await shakeHands(found) { [context] rendezvous, handshaken in
            try rendezvous.openChannel(handshaken, messages, context: context)
        }
    }

    private func shakeHands<Connection>(
        _ found: Rendezvous,
        begin: (Rendezvous, consuming Rendezvous.Handshaken) async throws -> Connection
    ) async throws -> Connection {
        var rendezvous = found
        do {
            let handshaken: Rendezvous.Handshaken
            if let tunnelID, found.isNearby, channels.isTunnelAllowed, case .invited(let advert) = found.advert {
                do {
                    let limit = min(context.limits.handshake, context.limits.nearby)
                    handshaken = try await found.shakeHands(
                        initiator(found.advert, isLast: false), within: limit, context: context)
                } catch {
                    await found.channel.close()
                    try Task.checkCancellation()
                    context.notice(.tunnelInstead)
                    let tunnel: any DataChannel
                    do {
                        tunnel = try await channels.join(advert, tunnelID, context)
                    } catch let gone as DataChannelError where gone.isUnknown || gone.isLate {
                        // It has closed its tunnel, since it took the connection that has failed.
                        context.expect(.handshaken)
                        throw error
                    }
                    rendezvous = Rendezvous(advert: found.advert, channel: tunnel)
                    handshaken = try await rendezvous.shakeHands(
                        initiator(found.advert), within: context.limits.handshake, context: context)
                }
            } else {
                handshaken = try await found.shakeHands(
                    initiator(found.advert), within: context.limits.handshake, context: context)
            }
            return try await begin(rendezvous, handshaken)
        } catch {
            await rendezvous.channel.close()
            await rendezvous.attempt?.abandon()
            throw error
        }
    }

    /// Begins a handshake.
    ///
    /// - Parameter isLast: true if no other may follow.
    private func initiator(_ advert: Rendezvous.Advert, isLast: Bool = true) throws -> Initiator {
        switch advert {
        case .linked(let attempt, let advert): return try attempt.initiator(advert)
        case .invited(let advert):
            let invitation = try invitation.withLock { (invitation) throws(HybridProtocolError) in
                if isLast, let last = invitation.take() { return last }
                switch invitation {
                case nil: throw Self.isUsedUp
                case .some(let invitation): return invitation.clone()
                }
            }
            let ephemeralKey =
                switch ephemeralKey.withLock({ $0.take() }) {
                case .some(let drawn): drawn
                case nil: try P256.PrivateKey.generate()
                }
            return try Initiator(invitation, advert: advert.plaintext, ephemeralKey: ephemeralKey)
        }
    }

    /// True if links are tried.
    var hasAttempts: Bool { !attempts.isEmpty }

    /// Ends all attempts but that of a rendezvous, whose channel its session closes: their connections are closed.
    func abandon(but rendezvous: Rendezvous? = nil) async { await attempts.abandon(but: rendezvous?.attempt) }
}

/// An authenticator that a client has found: the first advert that decrypted, and an open channel to its sender.
struct Rendezvous: Sendable {
    let advert: Advert
    let channel: any DataChannel
    /// True if the channel is one over Bluetooth.
    var isNearby = false

    enum Advert: Sendable {
        case invited(NearbyAdvert)
        case linked(ContactAttempt, LinkedAdvertPlaintext)
    }

    /// The attempt by which it was found; nil for the QR code.
    var attempt: ContactAttempt? {
        guard case .linked(let attempt, _) = advert else { return nil }
        return attempt
    }

    /// An authenticator that has authenticated itself in the handshake.
    struct Handshaken: ~Copyable, Sendable {
        let client: ConnectedClient
        /// The bytes that came behind the handshake message.
        let assembler: MessageAssembler
    }

    /// Completes the handshake; the same for QR codes and links.
    ///
    /// - Parameters:
    ///   - initiator: with message 1, which is sent at once. After it, the signal of a link's tunnel is waited for
    ///     before anything is read.
    ///   - limit: the longest time.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func shakeHands(
        _ initiator: consuming Initiator, within limit: Duration, context: CeremonyContext
    ) async throws -> Handshaken {
        let message = initiator.message
        let (response, assembler) = try await context.within(limit, on: channel) {
            try await channel.sendMessage(message)
            try await attempt?.signal()
            return try await channel.receiveHandshakeMessage()
        }
        let client = try initiator.finish(response.span, keyLog: context.keyLog)
        context.reached(.handshaken, next: .ready)
        return Handshaken(client: client, assembler: assembler)
    }

    /// Reads the first message.
    ///
    /// - Parameters:
    ///   - handshaken: used up.
    ///   - linking: the links of the client.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func connect(
        _ handshaken: consuming Handshaken, linking: ClientLinking, context: CeremonyContext
    ) async throws -> ClientConnection {
        var assembler = handshaken.assembler
        let client = handshaken.client
        let frame = try await firstFrame(for: client, &assembler, context)
        let session = try client.readFirstMessage(frame)
        context.reached(.ready, next: .commandSent)
        return ClientConnection(session, on: self, assembler: assembler, linking: linking, context: context)
    }

    /// Begins an application's messages.
    ///
    /// - Parameter handshaken: used up.
    /// - Throws: ``HybridProtocolError``.
    func openChannel<Codec>(
        _ handshaken: consuming Handshaken, _ messages: (_ handshakeHash: [UInt8]) -> Codec, context: CeremonyContext
    ) throws -> MessageChannel<Codec> {
        let assembler = handshaken.assembler
        let session = try handshaken.client.exchange(messages)
        return MessageChannel(session, on: channel, assembler: assembler, context: context)
    }

    private func firstFrame(
        for client: borrowing ConnectedClient, _ assembler: inout MessageAssembler, _ context: CeremonyContext
    ) async throws -> [UInt8] {
        let start = context.now
        while true {
            let frame = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                if isWhole { return frame }
                return try client.opens(frame) ? frame : nil
            }
            if let frame { return frame }
            let isHalfway = !assembler.isBetweenMessages
            let piece = try await context.within(context.limits.handshake, since: start, on: channel) {
                try await channel.receivePiece(isHalfway: isHalfway)
            }
            try assembler.append(piece)
        }
    }
}
