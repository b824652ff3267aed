public import HybridProtocol

/// Whether and when an authenticator lets the client of a QR code reach it without one from now on.
///
/// Source: PROTOCOL.md 7.4. Every session from a QR code carries an update; where nothing is offered it is filler, so that its
/// presence and its size say nothing.
public struct AuthenticatorLinking: Sendable {
    /// When the offer is asked for. It is sent as soon as it is there.
    public enum Moment: Sendable {
        /// When the session is ready: for offers that need nobody's decision.
        case atOnce
        /// When the first request was answered: so that a person decides about one thing at a time, and nobody waits for the answer
        /// meanwhile.
        case afterAnswer
    }

    /// What an authenticator has to offer, and what became of it.
    public struct Offer: Sendable {
        let contents: SharedOffer
        let settle: @Sendable (_ wasSent: Bool) async -> Void

        /// Makes one.
        ///
        /// - Parameters:
        ///   - offer: what is sent to the client. It should be able to use it as soon as it has it.
        ///   - settle: is told whether it was sent. If not, the client does not know of it, and never will.
        public init(_ offer: consuming LinkOffer, settle: @escaping @Sendable (_ wasSent: Bool) async -> Void) {
            contents = SharedOffer(offer)
            self.settle = settle
        }
    }

    final class SharedOffer: Sendable {
        let offer: LinkOffer
        init(_ offer: consuming LinkOffer) { self.offer = offer }
    }

    /// Offers nothing to anybody.
    public static let none = AuthenticatorLinking(.atOnce) { nil }

    let moment: Moment
    let decide: @Sendable () async -> Offer?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - moment: when `decide` is called.
    ///   - decide: gives the offer, or nil. It is called at most once, only for clients that can be linked, and cancelled if the client
    ///     leaves; then it should return at once.
    public init(_ moment: Moment, decide: @escaping @Sendable () async -> Offer?) {
        self.moment = moment
        self.decide = decide
    }
}
