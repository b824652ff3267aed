import PasskeyAuthenticator
import Synchronization
import UserVerification

/// The reason why the user was not verified, until an answer has told it.
final class LastVerificationFailure: Sendable {
    private let error = Mutex<VerificationError?>(nil)

    /// Notes why the user was not verified.
    func note(_ error: VerificationError) { self.error.withLock { $0 = error } }

    /// The same event; an answer has the user's own reason, if there is one.
    func explaining(_ event: PasskeyAuthenticatorEvent) -> PasskeyAuthenticatorEvent {
        guard case .answered(let command, let status, let reason) = event else { return event }
        return .answered(command: command, status: status, reason: error.withLock { $0.take() }?.reason ?? reason)
    }
}
