package import HybridProtocol

/// An authenticator's offer to the client of a QR code: to reach it without one from now on.
///
/// Source: HT-LNK-1, HT-LNK-10. Every session from a QR code carries an update (HT-LNK-15); where nothing is
/// offered it is filler, so that its presence and its size say nothing (HT-LNK-17).
package struct AuthenticatorLinking: Sendable {
    /// The moment in which the offer is made. It is sent at once.
    package enum Moment: Sendable {
        /// There is no offer.
        case never
        /// The session is ready: nothing was approved yet, and the client stays linked if nothing is. For tests.
        case atOnce
        /// A request was answered in a way that completes the session, that is with success: the user decides about one
        /// thing at a time, and the client does not wait for the answer meanwhile. In a session that ends otherwise
        /// nothing is offered.
        case afterAnswer
    }

    /// An offered link, and the observer of its fate.
    package struct Offer: Sendable {
        let contents: SharedOffer
        let settle: @Sendable (_ wasSent: Bool) async -> Void

        /// Makes one.
        ///
        /// - Parameters:
        ///   - offer: the message to the client, which should be able to use it as soon as it has it.
        ///   - settle: gets true if it was sent. If not, the client does not know of it, and never will.
        package init(_ offer: consuming LinkOffer, settle: @escaping @Sendable (_ wasSent: Bool) async -> Void) {
            contents = SharedOffer(offer)
            self.settle = settle
        }
    }

    final class SharedOffer: Sendable {
        let offer: LinkOffer
        init(_ offer: consuming LinkOffer) { self.offer = offer }
    }

    /// Offers no link.
    package static let none = AuthenticatorLinking(.never) { nil }

    let moment: Moment
    let decide: @Sendable () async -> Offer?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - moment: the moment in which `decide` is called.
    ///   - decide: returns the offer, or nil. It is called at most once, only for clients that can be linked, and
    ///     cancelled if the client leaves; then it should return at once.
    package init(_ moment: Moment, decide: @escaping @Sendable () async -> Offer?) {
        self.moment = moment
        self.decide = decide
    }
}

/// A filter of wakes in front of the user: it admits each request once, and of each link a limited number that lead to
/// no session.
///
/// The tunnel service sees the requests and can repeat them, and the owner of a link can have the user asked all night.
/// Wakes that lead to a session are not counted.
///
/// Source: HT-STA-27, TS-CON-28; the bounds are our own.
package struct WakeGate: Sendable {
    /// A decision about a wake.
    package enum Verdict: Sendable, Equatable {
        /// The user may be asked.
        case admitted
        /// The request is a repetition.
        case replayed
        /// This link, or all of them together, had too many wakes lately that led to no session.
        case tooMany
    }

    /// The limit for wakes of one link that lead to no session, in each ``period``: 5.
    package static let maxFailedWakes = 5
    /// The limit for all links together: 20.
    package static let maxFailedWakesOfAll = 20
    /// The time in which wakes are counted: 10 minutes.
    package static let period = Duration.seconds(600)
    /// The number of admitted requests that are remembered. The oldest is forgotten first.
    private static let memory = 4_096

    private var nonces: Set<ClientNonce> = []
    private var order: [ClientNonce] = []
    private var failed: [Wake] = []

    private struct Wake: Sendable {
        let linkID: LinkID
        let time: ContinuousClock.Instant
    }

    /// Makes a gate that has seen no request.
    package init() {}

    /// Decides about a wake, and counts it until ``succeeded(_:)``.
    ///
    /// - Parameters:
    ///   - request: the client's contact request.
    ///   - now: the time.
    package mutating func admit(_ request: ContactRequest, at now: ContinuousClock.Instant = .now) -> Verdict {
        guard !nonces.contains(request.nonce) else { return .replayed }
        failed.removeAll { now - $0.time >= Self.period }
        guard failed.count < Self.maxFailedWakesOfAll,
            failed.count(where: { $0.linkID == request.linkID }) < Self.maxFailedWakes
        else { return .tooMany }
        if order.count == Self.memory { nonces.remove(order.removeFirst()) }
        nonces.insert(request.nonce)
        order.append(request.nonce)
        failed.append(Wake(linkID: request.linkID, time: now))
        return .admitted
    }

    /// Notes that a wake has led to a session: the wakes of its link are no longer counted.
    package mutating func succeeded(_ request: ContactRequest) { failed.removeAll { $0.linkID == request.linkID } }
}
