package import HybridProtocol

/// A Bluetooth adapter as bluetoothd or the kernel shows it, and its use for adverts.
///
/// Source: BlueZ 5.66, `doc/adapter-api.txt`, `doc/advertising-api.txt` and `doc/mgmt-api.txt`.
package struct BluetoothAdapter: Sendable, Hashable {
    /// The use that an adapter has now.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// It can scan and advertise.
        case ready
        /// It is powered off, or Low Energy is switched off.
        case poweredOff = "powered-off"
        /// rfkill, or a key or switch of the machine, blocks it.
        case blocked = "blocked-by-rfkill"
        /// It has no Bluetooth Low Energy.
        case noLowEnergy = "no-low-energy"
        /// It can scan, but all adverts that it can send at a time are taken.
        case noInstance = "no-advertising-instance"
    }

    /// The kernel's name for it: `hci0`.
    package let name: String
    /// Its address: `AA:BB:CC:DD:EE:FF`.
    package let address: String
    /// The kind of its Low Energy address: public, from its maker, or random.
    package let addressKind: BluetoothAddress.Kind
    /// Its name for users.
    package let alias: String
    /// The use that it has now.
    package let state: State
    /// Number of adverts that it sends, for all programs; nil if it can send none.
    package let activeInstances: Int?
    /// Number of adverts that it could send in addition; nil if it can send none.
    package let freeInstances: Int?
    /// The longest advert that it can send, in bytes with all that surrounds the service data; nil if it is not known.
    package let longestAdvert: Int?
    /// True if a program scans with it; nil where that cannot be asked.
    package let isScanning: Bool?

    /// Its address for connections.
    ///
    /// - Throws: ``RadioError`` with `invalid-reply` if it is malformed.
    var lowEnergyAddress: BluetoothAddress {
        get throws(RadioError) {
            guard let address = BluetoothAddress(address, addressKind) else {
                throw RadioError(.invalidReply, reason: "the address of \(name) is malformed")
            }
            return address
        }
    }

    /// The error that scanning with it would have; nil if it can scan.
    var scanObstacle: RadioError? { state == .noInstance ? nil : obstacle }

    /// The error that advertising with it would have; nil if it can advertise.
    var obstacle: RadioError? {
        switch state {
        case .ready: nil
        case .poweredOff: RadioError(.poweredOff, reason: "\(name) is powered off")
        case .blocked: RadioError(.blocked, reason: "\(name) is blocked by rfkill")
        case .noLowEnergy: RadioError(.noLowEnergy, reason: "\(name) does not support Bluetooth Low Energy")
        case .noInstance: RadioError(.noInstance, reason: "\(name) can send no more adverts at a time")
        }
    }
}

extension [BluetoothAdapter] {
    /// In the order of their names; hci2 comes before hci10.
    var inOrder: Self { sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) } }
}

/// The kernel's names for adapters: `hci` and a number.
enum AdapterName {
    private static let prefix = "hci"
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    /// The longest name of an adapter, in bytes of UTF-8.
    private static let longest = 16

    static func name(ofIndex index: UInt16) -> String { prefix + String(index) }

    /// - Throws: ``RadioError`` with `invalid-address` for a name that no adapter can have.
    static func check(_ name: String) throws(RadioError) {
        let number = name.dropFirst(prefix.utf8.count)
        guard name.hasPrefix(prefix), !number.isEmpty, number.utf8.allSatisfy(digits.contains),
            name.utf8.count <= longest
        else { throw RadioError(.invalidAddress, reason: "an adapter's name is hci and a number") }
    }

    /// - Throws: ``RadioError`` with `invalid-address` for a name that no adapter can have.
    static func index(of name: String) throws(RadioError) -> UInt16 {
        try check(name)
        guard let index = UInt16(name.dropFirst(prefix.utf8.count)) else {
            throw RadioError(.invalidAddress, reason: "there is no adapter with such a number")
        }
        return index
    }
}

/// The reason for the early end of a scan or of an advert.
enum AdapterInterruption: Sendable, Hashable {
    case serviceGone, adapterGone, poweredOff, released
    case failed(RadioError.Code, String)

    func error(_ adapter: String) -> RadioError {
        switch self {
        case .serviceGone: RadioError(.serviceLost, reason: "bluetoothd ended while \(adapter) was in use")
        case .adapterGone: RadioError(.absent, reason: "\(adapter) was unplugged while it was in use")
        case .poweredOff:
            SystemRadioSwitch.blocks(adapter)
                ? RadioError(.blocked, reason: "\(adapter) was blocked by rfkill while it was in use")
                : RadioError(.poweredOff, reason: "\(adapter) was powered off while it was in use")
        case .released: RadioError(.failed, reason: "bluetoothd stopped the advert of \(adapter)")
        case .failed(let code, let reason): RadioError(code, reason: reason)
        }
    }

    /// Time to wait for a better reason: an adapter that is unplugged, or whose bluetoothd ends, is powered off first,
    /// and before that it loses its adverts.
    private var settling: Duration {
        switch self {
        case .released: .seconds(1)
        case .poweredOff: .milliseconds(700)
        case .serviceGone, .adapterGone, .failed: .zero
        }
    }

    /// Passes the interruption on, when no better reason can be expected any more. The first one counts.
    func report(_ take: @escaping @Sendable (Self) -> Void) {
        let settling = settling
        guard settling > .zero else { return take(self) }
        Task {
            try await Task.sleep(for: settling)
            take(self)
        }
    }

    /// Runs work beside a scan or an advert. Where it fails, the reason for that has time to be reported first.
    static func upkeep(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let error as RadioError {
            try await Task.sleep(for: Self.released.settling)
            throw error
        }
    }

    /// Runs `body` until it is done, or until there is an interruption or `upkeep` fails: then it is cancelled and
    /// waited for.
    ///
    /// - Throws: ``RadioError`` of the interruption; otherwise the error of `upkeep` or `body`.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value, until interruptions: AsyncStream<Self>,
        of adapter: String,
        upkeep: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> Value {
        try await BackgroundWork.run(
            body,
            beside: [
                { for await interruption in interruptions { throw interruption.error(adapter) } },
                { try await Self.upkeep(upkeep) },
            ])
    }
}
