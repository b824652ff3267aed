import BluetoothLE
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Subjects of an examination.
struct DoctorSetup: Sendable {
    /// The radio.
    enum Radio: Sendable {
        case bluez(AdapterSelection)
        case kernel(AdapterSelection)
        case simulated
    }

    let radio: Radio
    /// Hears the adverts around.
    let scanner: any AdvertScanner
    /// The vault; nil if there is no place for one.
    let vault: String?
    let terminal: TerminalState
    let services: [TunnelTarget]
    /// The words of the remedy for an adapter that cannot be used, which all programs share.
    let radioHint: @Sendable (RadioError.Code) -> Sentence
    var keyPlaces = KeyPlaces.ofThisMachine

    init(
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
