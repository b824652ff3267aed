package import Cryptography
package import HybridProtocol
internal import LinuxSupport
internal import Synchronization

/// Keeps an authenticator reachable for its linked clients: stays connected to the tunnel service, reconnects when the
/// connection is lost, and reports every client that wants a session.
///
///     let listener = ContactListener(key: root.contactKey(), service: service, opener: opener) { try links.list() }
///     async let end: Void = listener.run()
///     for await event in listener.events {
///         if case .wake(let wake) = event { /* ask the user, then WokenCeremony, or decline(wake) */ }
///     }
///
/// Source: the article ContactSide of TunnelService (TS-CON-1, TS-CON-9, TS-CON-21, TS-CON-22).
package final class ContactListener: Sendable {
    /// The time limits of a ``ContactListener``, and its limit for wakes.
    package struct Limits: Sendable, Equatable {
        /// For the connection, and again for each answer of the service.
        package var answer = Duration.seconds(15)
        /// The longest wait before the first new attempt after a loss. The real one is drawn from zero to this.
        package var firstWait = Duration.seconds(2)
        /// The longest wait of all: each one that fails doubles it up to here (TS-CON-23).
        package var longestWait = Duration.seconds(300)
        /// The duration of a connection after which the waits begin anew.
        package var settled = Duration.seconds(60)
        /// The number of wakes that are passed on within ``wakeWindow``.
        package var wakes = 30
        /// The time in which ``wakes`` are counted.
        package var wakeWindow = Duration.seconds(600)
        /// Ends a wait.
        var timer = DeadlineTimer.continuous

        /// The clock on which they run: the machine's, unless another is handed in.
        package var clock: any Clock<Duration> {
            get { timer.clock }
            set { timer = .on(newValue) }
        }

        /// The usual limits.
        package init() {}

        /// The usual limits.
        package static let standard = Limits()
    }

    /// The silence after which a listener's channel sends a keep-alive: 60 seconds. The service expects to hear from an
    /// authenticator at least every five minutes (TS-CON-17).
    package static let idleTimeout = Duration.seconds(60)

    /// The events, in order. One consumer; it ends when ``run()`` does.
    package let events: AsyncStream<ContactEvent>

    private let feed: AsyncStream<ContactEvent>.Continuation
    private let key: ContactKey
    private let service: TunnelURL.Service
    private let opener: any TunnelOpener
    private let limits: Limits
    private let links: @Sendable () async throws -> [ContactLink]
    private let session = Mutex<ContactSession?>(nil)
    private let history: WakeHistory

    /// Makes a listener that does not run yet.
    ///
    /// - Parameters:
    ///   - key: proves to the service that the contact IDs are ours.
    ///   - service: the address of the tunnel service.
    ///   - opener: connects to it.
    ///   - limits: the time limits, and the limit for wakes.
    ///   - links: returns all valid links, 64 at most. Called before each registration, and for each wake, so that a
    ///     link that was revoked a moment ago does not wake the user. If it throws, no registration is made: a list
    ///     that lacks links because a file could not be read would make their clients forget them for good.
    package init(
        key: consuming P256.PrivateKey,
        service: TunnelURL.Service,
        opener: any TunnelOpener,
        limits: Limits = .standard,
        links: @escaping @Sendable () async throws -> [ContactLink]
    ) {
        (events, feed) = AsyncStream.makeStream()
        self.key = ContactKey(key)
        self.service = service
        self.opener = opener
        self.limits = limits
        self.links = links
        history = WakeHistory(limits)
    }

    /// Stays connected until the task is cancelled. To be called once.
    ///
    /// - Throws: `DataChannelError` for failures that waiting does not mend: the service refuses the key, another
    ///   listener with the same key has taken our place (`replaced`), or the peer is not a service with a contact side.
    package func run() async throws(DataChannelError) {
        defer { feed.finish() }
        var wait = limits.firstWait
        var wasRegistered = false
        while !Task.isCancelled {
            let session = ContactSession(key, host: service.contactHost, history: history, feed: feed, links: links)
            let start = limits.timer.now
            let cause = await hold(session)
            wasRegistered = wasRegistered || session.isRegistered
            guard cause.code != .cancelled else { return }
            guard !cause.isPermanent(afterRegistration: wasRegistered) else { throw cause }
            if session.isRegistered, limits.timer.now - start >= limits.settled { wait = limits.firstWait }
            // Full jitter: all listeners of a service that has restarted must not come at once.
            let drawn = max(wait * Double.random(in: 0...1), cause.retryAfter ?? .zero)
            wait = min(wait * 2, limits.longestWait)
            feed.yield(.reconnecting(after: drawn, cause: cause))
            try? await limits.timer.sleep(for: drawn)
        }
    }

    /// Registers again because the links have changed, so that the service knows which clients have lost theirs.
    package func linksChanged() { session.withLock { $0 }?.requestRegistration() }

    /// Tells the service that the authenticator will not come: the client's tunnel is closed. Without a connection
    /// nothing happens, and the client gives up by itself.
    package func decline(_ wake: ContactWake) async { await session.withLock { $0 }?.decline(wake.tunnelID) }

    /// Opens one connection and keeps it until it ends.
    ///
    /// - Returns: the error that has ended it.
    private func hold(_ session: ContactSession) async -> DataChannelError {
        do throws(DataChannelError) {
            let channel = try await opener.open(.listen(at: service)).channel
            self.session.withLock { $0 = session }
            let cause = await session.run(channel, answerWithin: limits)
            self.session.withLock { $0 = nil }
            await channel.close()
            return cause
        } catch {
            return error
        }
    }
}

extension ContactListener {
    /// Has the service give a link its contact ID, without being woken here. For the moment in which a link is made.
    ///
    /// A listener of the same key that runs elsewhere is not disturbed, and the service lets the new link wake it at
    /// once.
    ///
    /// - Parameters:
    ///   - linkID: the ID of the new link.
    ///   - key: the contact key.
    ///   - limits: the time limits of the answers.
    ///   - service: the address of the tunnel service.
    ///   - opener: connects to it.
    /// - Returns: the contact ID: the same one for the same link, key and service, always.
    /// - Throws: `DataChannelError`.
    package static func register(
        _ linkID: LinkID,
        key: borrowing P256.PrivateKey,
        service: TunnelURL.Service,
        opener: any TunnelOpener,
        limits: Limits = .standard
    ) async throws(DataChannelError) -> ContactID {
        let key = try ContactKey(copying: key)
        let channel = try await opener.open(.listen(at: service)).channel
        let outcome: Result<ContactID, DataChannelError>
        do throws(DataChannelError) {
            let challenge = try await channel.receiveChallenge(within: limits)
            let registration = try key.registration(
                of: [linkID], listens: false, host: service.contactHost, challenge: challenge)
            try await channel.send(AuthenticatorMessage.register(registration).encoded())
            let (contactIDs, _) = try await channel.receiveRegistered(count: 1, within: limits)
            guard let contactID = contactIDs.first else { throw .contactViolation("a contact ID is missing") }
            outcome = .success(contactID)
        } catch {
            outcome = .failure(error)
        }
        await channel.close()
        return try outcome.get()
    }
}

/// An event of a ``ContactListener`` that runs.
package enum ContactEvent: Sendable {
    /// The service has registered the links: the contact ID of each. Comes again when the links have changed.
    case registered([LinkID: ContactID])
    /// The service cannot be reached, or the connection is lost; it is tried again after this time.
    case reconnecting(after: Duration, cause: DataChannelError)
    /// A linked client wants a session. The service has its acknowledgement already.
    case wake(ContactWake)
    /// A linked client was declined without asking the user.
    case refused(ContactRefusal)
}

/// A linked client that wants a session.
package struct ContactWake: Sendable, Equatable {
    /// The link that it used.
    package let linkID: LinkID
    /// The contact ID that it used.
    package let contactID: ContactID
    /// The tunnel in which it waits.
    package let tunnelID: TunnelID
    /// The part of the service that has this tunnel.
    package let routingID: RoutingID
    /// The bytes of its contact request: see `ContactRequest`. 1 to 256 bytes.
    package let clientPayload: [UInt8]
}

/// A reason for which a ``ContactListener`` declines a client by itself.
package enum ContactRefusal: Sendable, Equatable {
    /// The link is not among ours any more.
    case unknownLink
    /// There were too many wakes lately.
    case tooMany
}

/// A link by whose contact ID an authenticator may be woken.
package struct ContactLink: Sendable, Hashable {
    /// The link's ID.
    package let linkID: LinkID
    /// The contact ID that its client has; nil if it is not known.
    ///
    /// It is another one than the service gives today if the service has got another contact secret since. As long as
    /// the service takes the previous secret too, it wakes by both.
    package let contactID: ContactID?

    /// Makes a link.
    package init(_ linkID: LinkID, contactID: ContactID? = nil) {
        self.linkID = linkID
        self.contactID = contactID
    }
}

extension TunnelRequest {
    /// Waits to be woken, at the server of this address and at no other: an authenticator's proof is for the name that
    /// it has asked (TS-CON-1). For an authenticator.
    ///
    /// - Parameter service: the address of the tunnel service.
    package static func listen(at service: TunnelURL.Service) -> Self {
        var request = Self(url: service.base + TunnelPath.listen)
        request.followsRedirects = false
        request.idleTimeout = ContactListener.idleTimeout
        return request
    }
}
