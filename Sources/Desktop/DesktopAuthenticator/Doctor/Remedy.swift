package import HybridTransport
package import UserVerification
package import Vault

/// Remedy for a fault.
package enum Remedy: Sendable, Hashable {
    case startAgain
    case radio(RadioError.Code)
    case unblock
    case flipSwitch
    case verification(VerificationError.Code)
    case setUpVerification
    case makeDefaultKeyring
    case unlockKeyring
    case startKeyring
    case vault(VaultError.Code)
    case closeFolder
    case install(String)
    case useDesktopSession
    case enlargeTerminal
    case useOtherTerminal
    case raiseOpenFiles
    case installKeyRule
    case checkName
    case checkNetwork
    case renewCertificate
    case setClock
    case trustAuthority
    case checkService
    case addContactSide

    /// The remedy by its name, for programs.
    package var code: String {
        switch self {
        case .startAgain: "start-again"
        case .radio(let code): "radio-\(code.rawValue)"
        case .unblock: "unblock"
        case .flipSwitch: "flip-switch"
        case .verification(let code): "verification-\(code.rawValue)"
        case .setUpVerification: "set-up-verification"
        case .makeDefaultKeyring: "make-default-keyring"
        case .unlockKeyring: "unlock-keyring"
        case .startKeyring: "start-keyring"
        case .vault(let code): "vault-\(code.rawValue)"
        case .closeFolder: "close-folder"
        case .install(let program): "install-\(program)"
        case .useDesktopSession: "use-desktop-session"
        case .enlargeTerminal: "enlarge-terminal"
        case .useOtherTerminal: "use-other-terminal"
        case .raiseOpenFiles: "raise-open-files"
        case .installKeyRule: "install-key-rule"
        case .checkName: "check-name"
        case .checkNetwork: "check-network"
        case .renewCertificate: "renew-certificate"
        case .setClock: "set-clock"
        case .trustAuthority: "trust-authority"
        case .checkService: "check-service"
        case .addContactSide: "add-contact-side"
        }
    }
}
