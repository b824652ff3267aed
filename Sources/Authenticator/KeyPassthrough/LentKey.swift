internal import CTAP
package import PasskeyAuthenticator
package import UserVerification

/// A CTAP authenticator whose passkeys are those of a security key that is plugged in here.
///
/// It lends the key to a client elsewhere: each request is shown and approved here first, before the key blinks; the
/// PIN is typed here, since clients over hybrid ask for none; and the client data hash is signed as it came. The user
/// is verified in each operation if the key can do that. Answers are the key's own, checked against the request.
///
/// Source: CTAP 2.2 sections 6.1 to 6.4; WebAuthn Level 3 section 10.1.4 for prf.
package actor LentKey {
    /// The most credentials that a client may put into a list. The key takes fewer: it is asked in parts.
    static let maxCredentialCountInList = 64
    /// The largest request: as many of the longest IDs as a list may have, and names.
    static let maxMessageByteCount = 1 << 17
    /// The longest name that every key takes, in bytes of UTF-8.
    static let maxNameByteCount = 64
    /// The tries at a PIN in one request. Keys take no more without being plugged in again.
    static let maxPINTries = 3
    /// The time between two looks whether the key is still there, while a PIN is typed.
    static let presenceInterval = Duration.milliseconds(300)

    let key: any AttachedKey
    let information: KeyInformation
    let approval: any UserApproval
    let questions: any LentKeyQuestions
    let observer: @Sendable (PasskeyAuthenticatorEvent) -> Void
    let report: @Sendable (LentKeyError) -> Void
    private var isBusy = false

    /// Makes one.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - information: What the key has said about itself.
    ///   - approval: Asks the user about each request. It counts as a yes alone: the key verifies the user.
    ///   - questions: Asks for the PIN and the touch.
    ///   - observer: Gets the events, on any thread. It must not wait.
    ///   - report: Is told why a request to the key failed, before the event of its answer.
    package init(
        _ key: any AttachedKey, _ information: KeyInformation, approval: any UserApproval,
        questions: any LentKeyQuestions, observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in },
        report: @escaping @Sendable (LentKeyError) -> Void = { _ in }
    ) {
        self.key = key
        self.information = information
        self.approval = approval
        self.questions = questions
        self.observer = observer
        self.report = report
    }

    /// Answers a request. Every failure is a CTAP status; a second request while one is under way is answered with
    /// `CTAP1_ERR_CHANNEL_BUSY`, and one whose task was cancelled with `CTAP2_ERR_KEEPALIVE_CANCEL`.
    ///
    /// - Parameter request: the command byte, then the parameters.
    /// - Returns: the status byte, then the payload.
    package func respond(to request: [UInt8]) async -> [UInt8] {
        let response: CTAPResponse
        var reason: String?
        do throws(Refusal) {
            guard !isBusy else { throw Refusal(.channelBusy, "another request is under way") }
            isBusy = true
            defer { isBusy = false }
            response = CTAPResponse(status: .ok, payload: try await payload(for: request))
        } catch {
            response = CTAPResponse(status: error.status)
            reason = error.reason
        }
        let command = request.first.flatMap(CTAPCommand.init)
        observer(.answered(command: command, status: response.status, reason: reason))
        return response.encoded()
    }

    private func payload(for request: [UInt8]) async throws(Refusal) -> [UInt8] {
        guard request.count <= Self.maxMessageByteCount else {
            throw Refusal(.requestTooLarge, "\(request.count) bytes")
        }
        let decoded: CTAPRequest
        do throws(CTAPError) {
            decoded = try CTAPRequest(decoding: request.span)
        } catch {
            throw Refusal(error.status, error.reason)
        }
        switch decoded {
        case .makeCredential(let request): return try await makeCredential(request).encoded()
        case .getAssertion(let request): return try await getAssertion(request).encoded()
        case .getNextAssertion: throw Refusal(.notAllowed, "there is no next assertion")
        case .getInfo: return getInfo()
        case .clientPIN: throw Refusal(.invalidCommand, "the PIN is asked for here")
        case .selection:
            try await askForTouch()
            return []
        }
    }
}

/// Refusal of a request.
struct Refusal: Error {
    let status: CTAPStatus
    /// For the user of this machine: lower case, one line, nothing secret.
    let reason: String

    init(_ status: CTAPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
