import BluetoothLE
import HybridProtocol

/// Subjects of an examination.
struct DoctorSetup: Sendable {
    let radio: RadioBackend
    /// Hears the adverts around.
    let scanner: any AdvertScanner
    /// The vault; nil if there is no place for one.
    let vault: String?
    let terminal: TerminalState
    let services: [TunnelTarget]
    var keyPlaces = KeyPlaces.ofThisMachine
}
