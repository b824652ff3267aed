internal import Edges

/// A Bluetooth adapter as BlueZ shows it, and whether adverts can be heard and sent with it.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt` and `doc/advertising-api.txt`.
public struct BlueZAdapter: Sendable, Hashable {
    /// What an adapter can be used for now.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It can scan and advertise.
        case ready
        /// It is powered off.
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
    /// Whether somebody scans with it.
    public let isScanning: Bool

    /// All adapters that BlueZ knows, in the order of their names.
    ///
    /// - Throws: ``RadioError`` with `no-system-bus`, `sandboxed`, `no-bluetooth-service`, `not-permitted`, `unresponsive` or
    ///   `invalid-reply`; `absent` if there is none; `CancellationError`.
    public static func all() async throws -> [Self] {
        try await BlueZService.with(on: { _ in }) { service in
            let adapters = try await service.adapters()
            guard !adapters.isEmpty else { throw RadioError(.absent, reason: "BlueZ knows no Bluetooth adapter") }
            return adapters
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
