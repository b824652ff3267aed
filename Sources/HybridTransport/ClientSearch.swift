internal import Cryptography
internal import Edges
internal import HybridProtocol
internal import Synchronization

/// What a client waits for in one ceremony: an advert that answers its QR code, or the contact request of one of its links.
final class ClientSearch: Sendable {
    /// Listens for both.
    let watcher: AdvertWatcher
    private let invitation: Mutex<ClientInvitation?>
    private let tunnelID: TunnelID?
    private let attempts: [ContactAttempt]
    private let channels: ClientChannels
    private let limits: TimeLimits
    private let progress: Progress

    /// An authenticator that was met: the advert that opened first, and an open channel to its sender.
    struct Meeting: Sendable {
        let advert: Advert
        let channel: any DataChannel

        enum Advert: Sendable {
            case invited(AdvertPlaintext)
            case linked(ContactAttempt, LinkedAdvertPlaintext)
        }

        private var attempt: ContactAttempt? {
            guard case .linked(let attempt, _) = advert else { return nil }
            return attempt
        }

        /// The link by which it was met; nil for the QR code.
        var link: SharedLink? { attempt?.link }

        /// Waits until the channel may be read: see ``ContactAttempt/signal()``.
        func signal() async throws { try await attempt?.signal() }

        fileprivate func isOf(_ other: ContactAttempt) -> Bool { attempt === other }
    }

    private static let isUsedUp = HybridProtocolError(.sessionEnded, reason: "there is no invitation any more")

    /// Draws the keys; nothing is sent.
    ///
    /// - Parameter details: what the QR code says; nil if there is none.
    /// - Throws: ``HybridTransportError`` `invalidRequest` with neither a QR code nor a link; ``HybridProtocolError``,
    ///   ``CryptographyError``.
    init(
        details: Invitation.Details?, attempts: [ContactAttempt], channels: ClientChannels, limits: TimeLimits,
        progress: Progress
    ) throws {
        guard details != nil || !attempts.isEmpty else {
            throw HybridTransportError(
                .invalidRequest, stage: .advertSeen, cause: "there is neither a QR code nor a link to be met by",
                hint: Hint.noLink)
        }
        if let details {
            let invitation = try ClientInvitation(
                privateKey: .generate(), secret: .random(count: Invitation.secretByteCount), details: details)
            tunnelID = try invitation.invitation.tunnelID()
            watcher = try AdvertWatcher(invitation.invitation.advertKey(), attempts, progress)
            self.invitation = Mutex(invitation)
        } else {
            tunnelID = nil
            watcher = try AdvertWatcher(nil, attempts, progress)
            invitation = Mutex(nil)
        }
        self.attempts = attempts
        self.channels = channels
        self.limits = limits
        self.progress = progress
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

    /// Sends the contact requests, and waits for the first advert that opens and the channel to its sender.
    ///
    /// A link that fails is told of, and the others and the QR code go on.
    ///
    /// - Throws: ``HybridTransportError``, ``RadioError``, ``HybridProtocolError`` for an advert that answers the QR code and
    ///   breaks the rules: its sender holds the code, so to wait for another would only keep the person waiting.
    func meeting(_ observe: @escaping ClientLinking.Observer) async throws -> Meeting {
        for attempt in attempts {
            attempt.start(channels, limits, progress) { [watcher] in watcher.note($0, of: attempt) }
        }
        var attemptCount = attempts.count
        let start = ContinuousClock.now
        while true {
            switch try await progress.within(limits.discovery, since: start, { [watcher] in try await watcher.next() })
            {
            case .invited(let advert):
                let advert = try advert.get()
                guard let tunnelID else { continue }
                progress.reached(.advertOpened, next: .tunnelJoined)
                let channel = try await channels.open(advert, tunnelID, limits, progress)
                return Meeting(advert: .invited(advert.plaintext), channel: channel)
            case .linked(let attempt, .success(let advert)):
                progress.reached(.advertOpened, next: .tunnelJoined)
                do {
                    let channel = try await attempt.channel()
                    progress.reached(.tunnelJoined, next: .handshaken)
                    return Meeting(advert: .linked(attempt, advert), channel: channel)
                } catch {
                    // The attempt itself tells of what became of its tunnel.
                    try Task.checkCancellation()
                    progress.expect(.advertOpened)
                }
            case .linked(let attempt, .failure(let error)):
                await attempt.abandon()
                watcher.note(error, of: attempt)
            case .failed(let attempt, let error):
                let failure = HybridTransportError(error, reaching: .tunnelJoined, as: .client)
                let isGone = (error as? DataChannelError)?.code == .gone
                observe(isGone ? .gone(attempt.link) : .unreachable(attempt.link, failure))
                attemptCount -= 1
                if attemptCount == 0, tunnelID == nil { throw failure }
            }
        }
    }

    /// Begins the handshake with whom was met. Once only.
    ///
    /// - Throws: ``HybridProtocolError``, ``CryptographyError``.
    func initiator(_ meeting: Meeting) throws -> Initiator {
        switch meeting.advert {
        case .linked(let attempt, let advert): return try attempt.initiator(advert)
        case .invited(let advert):
            guard let invitation = invitation.withLock({ $0.take() }) else {
                throw Self.isUsedUp
            }
            let ephemeralKey = try P256.PrivateKey.generate()
            return try Initiator(invitation, advert: advert, ephemeralKey: ephemeralKey)
        }
    }

    /// Ends all attempts but that of a meeting: their connections are closed.
    func abandon(but meeting: Meeting? = nil) async {
        await attempts.abandon(but: attempts.first { meeting?.isOf($0) == true })
    }
}
