/// The turn of requests and answers in a session: one request at a time, each with an answer of its own kind
/// (HT-MSG-20, HT-MSG-22).
///
/// Both ends keep one, since the same rules hold for the requests that a client makes and those that an authenticator
/// is given.
struct RequestTurn: Sendable {
    /// The features of the session, as the first message says.
    private let features: Set<FirstMessage.Feature>
    private var openRequest: FirstMessage.Feature?

    init(features: Set<FirstMessage.Feature>) { self.features = features }

    /// Checks that a request may come now (HT-MSG-20, HT-MSG-21), and of this kind (HT-MSG-26, HT-DC-3).
    ///
    /// - Throws: `unexpectedMessage`.
    func check(request: Payload) throws(HybridProtocolError) {
        guard openRequest == nil else {
            throw HybridProtocolError(.unexpectedMessage, reason: "a request before the last one was answered")
        }
        guard features.contains(request.feature) else {
            throw HybridProtocolError(
                .unexpectedMessage, reason: "the authenticator does not offer \(request.feature.rawValue)")
        }
    }

    /// Notes that a request was made.
    mutating func begin(_ request: Payload) { openRequest = request.feature }

    /// Checks that this answer may come now (HT-MSG-23, HT-MSG-24, HT-MSG-25).
    ///
    /// - Throws: `unexpectedMessage`.
    func check(answer: Payload) throws(HybridProtocolError) {
        guard openRequest == answer.feature else {
            throw HybridProtocolError(.unexpectedMessage, reason: "an answer that fits no request")
        }
    }

    /// Notes that the request was answered.
    mutating func end() { openRequest = nil }
}

extension HybridProtocolError {
    static var sessionIsOver: Self { Self(.sessionEnded, reason: "the session is over") }
}
