internal import CTAP
package import PasskeyAuthenticator
package import UserVerification

/// A CTAP authenticator whose passkeys are those of a security key that is plugged in here.
///
/// It passes the key through to a client elsewhere: each request is shown and approved here first, before the key
/// blinks; the PIN is typed here, since clients over hybrid ask for none; and the client data hash is signed as it
/// came. The user is verified in each operation if the key can do that. Answers are the key's own, checked against the
/// request.
///
/// Source: CTAP 2.2 sections 6.1 to 6.4; WebAuthn Level 3 section 10.1.4 for prf.
package actor PassthroughKey {
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
    let questions: any PassthroughKeyQuestions
    let observer: @Sendable (PasskeyAuthenticatorEvent) -> Void
    let report: @Sendable (KeyPassthroughError) -> Void
    private var isBusy = false

    /// Makes one.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - information: what the key has said about itself.
    ///   - approval: asks the user about each request. It counts as a yes alone: the key verifies the user.
    ///   - questions: asks for the PIN and the touch.
    ///   - observer: gets the events, on any thread. It must not wait.
    ///   - report: is told why a request to the key failed, before the event of its answer.
    package init(
        _ key: any AttachedKey, _ information: KeyInformation, approval: any UserApproval,
        questions: any PassthroughKeyQuestions,
        observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in },
        report: @escaping @Sendable (KeyPassthroughError) -> Void = { _ in }
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
        do throws(PassthroughFailure) {
            guard !isBusy else { throw PassthroughFailure(.channelBusy, "another request is under way") }
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

    private func payload(for request: [UInt8]) async throws(PassthroughFailure) -> [UInt8] {
        guard request.count <= Self.maxMessageByteCount else {
            throw PassthroughFailure(.requestTooLarge, "\(request.count) bytes")
        }
        let decoded: CTAPRequest
        do throws(CTAPError) {
            decoded = try CTAPRequest(decoding: request.span)
        } catch {
            throw PassthroughFailure(error.status, error.reason)
        }
        switch decoded {
        case .makeCredential(let request): return try await makeCredential(request).encoded()
        case .getAssertion(let request): return try await getAssertion(request).encoded()
        case .getNextAssertion: throw PassthroughFailure(.notAllowed, "there is no next assertion")
        case .getInfo: return getInfo()
        case .clientPIN: throw PassthroughFailure(.invalidCommand, "the PIN is asked for here")
        case .selection:
            try await askForTouch()
            return []
        }
    }
}

/// Failure of a request, as the client is told.
struct PassthroughFailure: Error {
    let status: CTAPStatus
    /// For the user of this machine: lower case, one line, nothing secret.
    let reason: String

    init(_ status: CTAPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
