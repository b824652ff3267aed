/// The checks, in the order in which their results are given.
package enum CheckName: String, Sendable, CaseIterable {
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
    case tunnelConnection = "tunnel-connection"
    case tunnelCertificate = "tunnel-certificate"
    case tunnelClock = "tunnel-clock"
    case tunnelNew = "tunnel-new"
    case tunnelConnect = "tunnel-connect"
    case tunnelContact = "tunnel-contact"
}
