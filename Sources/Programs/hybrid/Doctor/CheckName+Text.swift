import DesktopAuthenticator

extension CheckName {
    /// The subject of the wait while the check runs, in words.
    var waiting: String {
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
        case .tunnelConnection, .tunnelCertificate, .tunnelClock: "for the tunnel service's server"
        case .tunnelNew, .tunnelConnect, .tunnelContact: "for the tunnel service"
        }
    }
}
