import CTAP
import Edges
import HybridTransport
import PasskeyAuthenticator
import RelyingParty
import TunnelService

// What the errors of the rooms below mean to a person at the command line.

extension Failure {
    /// A radio that cannot be used, before a ceremony began.
    init(_ error: RadioError) {
        let isArgument = error.code == .invalidAddress
        self.init(
            isArgument ? .usage : .radio, code: error.code.rawValue, cause: error.reason,
            hint: error.bluetoothHint ?? RadioName.hint)
    }

    /// A failed verification, or a file of registered public keys that cannot be used.
    init(_ error: RelyingPartyError) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .fileDamaged, .fileNewerVersion, .fileInaccessible, .fileInUse, .noStateDirectory:
                (.file, Hint.stateFile)
            case .invalidRelyingPartyID: (.usage, "give --rp-id as a domain name in lower case: example.com")
            case .invalidOrigin: (.usage, "give --origin as https:// and a name that is --rp-id or ends in it")
            case .invalidCredentialID, .invalidUserHandle, .invalidChallenge: (.usage, "check the arguments")
            case .unknownCredential: (.notVerified, "make a passkey first: hybrid client register")
            case .alreadyRegistered: (.notVerified, "sign in with it: hybrid client sign-in")
            case .counterWentBack: (.notVerified, "there may be a copy of the passkey: make a new one")
            case .libraryFailure: (.failure, "check the OpenSSL installation")
            default: (.notVerified, "do not trust this authenticator; its implementation is at fault, or a fraud")
            }
        self.init(status, code: error.code.rawValue, cause: error.reason, hint: hint)
    }

    /// A file of passkeys that cannot be used.
    init(_ error: CredentialStoreError) {
        self.init(.file, code: error.code.rawValue, cause: error.reason, hint: Hint.storeFile)
    }

    /// A tunnel service that cannot start.
    init(_ error: TunnelServiceError) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .invalidCertificate: (.file, "check --certificate and --key: PEM files that belong together")
            case .plainNotAllowed:
                (.usage, "give --certificate and --key; or --behind-proxy, if a proxy in front speaks TLS")
            case .cannotListen:
                (.failure, "check --listen: another process may have the port, or the address be elsewhere")
            default: (.failure, Hint.report)
            }
        self.init(status, code: error.code.rawValue, cause: error.reason, hint: hint)
    }

    /// An authenticator's refusal.
    init(_ status: CTAPStatus) {
        let hint =
            switch status {
            case .credentialExcluded: "the device has a passkey for this site already: sign in with it"
            case .noCredentials: "the device has no passkey for this site: register first"
            case .operationDenied: "it was declined on the device: start again to ask once more"
            case .userActionTimeout, .timeout: "nobody answered on the device in time: start again"
            case .keyStoreFull: "the device has no room for another passkey: delete one there"
            default: "start again; the status says what the device made of the request"
            }
        self.init(
            .declined, code: "declined", stage: .commandAnswered, cause: "the authenticator answered \(status.named)",
            hint: hint, ctapStatus: status)
    }
}

extension CTAPStatus {
    /// The status by its name and its number.
    var named: String { "\(self) (0x\(hexadecimal([rawValue])))" }
}
