public import CTAP
public import UserVerification

/// An authenticator, as the commands that it answers. ``respond(to:status:)`` dispatches requests to them, in the same
/// way for every authenticator.
///
/// A command that waits for the user returns soon after its task is cancelled, with `CTAP2_ERR_KEEPALIVE_CANCEL`.
package protocol CTAPAuthenticator: Actor {
    /// The assertions that authenticatorGetNextAssertion has still to give.
    associatedtype RemainingAssertions: Sendable

    /// The limits of requests and answers, and the state of the command under way.
    var dispatcher: CTAPDispatcher<RemainingAssertions> { get set }

    /// The answer to authenticatorGetInfo, as canonical CBOR without a status.
    nonisolated func getInfo() -> [UInt8]

    /// Answers authenticatorMakeCredential.
    func makeCredential(_ request: MakeCredentialRequest) async throws(CTAPFailure) -> MakeCredentialResponse

    /// Answers authenticatorGetAssertion.
    func getAssertion(_ request: GetAssertionRequest) async throws(CTAPFailure) -> GetAssertionResponse

    /// Answers authenticatorGetNextAssertion.
    ///
    /// - Parameter assertions: those that the command before has left.
    func getNextAssertion(_ assertions: RemainingAssertions) async throws(CTAPFailure) -> GetAssertionResponse

    /// Answers authenticatorClientPIN.
    func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse

    /// Answers authenticatorSelection: asks the user for a touch.
    func askForTouch() async throws(CTAPFailure)
}

/// The limits of an authenticator's requests and answers, and the state of the command under way.
package struct CTAPDispatcher<RemainingAssertions: Sendable>: Sendable {
    /// Gets each request as it was answered.
    package typealias Observer = @Sendable (AnsweredRequest) -> Void

    /// The assertions that the command before has left; any other command than authenticatorGetNextAssertion drops
    /// them (CTAP 2.2 section 6.3).
    package var nextAssertions: RemainingAssertions?
    /// The account of the passkey that is made or used by the command under way; nil while that is not known.
    package var account: ApprovalQuestion.Account?
    /// The relying party that the command under way names.
    fileprivate var rpID: String?
    /// Tells the status of keep-alives; nil if no command is under way.
    fileprivate var tellStatus: (@Sendable (CTAPHIDKeepAliveStatus) -> Void)?
    fileprivate let maxRequestByteCount: Int
    fileprivate let maxAnswerByteCount: Int
    fileprivate let observe: Observer

    /// Makes the state of an authenticator that answers nothing yet.
    ///
    /// - Parameters:
    ///   - maxRequestByteCount: the largest request, in bytes with its command.
    ///   - maxAnswerByteCount: the largest answer, in bytes with its status; only a USB key limits it.
    ///   - observe: gets the answers. It must not wait.
    package init(maxRequestByteCount: Int, maxAnswerByteCount: Int = .max, observe: @escaping Observer) {
        self.maxRequestByteCount = maxRequestByteCount
        self.maxAnswerByteCount = maxAnswerByteCount
        self.observe = observe
    }

    /// Sets the status in later keep-alives of the command under way.
    package func tell(_ status: CTAPHIDKeepAliveStatus) { tellStatus?(status) }

    fileprivate mutating func takeNextAssertions() -> RemainingAssertions? {
        defer { nextAssertions = nil }
        return nextAssertions
    }
}

extension CTAPAuthenticator {
    /// Answers a request. Every failure is a CTAP status; a second request while one is under way is answered with
    /// `CTAP1_ERR_CHANNEL_BUSY`, and one whose task was cancelled with `CTAP2_ERR_KEEPALIVE_CANCEL`.
    ///
    /// Source: CTAP 2.2 sections 6 and 8.2.
    ///
    /// - Parameters:
    ///   - request: the command byte, then the parameters.
    ///   - status: sets the status in later keep-alives; it is `processing` at first. It does not wait.
    /// - Returns: the status byte, then the payload.
    package func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void = { _ in }
    ) async -> [UInt8] {
        let response: CTAPResponse
        var reason: String?
        var (rpID, account): (String?, ApprovalQuestion.Account?)
        do throws(CTAPFailure) {
            guard dispatcher.tellStatus == nil else {
                throw CTAPFailure(.channelBusy, "another request is under way")
            }
            dispatcher.tellStatus = status
            (dispatcher.rpID, dispatcher.account) = (nil, nil)
            defer {
                dispatcher.tellStatus = nil
                (rpID, account) = (dispatcher.rpID, dispatcher.account)
            }
            response = CTAPResponse(status: .ok, payload: try await payload(for: request))
        } catch {
            response = CTAPResponse(status: error.status)
            reason = error.reason
        }
        dispatcher.observe(
            AnsweredRequest(
                command: request.first.flatMap(CTAPCommand.init), status: response.status, reason: reason, rpID: rpID,
                account: account))
        return response.encoded()
    }

    private func payload(for request: [UInt8]) async throws(CTAPFailure) -> [UInt8] {
        let nextAssertions = dispatcher.takeNextAssertions()
        guard request.count <= dispatcher.maxRequestByteCount else {
            throw CTAPFailure(.requestTooLarge, "\(request.count) bytes")
        }
        let decoded = try CTAPError.rethrown(CTAPRequest(decoding: request.span), as: CTAPFailure.init)
        let payload = try await payload(for: decoded, nextAssertions)
        // The status is a byte too.
        guard payload.count < dispatcher.maxAnswerByteCount else {
            throw CTAPFailure(.other, "the answer has \(payload.count) bytes, too many for a USB key")
        }
        return payload
    }

    private func payload(
        for request: CTAPRequest, _ nextAssertions: RemainingAssertions?
    ) async throws(CTAPFailure) -> [UInt8] {
        switch request {
        case .makeCredential(let request):
            dispatcher.rpID = request.rp.id
            dispatcher.account = .init(name: request.user.name, displayName: request.user.displayName)
            return try await makeCredential(request).encoded()
        case .getAssertion(let request):
            dispatcher.rpID = request.rpID
            return try await getAssertion(request).encoded()
        case .getNextAssertion:
            guard let nextAssertions else { throw CTAPFailure(.notAllowed, "there is no next assertion") }
            return try await getNextAssertion(nextAssertions).encoded()
        case .getInfo: return getInfo()
        case .clientPIN(let request): return try clientPIN(request).encoded()
        case .selection:
            try await askForTouch()
            return []
        }
    }
}

extension CTAPAuthenticator where RemainingAssertions == Never {
    /// Is never called: there is nothing to give.
    package func getNextAssertion(_ assertions: Never) -> GetAssertionResponse {}
}

/// A request as it was answered, without contents. Its site and account are private, and are texts of a peer's, which
/// may hold control characters.
public struct AnsweredRequest: Sendable, Hashable {
    /// The command; nil if it was none that exists.
    public let command: CTAPCommand?
    /// The status that the client was answered.
    public let status: CTAPStatus
    /// The reason for a refusal, for the user of this machine; nil for a success.
    public let reason: String?
    /// The relying party; nil for a command that names none, or could not be read.
    public let rpID: String?
    /// The account of the passkey that was made or used; nil if that is not known.
    public let account: ApprovalQuestion.Account?

    /// Makes one.
    public init(
        command: CTAPCommand?, status: CTAPStatus, reason: String? = nil, rpID: String? = nil,
        account: ApprovalQuestion.Account? = nil
    ) {
        self.command = command
        self.status = status
        self.reason = reason
        self.rpID = rpID
        self.account = account
    }
}

/// Failure of a request, as the client is told. It is no `CodedError`, since its status is a byte on the wire, not a
/// name, and the client gets no more.
package struct CTAPFailure: Error, Sendable, Hashable {
    /// The status that the client is answered.
    package let status: CTAPStatus
    /// The reason, for the user of this machine: lower case, one line, nothing secret.
    package let reason: String

    package init(_ status: CTAPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// The failure of a request that cannot be read.
    package init(_ error: CTAPError) { self.init(error.status, error.reason) }
}
