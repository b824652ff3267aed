/// Whose turn it is in a session (PROTOCOL.md 7.2): one request at a time, each with an answer of its own type.
///
/// Both ends keep one; what the client asks, and what the authenticator is asked, obey the same rules.
struct RequestTurn: Sendable {
    /// What the session can carry, as the first message said.
    private let features: Set<FirstMessage.Feature>
    private var openRequest: MessageType?

    init(features: Set<FirstMessage.Feature>) { self.features = features }

    /// Checks that a request may come now.
    ///
    /// - Throws: `unexpectedMessage`.
    func checkRequest(_ type: MessageType) throws(HybridProtocolError) {
        guard openRequest == nil else {
            throw HybridProtocolError(.unexpectedMessage, reason: "a request before the last one was answered")
        }
        let feature: FirstMessage.Feature = type == .json ? .digitalCredentials : .ctap
        guard features.contains(feature) else {
            throw HybridProtocolError(
                .unexpectedMessage, reason: "the authenticator does not offer \(feature.rawValue)")
        }
    }

    /// Notes that a request was made.
    mutating func begin(_ type: MessageType) { openRequest = type }

    /// Checks that an answer of this type may come now.
    ///
    /// - Throws: `unexpectedMessage`.
    func checkAnswer(_ type: MessageType) throws(HybridProtocolError) {
        guard openRequest == type else {
            throw HybridProtocolError(.unexpectedMessage, reason: "an answer that fits no request")
        }
    }

    /// Notes that the request was answered.
    mutating func end() { openRequest = nil }
}

extension HybridProtocolError {
    static let sessionIsOver = Self(.sessionEnded, reason: "the session is over")
}
