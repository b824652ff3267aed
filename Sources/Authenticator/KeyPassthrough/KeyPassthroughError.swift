package import CTAP
@_exported public import Encodings

/// Reason why a key cannot be passed through, or a request to it failed.
package typealias KeyPassthroughError = CodedError<KeyPassthroughErrorCode>

/// Kind of error, by its name for programs.
package enum KeyPassthroughErrorCode: String, ErrorCode, CaseIterable {
    /// This machine has no libfido2 that can be used.
    case noLibrary = "no-libfido2"
    /// No key is plugged in, or there is nothing at the path.
    case noKey = "no-security-key"
    /// Several keys are plugged in, and none was chosen.
    case severalKeys = "several-security-keys"
    /// The path does not name a security key.
    case notAKey = "not-a-security-key"
    /// The user may not use the key's node.
    case notPermitted = "security-key-not-permitted"
    /// Another program has the key to itself.
    case inUse = "security-key-in-use"
    /// The key supports only U2F.
    case u2fOnly = "u2f-only"
    /// The key was taken out.
    case removed = "security-key-removed"
    /// The key gave no answer in time: it was not touched.
    case notTouched = "security-key-not-touched"
    /// The key's answer makes no sense.
    case fault = "security-key-fault"
    /// The PIN was wrong too often for one request.
    case wrongPIN = "wrong-pin"
    /// The key takes no PIN before it has been plugged in again.
    case pinLocked = "pin-locked"
    /// The key takes no PIN before it has been reset.
    case pinBlocked = "pin-blocked"
    /// The key has not verified the user, by a finger say.
    case notVerified = "not-verified"
    /// The key has refused.
    case refused = "declined"
}

extension KeyPassthroughError {
    /// A failure in words.
    package init(_ failure: KeyFailure) {
        switch failure {
        case .refused(.pinAuthBlocked):
            self.init(.pinLocked, reason: "the key accepts no PIN until it is plugged in again")
        case .refused(.pinBlocked): self.init(.pinBlocked, reason: "the key's PIN is blocked")
        case .refused(.userVerificationBlocked):
            self.init(.notVerified, reason: "the key does not verify users until its PIN was used")
        case .refused(.userVerificationInvalid):
            self.init(.notVerified, reason: "the key has not recognised the user")
        case .refused(.userActionTimeout), .refused(.actionTimeout), .noAnswer:
            self.init(.notTouched, reason: "the key was not touched in time")
        case .refused(.credentialExcluded):
            self.init(.refused, reason: "the key has a passkey of the site already")
        case .refused(.noCredentials): self.init(.refused, reason: "the key has no passkey that fits")
        case .refused(.keyStoreFull): self.init(.refused, reason: "the key has no room for another passkey")
        case .refused(let status): self.init(.refused, reason: "the key has refused: \(status)")
        case .wrongPIN: self.init(.wrongPIN, reason: "the PIN was wrong")
        case .noPIN(let timedOut):
            self.init(.refused, reason: timedOut ? "no PIN was typed in time" : "no PIN was typed")
        case .removed: self.init(.removed, reason: "the key was taken out")
        case .inUse: self.init(.inUse, reason: "another program uses the key exclusively")
        case .notPermitted: self.init(.notPermitted, reason: "you may not use the key's node")
        case .u2fOnly: self.init(.u2fOnly, reason: "the key supports only U2F, which is older than passkeys")
        case .noLibrary(let reason):
            self.init(.noLibrary, reason: "security keys need libfido2, which cannot be used: \(reason)")
        case .fault(let reason): self.init(.fault, reason: "the key's answer is invalid: \(reason)")
        case .cancelled: self.init(.refused, reason: "cancelled")
        }
    }
}

extension KeyFailure {
    /// The status that the client is answered. It knows of no PIN, and of no key that could be taken out.
    var status: CTAPStatus {
        switch self {
        case .refused(.userVerificationInvalid), .wrongPIN: .operationDenied
        case .refused(let status): status
        case .noAnswer, .noPIN(timedOut: true): .userActionTimeout
        case .noPIN(timedOut: false): .operationDenied
        case .cancelled: .keepaliveCancel
        case .removed, .inUse, .notPermitted, .u2fOnly, .noLibrary, .fault: .other
        }
    }
}

/// Failure of a request to a key.
package enum KeyFailure: Error, Sendable, Equatable {
    /// The key has answered with this status.
    case refused(CTAPStatus)
    /// The PIN was wrong; the tries that are left, nil if the key does not say.
    case wrongPIN(triesLeft: Int?)
    /// No PIN was typed.
    case noPIN(timedOut: Bool)
    /// The key was taken out, or its socket has ended.
    case removed
    /// The key gave no answer in time.
    case noAnswer
    /// Another program has the key to itself.
    case inUse
    /// The user may not use the key's node.
    case notPermitted
    /// The key supports only U2F, the protocol before FIDO2.
    case u2fOnly
    /// This machine has no libfido2 that can be used: the reason.
    case noLibrary(String)
    /// The answer of the key, or of the library, makes no sense.
    case fault(String)
    /// The task was cancelled.
    case cancelled
}
