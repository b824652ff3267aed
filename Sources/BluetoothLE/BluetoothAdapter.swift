public import Edges

/// A Bluetooth adapter as bluetoothd or the kernel shows it, and whether adverts can be heard and sent with it.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt`, `doc/advertising-api.txt` and `doc/mgmt-api.txt`.
public struct BluetoothAdapter: Sendable, Hashable {
    /// What an adapter can be used for now.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It can scan and advertise.
        case ready
        /// It is powered off, or Low Energy is switched off.
        case poweredOff = "powered-off"
        /// rfkill, or a key or switch of the machine, blocks it.
        case blocked = "blocked-by-rfkill"
        /// It knows no Bluetooth Low Energy.
        case noLowEnergy = "no-low-energy"
        /// It can scan, but all adverts that it can send at a time are taken.
        case noInstance = "no-advertising-instance"
    }

    /// The kernel's name for it: `hci0`.
    public let name: String
    /// Its address: `AA:BB:CC:DD:EE:FF`.
    public let address: String
    /// Whether its Low Energy address is the one that its maker gave it, or a random one.
    public let addressKind: BluetoothAddress.Kind
    /// Its name for people.
    public let alias: String
    /// What it can be used for.
    public let state: State
    /// How many adverts it sends for anybody; nil if it can send none.
    public let activeInstances: Int?
    /// How many more it could send; nil if it can send none.
    public let freeInstances: Int?
    /// The longest advert that it can send, in bytes with all that is around the service data; nil if it is not known.
    public let longestAdvert: Int?
    /// Whether somebody scans with it; nil where that cannot be asked.
    public let isScanning: Bool?

    /// Its address for connections.
    ///
    /// - Throws: ``RadioError`` with `invalid-reply` if it is none.
    var lowEnergyAddress: BluetoothAddress {
        get throws(RadioError) {
            guard let address = BluetoothAddress(address, addressKind) else {
                throw RadioError(.invalidReply, reason: "the address of \(name) is none")
            }
            return address
        }
    }

    /// What scanning with it would fail for; nil if it can scan.
    var scanObstacle: RadioError? { state == .noInstance ? nil : obstacle }

    /// What advertising with it would fail for; nil if it can advertise.
    var obstacle: RadioError? {
        switch state {
        case .ready: nil
        case .poweredOff: RadioError(.poweredOff, reason: "\(name) is powered off")
        case .blocked: RadioError(.blocked, reason: "\(name) is blocked by rfkill")
        case .noLowEnergy: RadioError(.noLowEnergy, reason: "\(name) knows no Bluetooth Low Energy")
        case .noInstance: RadioError(.noInstance, reason: "\(name) can send no more adverts at a time")
        }
    }
}

extension [BluetoothAdapter] {
    /// In the order of their names; hci2 comes before hci10.
    var inOrder: Self { sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) } }
}
