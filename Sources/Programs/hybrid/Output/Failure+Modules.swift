import CTAP
import CommandLine
import Encodings
import HybridTransport
import LinuxSupport

extension Failure {
    /// An authenticator's refusal.
    init(_ status: CTAPStatus) {
        let hint: Sentence =
            switch status {
            case .credentialExcluded: "the device has a passkey for this site already: sign in with it"
            case .noCredentials: "the device has no passkey for this site: register first"
            case .operationDenied: "the user declined on the device: start again to ask once more"
            case .userActionTimeout, .timeout: "nobody answered on the device in time: start again"
            case .keyStoreFull: "the device has no room for another passkey: delete one there"
            default: "start again; that status is the device's reason"
            }
        self.init(
            .declined, code: "declined", stage: .commandAnswered, cause: "the authenticator answered \(status.named)",
            hint: hint, ctapStatus: status.rawValue)
    }
}

extension CTAPStatus {
    /// The status by its name and its number.
    var named: String { "\(self) (0x\(Hexadecimal.encode([rawValue])))" }
}
