package import CTAP
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
package actor PassthroughKey: CTAPAuthenticator {
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
    package var dispatcher: CTAPDispatcher<Never>

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
        dispatcher = CTAPDispatcher(maxRequestByteCount: Self.maxMessageByteCount) {
            observer(.answered(command: $0, status: $1, reason: $2))
        }
    }

    package func clientPIN(_ request: ClientPINRequest) throws(CTAPFailure) -> KeyAgreementResponse {
        throw CTAPFailure(.invalidCommand, "the PIN is asked for here")
    }
}
