internal import BluetoothLE
internal import HybridTransport
internal import UserVerification
internal import Vault

extension CheckObservation {
    /// The observation by its name, for programs: lower case with hyphens.
    package var code: String {
        switch self {
        case .noAnswer: "no-answer"
        case .dependsOn: "depends-on"
        case .otherRadio: "other-radio"
        case .offline: "offline"
        case .noServiceGiven: "no-service-given"
        case .noSandbox: "no-sandbox"
        case .sandbox(let sandbox): sandbox.rawValue
        case .busAnswers: "bus-answers"
        case .radio(let code): code.rawValue
        case .bluetoothRuns: "bluetooth-runs"
        case .adapterOn: "adapter-on"
        case .unblocked: "unblocked"
        case .blocked(let block): block.map { "\($0.rawValue)-blocked" } ?? "blocked"
        case .hasLowEnergy: "has-low-energy"
        case .instances: "instances"
        case .scanned(let byOthers): byOthers ? "others-scan" : "nobody-scans"
        case .heard: "heard"
        case .fingerEnrolled: "finger-enrolled"
        case .polkitAsks: "polkit-asks"
        case .verification(let code): code.rawValue
        case .agentUnknown: "agent-unknown"
        case .keyring(let state): "keyring-\(state)"
        case .noVaultYet: "no-vault-yet"
        case .vault: "vault"
        case .vaultFailed(let code): code.rawValue
        case .vaultFolderOpen: "folder-open"
        case .verifiedBy: "verified"
        case .nothingVerifies: "no-verification"
        case .programs: "installed"
        case .missing: "not-installed"
        case .screenshot(.noScreen): "no-screen"
        case .screenshot(.missing): "not-installed"
        case .screenshot(.program): "installed"
        case .portal: "portal"
        case .noPortal: "no-portal"
        case .terminal(let terminal):
            terminal.columns == nil
                ? "no-terminal" : terminal.showsPictures ? terminal.fits ? "fits" : "too-small" : "no-pictures"
        case .openFiles: "open-files"
        case .keyBroker: "key-broker"
        case .keyWithoutBroker: "key-without-broker"
        case .noKeyBroker: "no-key-broker"
        case .noUHID: "no-uhid"
        case .noKeyRule: "no-key-rule"
        case .resolves: "resolves"
        case .unresolved: "unresolved"
        case .connects: "connects"
        case .server(let code, _): code.rawValue
        case .noTLS: "no-tls"
        case .certificate: "valid"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .otherName: "other-name"
        case .untrusted: "untrusted"
        case .clock: "clock"
        case .noDate: "no-date"
        case .opened: "opened"
        case .relayed: "relayed"
        case .notRelayed: "not-relayed"
        case .contactSide: "contact-side"
        case .noContactSide: "no-contact-side"
        }
    }
}
