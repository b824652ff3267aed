import CTAP
import CommandLine
import DesktopAuthenticator
import Encodings
import HybridTransport
import PasskeyAuthenticator
import Vault
import WebAuthnClient

// The failures for the errors of the modules below.

extension Failure {
    /// A failed verification, or a file of registered public keys that cannot be used.
    init(_ error: RelyingPartyError) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .fileDamaged, .fileNewerVersion, .fileInaccessible, .fileInUse, .noStateDirectory:
                (.file, Hint.stateFile)
            case .invalidRelyingPartyID: (.usage, "give --rp-id as a domain name in lower case: example.com")
            case .invalidOrigin: (.usage, "give --origin as https:// and a name that is --rp-id or ends in it")
            case .noSuffixList: (.file, Hint.suffixList)
            case .relatedOriginsUnavailable:
                (
                    .usage,
                    "give an --origin of --rp-id or below it; or let the site serve the list to everybody, or give it with "
                        + "--related-origins"
                )
            case .relatedOriginsContentType: (.usage, "let the site serve the list as application/json")
            case .relatedOriginsMalformed: (.usage, "correct the list; hybrid inspect FILE explains it")
            case .relatedOriginsOverLimit:
                (.usage, "move the origin up in the list: only 5 labels count; hybrid inspect FILE shows them")
            case .originNotListed: (.usage, "give an --origin that the list names, or let the site list this one")
            case .invalidCredentialID, .invalidUserHandle, .invalidChallenge: (.usage, "check the arguments")
            case .unknownCredential: (.notVerified, "make a passkey first: hybrid client register")
            case .alreadyRegistered: (.notVerified, "sign in with it: hybrid client sign-in")
            case .counterWentBack: (.notVerified, "there may be a copy of the passkey: make a new one")
            case .libraryFailure: (.failure, "check the OpenSSL installation")
            default: (.notVerified, "do not trust this authenticator; it is faulty or malicious")
            }
        self.init(status, code: error.code.rawValue, cause: error.reason, hint: hint)
    }

    /// A file of passkeys that cannot be used, or a vault that failed after it was opened.
    init(_ error: CredentialStoreError) {
        let hint = Remedy.diskText(.init(rawValue: error.code.rawValue)) ?? Hint.storeFile
        self.init(.file, code: error.code.rawValue, cause: error.reason, hint: hint)
    }

    /// A vault that cannot be used.
    init(_ error: VaultError) {
        self.init(.vault(error.code), code: error.code.rawValue, cause: error.reason)
    }

    /// A file of links that cannot be used.
    init(_ error: LinkFileError) {
        let (status, hint): (ExitStatus, String) =
            switch error.code {
            case .unknownLink: (.usage, "link a device first: hybrid client sign-in --link")
            case .full: (.file, "remove a link first: links list shows what there is")
            case .newerVersion: (.file, "update this program")
            case .damaged: (.file, "put a copy of the file back, or move it away and link the devices anew")
            case .noDirectory: (.file, "set HOME, or say where with --links")
            case .sealed: (.usage, "leave out --store and --ephemeral, or give a lab's own file with --links")
            case .otherVault:
                (.file, "give the vault with which the devices were linked, or move the file away and link them anew")
            case .inUse: (.file, "try again when the other process has ended")
            case .libraryFailure: (.failure, "check the OpenSSL installation")
            default:
                (.file, Remedy.diskText(.init(rawValue: error.code.rawValue)) ?? "check the file given with --links")
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
    var named: String { "\(self) (0x\(Hexadecimal.encode([rawValue])))" }
}
