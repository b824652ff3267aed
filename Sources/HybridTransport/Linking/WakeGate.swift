public import HybridProtocol

/// Which wakes an authenticator lets through to its user: each request once, and from no link too many that come to nothing.
///
/// The tunnel service sees the requests and can repeat them, and who has a link can have the user asked all night. Wakes that
/// lead to a session are not counted.
///
/// Source: PROTOCOL.md 8; the bounds are our own.
public struct WakeGate: Sendable {
    /// What becomes of a wake.
    public enum Verdict: Sendable, Equatable {
        /// The user may be asked.
        case admitted
        /// The request has been here before.
        case replayed
        /// This link, or all of them together, has had the user asked in vain too often lately.
        case tooMany
    }

    /// How many wakes in vain a link has in each ``period``: 5.
    public static let maxVainWakes = 5
    /// How many all links have together: 20.
    public static let maxVainWakesOfAll = 20
    /// The time in which they are counted: 10 minutes.
    public static let period = Duration.seconds(600)
    /// How many requests are remembered, of those that were let through. The oldest is forgotten first.
    private static let memory = 4_096

    private var nonces: Set<ClientNonce> = []
    private var order: [ClientNonce] = []
    private var vain: [Wake] = []

    private struct Wake: Sendable {
        let linkID: LinkID
        let time: ContinuousClock.Instant
    }

    /// Makes one that has seen nothing.
    public init() {}

    /// Judges a wake, and counts it as one in vain until ``succeeded(_:)``.
    ///
    /// - Parameters:
    ///   - request: what the client asks for.
    ///   - now: the time.
    public mutating func admit(_ request: ContactRequest, at now: ContinuousClock.Instant = .now) -> Verdict {
        guard !nonces.contains(request.nonce) else { return .replayed }
        vain.removeAll { now - $0.time >= Self.period }
        guard vain.count < Self.maxVainWakesOfAll,
            vain.count(where: { $0.linkID == request.linkID }) < Self.maxVainWakes
        else { return .tooMany }
        if order.count == Self.memory { nonces.remove(order.removeFirst()) }
        nonces.insert(request.nonce)
        order.append(request.nonce)
        vain.append(Wake(linkID: request.linkID, time: now))
        return .admitted
    }

    /// Notes that a wake has led to a session: all of that link's are forgiven.
    public mutating func succeeded(_ request: ContactRequest) { vain.removeAll { $0.linkID == request.linkID } }
}
