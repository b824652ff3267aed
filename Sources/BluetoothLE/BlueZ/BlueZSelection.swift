internal import DBus
public import Edges

/// Which adapter is used, and whether it may be powered on for that.
public struct BlueZSelection: Sendable, Hashable {
    /// The adapter's name, `hci1`; nil for the first one that is ready.
    public let adapter: String?
    /// Whether an adapter that is powered off is powered on. It stays on.
    public let powersOn: Bool

    /// The longest name of an adapter, in bytes of UTF-8.
    private static let longestName = 16
    private static let namePrefix = "hci"

    /// The first adapter that is ready; nothing is powered on.
    public static let firstReady = Self()

    private init() {
        adapter = nil
        powersOn = false
    }

    /// Makes a selection.
    ///
    /// - Parameters:
    ///   - adapter: `hci` and a number; nil for the first adapter that is ready.
    ///   - powersOn: whether an adapter that is powered off is powered on.
    /// - Throws: ``RadioError`` with `invalid-address` for a name that no adapter can have.
    public init(adapter: String?, powersOn: Bool = false) throws(RadioError) {
        if let adapter {
            let number = adapter.dropFirst(Self.namePrefix.utf8.count)
            let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
            guard adapter.hasPrefix(Self.namePrefix), !number.isEmpty, number.utf8.allSatisfy(digits.contains),
                adapter.utf8.count <= Self.longestName
            else { throw RadioError(.invalidAddress, reason: "an adapter is named hci and a number") }
        }
        self.adapter = adapter
        self.powersOn = powersOn
    }

    /// Chooses the adapter, and powers it on if it has to and may.
    ///
    /// - Parameters:
    ///   - service: bluetoothd.
    ///   - obstacle: what the work would fail for on an adapter.
    /// - Returns: an adapter without obstacles.
    /// - Throws: ``RadioError``: there is no adapter, or what the first one or the named one cannot be used for; `CancellationError`.
    func adapter(
        of service: BlueZService, without obstacle: @Sendable (BlueZAdapter) -> RadioError?
    ) async throws -> BlueZAdapter {
        let chosen = try choose(among: try await service.adapters(), without: obstacle)
        guard let problem = obstacle(chosen) else { return chosen }
        guard powersOn, problem.code == .poweredOff else { throw problem }
        try await Self.powerOn(chosen, service)
        guard let powered = try await service.adapters().first(where: { $0.name == chosen.name }) else {
            throw RadioError(.absent, reason: "\(chosen.name) went away when it was powered on")
        }
        if let problem = obstacle(powered) { throw problem }
        return powered
    }

    func choose(
        among adapters: [BlueZAdapter], without obstacle: (BlueZAdapter) -> RadioError?
    ) throws(RadioError) -> BlueZAdapter {
        guard let first = adapters.first else {
            throw RadioError(.absent, reason: "BlueZ knows no Bluetooth adapter")
        }
        guard let adapter else {
            return adapters.first { obstacle($0) == nil }
                ?? adapters.first { powersOn && obstacle($0)?.code == .poweredOff } ?? first
        }
        guard let named = adapters.first(where: { $0.name == adapter }) else {
            let names = adapters.map(\.name).joined(separator: ", ")
            throw RadioError(.absent, reason: "there is no adapter \(adapter), but \(names)")
        }
        return named
    }

    private static func powerOn(_ adapter: BlueZAdapter, _ service: BlueZService) async throws {
        do {
            try await service.call(
                BlueZName.path(ofAdapter: adapter.name), BlueZName.properties, "Set",
                [.string(BlueZName.adapter), .string("Powered"), .variant(.bool(true))], of: adapter.name)
        } catch let error as RadioError where error.code == .failed && SystemRadioSwitch.blocks(adapter.name) {
            throw RadioError(.blocked, reason: "\(adapter.name) cannot be powered on: rfkill blocks it")
        }
    }
}
