package import BluetoothLE
package import HybridProtocol
import HybridTransport
package import LinuxSupport

/// Subjects of an examination.
package struct DoctorSetup: Sendable {
    /// The radio.
    package enum Radio: Sendable {
        case bluez(AdapterSelection)
        case kernel(AdapterSelection)
        case simulated
    }

    package let radio: Radio
    /// Hears the adverts around.
    package let scanner: any AdvertScanner
    /// The vault; nil if there is no place for one.
    package let vault: String?
    package let terminal: TerminalState
    package let services: [TunnelTarget]
    /// The words of the remedy for an adapter that cannot be used, which all programs share.
    package let radioHint: @Sendable (RadioError.Code) -> Sentence
    var keyPlaces = KeyPlaces.ofThisMachine

    package init(
        radio: Radio, scanner: any AdvertScanner, vault: String?, terminal: TerminalState, services: [TunnelTarget],
        radioHint: @escaping @Sendable (RadioError.Code) -> Sentence
    ) {
        self.radio = radio
        self.scanner = scanner
        self.vault = vault
        self.terminal = terminal
        self.services = services
        self.radioHint = radioHint
    }
}
