import LinuxSupport

/// The checks, in the order in which their results are given.
enum CheckName: String, Sendable, CaseIterable {
    case sandbox
    case systemBus = "system-bus"
    case bluetoothService = "bluetooth-service"
    case adapter
    case rfkill
    case lowEnergy = "low-energy"
    case advertising
    case otherScanners = "other-scanners"
    case adverts
    case fingerprint
    case polkit
    case polkitAgent = "polkit-agent"
    case keyring
    case vault
    case verification
    case zbar
    case screen
    case portal
    case terminal
    case securityKey = "security-key"
    case openFiles = "open-files"
    case tunnelName = "tunnel-name"
    case tunnelProxy = "tunnel-proxy"
    case tunnelConnection = "tunnel-connection"
    case tunnelCertificate = "tunnel-certificate"
    case tunnelClock = "tunnel-clock"
    case tunnelNew = "tunnel-new"
    case tunnelConnect = "tunnel-connect"
    case tunnelContact = "tunnel-contact"
}

extension CheckName {
    /// The name in words.
    var text: Sentence {
        switch self {
        case .sandbox: "sandbox"
        case .systemBus: "system bus"
        case .bluetoothService: "bluetooth service"
        case .adapter: "adapter"
        case .rfkill: "rfkill"
        case .lowEnergy: "low energy"
        case .advertising: "advertising"
        case .otherScanners: "other scanners"
        case .adverts: "adverts"
        case .fingerprint: "fingerprint"
        case .polkit: "polkit"
        case .polkitAgent: "polkit agent"
        case .keyring: "keyring"
        case .vault: "vault"
        case .verification: "verification"
        case .zbar: "zbar"
        case .screen: "screen"
        case .portal: "portal"
        case .terminal: "terminal"
        case .securityKey: "security key"
        case .openFiles: "open files"
        case .tunnelName: "tunnel name"
        case .tunnelProxy: "tunnel proxy"
        case .tunnelConnection: "tunnel connection"
        case .tunnelCertificate: "tunnel certificate"
        case .tunnelClock: "tunnel clock"
        case .tunnelNew: "tunnel new"
        case .tunnelConnect: "tunnel connect"
        case .tunnelContact: "tunnel contact"
        }
    }

    /// The subject of the wait while the check runs, in words.
    var waiting: Sentence {
        switch self {
        case .sandbox, .systemBus, .bluetoothService, .adapter, .rfkill, .lowEnergy, .advertising, .otherScanners:
            "for bluetoothd"
        case .adverts: "for adverts, for 3 seconds"
        case .fingerprint: "for fprintd"
        case .polkit, .polkitAgent: "for polkit"
        case .keyring: "for the keyring"
        case .vault: "for the vault"
        case .verification: "for fprintd and polkit"
        case .zbar, .screen, .terminal, .securityKey, .openFiles: "for this machine"
        case .portal: "for the desktop's portal"
        case .tunnelName: "for the tunnel service's name"
        case .tunnelProxy, .tunnelConnection, .tunnelCertificate, .tunnelClock: "for the tunnel service's server"
        case .tunnelNew, .tunnelConnect, .tunnelContact: "for the tunnel service"
        }
    }
}
