public import HybridProtocol

/// An authenticator's offer to the client of a QR code: to reach it without one from now on.
///
/// Source: HT-LNK-1, HT-LNK-10. Every session from a QR code carries an update (HT-LNK-15); where nothing is
/// offered it is filler, so that its presence and its size say nothing (HT-LNK-17).
public struct AuthenticatorLinking: Sendable {
    /// The moment in which the offer is made. It is sent at once.
    public enum Moment: Sendable {
        /// The session is ready: nothing was approved yet, and the client stays linked if nothing is. For tests.
        case atOnce
        /// A request was answered in a way that completes the session, that is with success: the user decides about one
        /// thing at a time, and the client does not wait for the answer meanwhile. In a session that ends otherwise
        /// nothing is offered.
        case afterAnswer
    }

    /// An offered link, and the observer of its fate.
    public struct Offer: Sendable {
        let contents: SharedOffer
        let settle: @Sendable (_ wasSent: Bool) async -> Void

        /// Makes one.
        ///
        /// - Parameters:
        ///   - offer: the message to the client, which should be able to use it as soon as it has it.
        ///   - settle: gets true if it was sent. If not, the client does not know of it, and never will.
        public init(_ offer: consuming LinkOffer, settle: @escaping @Sendable (_ wasSent: Bool) async -> Void) {
            contents = SharedOffer(offer)
            self.settle = settle
        }
    }

    final class SharedOffer: Sendable {
        let offer: LinkOffer
        init(_ offer: consuming LinkOffer) { self.offer = offer }
    }

    /// Offers no link.
    public static let none = AuthenticatorLinking(.atOnce) { nil }

    let moment: Moment
    let decide: @Sendable () async -> Offer?

    /// Makes one.
    ///
    /// - Parameters:
    ///   - moment: the moment in which `decide` is called.
    ///   - decide: returns the offer, or nil. It is called at most once, only for clients that can be linked, and
    ///     cancelled if the client leaves; then it should return at once.
    public init(_ moment: Moment, decide: @escaping @Sendable () async -> Offer?) {
        self.moment = moment
        self.decide = decide
    }
}
