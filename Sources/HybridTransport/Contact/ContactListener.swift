internal import ContactProtocol
public import Cryptography
public import Edges
public import HybridProtocol
internal import Synchronization

/// Keeps an authenticator reachable for its linked clients: stays connected to the tunnel service, reconnects when the
/// connection is lost, and tells of every client that wants a session.
///
///     let listener = ContactListener(key: root.contactKey(), service: service, opener: opener) { try links.list() }
///     async let end: Void = listener.run()
///     for await event in listener.events {
///         if case .wake(let wake) = event { /* ask the person, then WokenCeremony, or decline(wake) */ }
///     }
///
/// Source: the contact side of our tunnel service, in TunnelService's documentation.
public final class ContactListener: Sendable {
    /// How long a ``ContactListener`` waits, and how often it lets itself be woken.
    public struct Limits: Sendable, Equatable {
        /// For the connection, and again for each answer of the service.
        public var answer = Duration.seconds(15)
        /// The longest wait before the first new attempt after a loss. The real one is drawn from zero to this.
        public var firstWait = Duration.seconds(2)
        /// The longest wait of all: each one that fails doubles it up to here.
        public var longestWait = Duration.seconds(300)
        /// How long a connection must have held for the waits to begin anew.
        public var settled = Duration.seconds(60)
        /// How many wakes are passed on within ``wakeWindow``.
        public var wakes = 30
        /// The time in which ``wakes`` are counted.
        public var wakeWindow = Duration.seconds(600)

        /// The usual limits.
        public init() {}

        /// The usual limits.
        public static let standard = Limits()
    }

    /// How long the opener's channels should bear silence before they ask the service for a sign of life: 60 seconds. The
    /// service expects to hear from an authenticator at least every five minutes.
    public static let idleTimeout = Duration.seconds(60)

    /// What happens, in order. One consumer; it ends when ``run()`` does.
    public let events: AsyncStream<ContactEvent>

    private let feed: AsyncStream<ContactEvent>.Continuation
    private let key: ContactKey
    private let service: TunnelURL.Service
    private let opener: any TunnelOpener
    private let limits: Limits
    private let links: @Sendable () async throws -> [LinkID]
    private let session = Mutex<ContactSession?>(nil)
    private let ledger: WakeLedger

    /// Makes a listener that does not run yet.
    ///
    /// - Parameters:
    ///   - key: proves to the service whose contact IDs these are.
    ///   - service: where the tunnel service is.
    ///   - opener: connects to it; see ``idleTimeout``.
    ///   - limits: how long to wait, and for how much.
    ///   - links: all links that live, 64 at most. Asked before each registration, and for each wake, so that a link that was
    ///     revoked a moment ago wakes nobody. If it throws, no registration is made: a list that lacks links because a file
    ///     could not be read would make their clients forget them for good.
    public init(
        key: consuming P256.PrivateKey,
        service: TunnelURL.Service,
        opener: any TunnelOpener,
        limits: Limits = .standard,
        links: @escaping @Sendable () async throws -> [LinkID]
    ) {
        (events, feed) = AsyncStream.makeStream()
        self.key = ContactKey(key)
        self.service = service
        self.opener = opener
        self.limits = limits
        self.links = links
        ledger = WakeLedger(count: limits.wakes, window: limits.wakeWindow)
    }

    /// Stays connected until the task is cancelled. To be called once.
    ///
    /// - Throws: `DataChannelError`, for what no waiting mends: the service refuses the key, another listener with the same key
    ///   has taken our place (`replaced`), or what answered at first is no service that wakes anybody.
    public func run() async throws(DataChannelError) {
        defer { feed.finish() }
        var wait = limits.firstWait
        var wasRegistered = false
        while !Task.isCancelled {
            let session = ContactSession(key, host: service.contactHost, ledger: ledger, feed: feed, links: links)
            let start = ContinuousClock.now
            let cause = await hold(session)
            wasRegistered = wasRegistered || session.isRegistered
            guard cause.code != .cancelled else { return }
            guard !cause.isPermanent(afterRegistration: wasRegistered) else { throw cause }
            if session.isRegistered, ContinuousClock.now - start >= limits.settled { wait = limits.firstWait }
            // Full jitter: all listeners of a service that has restarted must not come at once.
            let drawn = max(wait * Double.random(in: 0...1), cause.retryAfter ?? .zero)
            wait = min(wait * 2, limits.longestWait)
            feed.yield(.reconnecting(after: drawn, cause: cause))
            try? await Task.sleep(for: drawn)
        }
    }

    /// The links are others now: registers again, so that the service knows which clients have lost theirs.
    public func linksChanged() { session.withLock { $0 }?.ring() }

    /// Tells the service that nobody will come: the client's tunnel is closed. Without a connection nothing happens, and the
    /// client gives up by itself.
    public func decline(_ wake: ContactWake) async { await session.withLock { $0 }?.decline(wake.tunnelID) }

    /// Keeps one connection.
    ///
    /// - Returns: Why it ended.
    private func hold(_ session: ContactSession) async -> DataChannelError {
        do throws(DataChannelError) {
            let channel = try await opener.open(service.listenURL).channel
            self.session.withLock { $0 = session }
            let cause = await session.run(channel, answerWithin: limits.answer)
            self.session.withLock { $0 = nil }
            await channel.close()
            return cause
        } catch {
            return error
        }
    }
}
