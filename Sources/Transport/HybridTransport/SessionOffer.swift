package import HybridProtocol

/// The kinds of requests that an authenticator takes in a session, and their responders (HT-MSG-4, HT-DC-2).
///
/// A responder is cancelled if the client goes away or the time is over, and should then return at once, since it is
/// waited for; its result is dropped then.
package struct SessionOffer: Sendable {
    /// Answers a CTAP command (command byte, then CBOR) with a status byte and CBOR, less than 1 MiB together.
    package typealias CTAPResponder = @Sendable (_ command: [UInt8]) async -> [UInt8]
    /// Answers a digital-credential request with JSON, both less than 1 MiB. The responder checks the request:
    /// the session has seen to its length, and that it is UTF-8, and to nothing else.
    package typealias JSONResponder = @Sendable (_ request: String) async -> String

    /// Decides whether an answer completes the session: no further request is served then, and only updates still go
    /// out. It is called once for each answer, before the answer is sent.
    package typealias Completion = @Sendable (_ request: Payload, _ answer: Payload) -> Bool

    /// Gets the handshake hash of each session that begins, before its first request: 32 bytes that both ends share and
    /// that name the session. Not secret. Data that must hold for this session alone can be bound to it (Noise
    /// section 11.2).
    package var observeHandshakeHash: @Sendable (_ handshakeHash: [UInt8]) -> Void = { _ in }

    let ctap: CTAP?
    let digitalCredentials: JSONResponder?
    let isComplete: Completion

    struct CTAP: Sendable {
        let getInfo: [UInt8]
        let respond: CTAPResponder
    }

    /// Offers CTAP, and digital credentials beside it if there is a responder for them.
    ///
    /// - Parameters:
    ///   - getInfo: the encoded getInfo response map, without a status byte.
    ///   - digitalCredentials: answers digital-credential requests; nil if none are taken.
    ///   - isComplete: decides whether an answer completes the session.
    ///   - respond: answers CTAP commands.
    package init(
        getInfo: [UInt8], digitalCredentials: JSONResponder? = nil,
        isComplete: @escaping Completion = SessionOffer.hasMadeOrUsedCredential, respond: @escaping CTAPResponder
    ) {
        ctap = CTAP(getInfo: getInfo, respond: respond)
        self.digitalCredentials = digitalCredentials
        self.isComplete = isComplete
    }

    /// Offers digital credentials alone.
    ///
    /// - Parameters:
    ///   - isComplete: decides whether an answer completes the session; none does unless said otherwise.
    ///   - digitalCredentials: answers digital-credential requests.
    package init(
        isComplete: @escaping Completion = { _, _ in false }, digitalCredentials: @escaping JSONResponder
    ) {
        ctap = nil
        self.digitalCredentials = digitalCredentials
        self.isComplete = isComplete
    }

    /// True for a makeCredential or getAssertion that has succeeded: one approval is one operation. Deployed clients
    /// open a session for each.
    ///
    /// Source: CTAP 2.2 sections 6.1 and 6.2 (the commands 0x01 and 0x02), 8.2 (the status 0x00).
    package static let hasMadeOrUsedCredential: Completion = { request, answer in
        guard case (.ctap(let command), .ctap(let response)) = (request, answer) else { return false }
        return [0x01, 0x02].contains(command.first) && response.first == 0x00
    }

    /// The first message of the session, which announces the offer.
    var firstMessage: FirstMessage {
        get throws(HybridProtocolError) {
            var features: Set<FirstMessage.Feature> = []
            if ctap != nil { features.insert(.ctap) }
            if digitalCredentials != nil { features.insert(.digitalCredentials) }
            return try FirstMessage(getInfo: ctap?.getInfo, features: features)
        }
    }

    /// Answers a request.
    ///
    /// - Throws: `unexpectedMessage` if it is of a type that is not offered. The session refuses that before.
    func answer(_ request: Payload) async throws(HybridProtocolError) -> Payload {
        switch request {
        case .ctap(let command):
            if let ctap { return .ctap(await ctap.respond(command)) }
        case .json(let text):
            if let digitalCredentials { return .json(await digitalCredentials(text)) }
        }
        throw HybridProtocolError(.unexpectedMessage, reason: "a request of a type that is not offered")
    }
}
