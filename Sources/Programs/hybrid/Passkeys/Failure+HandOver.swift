import CommandLine
import DesktopAuthenticator
import LinuxSupport

extension HandOverFailureCode: ExplainedCode {
    /// A hand-over that has failed.
    var explanation: (ExitStatus, hint: Sentence) {
        switch self {
        case .declined: (.declined, "start again on both devices if that was not intended")
        case .notVerified: (.declined, "start again on both devices, and complete the verification")
        case .wrongDigits: (.declined, "start again on both devices: the number is different each time")
        case .stoppedByPeer: (.declined, "nothing has changed here; start again on both devices if still wanted")
        case .inTransit: (.peerClosed, Hint.transit)
        case .notTaken: (.declined, "those are still here: see the reason on the other device, then start again")
        case .full: (.failure, "remove passkeys that are not needed, or take fewer at once")
        case .tooLarge: (.usage, "hand over fewer at once")
        case .notBackupEligible:
            (.usage, "make a passkey at that site on the other device instead, and leave this one out")
        case .badPayload:
            (.protocolViolation, "start again; if it happens again, the other device is faulty")
        }
    }
}

extension Failure {
    /// A passkey in transit, where one that is here is wanted.
    static func inTransit(_ line: PasskeyLine) -> Self {
        Self(
            .usage, code: "in-transit", cause: "\(line.summary): it may have arrived there",
            hint: Hint.transit)
    }

    /// A passkey that was handed over, where one that is here is wanted.
    static func handedOver(_ line: PasskeyLine) -> Self {
        Self(
            .usage, code: "handed-over", cause: "\(line.summary): another device has it",
            hint: "hybrid passkeys restore \(line.id) if that is not true; hybrid passkeys purge \(line.id) removes it")
    }
}

extension Hint {
    /// Hint for passkeys in transit.
    static let transit: Sentence = """
        connect to the same device again: hybrid passkeys send --settle here, and hybrid passkeys receive there; or \
        declare yourself whether they arrived: hybrid passkeys transit --help
        """
}
