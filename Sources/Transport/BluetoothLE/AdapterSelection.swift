public import TransportInterfaces

/// The choice of an adapter, and the permission to power it on.
public struct AdapterSelection: Sendable, Hashable {
    /// The adapter's name, `hci1`; nil for the first one that is ready.
    public let adapter: String?
    /// True if an adapter that is powered off is powered on. It stays on.
    public let powersOn: Bool

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
    ///   - powersOn: true if an adapter that is powered off is powered on.
    /// - Throws: `RadioError` with `invalid-address` for a name that no adapter can have.
    public init(adapter: String?, powersOn: Bool = false) throws(RadioError) {
        if let adapter { try AdapterName.check(adapter) }
        self.adapter = adapter
        self.powersOn = powersOn
    }

    /// Chooses the adapter, and powers it on if it has to and may.
    ///
    /// - Parameters:
    ///   - source: bluetoothd or the kernel.
    ///   - obstacle: the error that the work would have with an adapter.
    /// - Returns: an adapter without obstacles.
    /// - Throws: ``RadioError``: there is no adapter, or the obstacle of the first one or the named one;
    ///   `CancellationError`.
    func adapter(
        of source: some AdapterSource, without obstacle: @Sendable (BluetoothAdapter) -> RadioError?
    ) async throws -> BluetoothAdapter {
        let chosen = try choose(among: try await source.adapters(), without: obstacle)
        guard let problem = obstacle(chosen) else { return chosen }
        guard powersOn, problem.code == .poweredOff else { throw problem }
        try await source.powerOn(chosen)
        guard let powered = try await source.adapters().first(where: { $0.name == chosen.name }) else {
            throw RadioError(.absent, reason: "\(chosen.name) went away when it was powered on")
        }
        if let problem = obstacle(powered) { throw problem }
        return powered
    }

    func choose(
        among adapters: [BluetoothAdapter], without obstacle: (BluetoothAdapter) -> RadioError?
    ) throws(RadioError) -> BluetoothAdapter {
        guard let first = adapters.first else {
            throw RadioError(.absent, reason: "there is no Bluetooth adapter")
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
}

/// A source of the machine's Bluetooth adapters: bluetoothd, or the kernel.
protocol AdapterSource: Sendable {
    /// All adapters in the order of their names.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func adapters() async throws -> [BluetoothAdapter]

    /// Powers an adapter on, for Low Energy.
    ///
    /// - Throws: ``RadioError``, `CancellationError`.
    func powerOn(_ adapter: BluetoothAdapter) async throws
}
