package import HybridProtocol
internal import LinuxSupport

/// The choice of an adapter, the permission to power it on, and the bus on which bluetoothd is.
package struct AdapterSelection: Sendable, Hashable {
    /// The adapter's name, `hci1`; nil for the first one that is ready.
    package let adapter: String?
    /// True if an adapter that is powered off is powered on. It stays on.
    package let powersOn: Bool
    /// The bus on which bluetoothd is; nil for the environment's system bus.
    let bus: DBusAddress?

    /// The first adapter that is ready; nothing is powered on.
    package static let firstReady = Self()

    private init() {
        adapter = nil
        powersOn = false
        bus = nil
    }

    /// Makes a selection.
    ///
    /// - Parameters:
    ///   - adapter: `hci` and a number; nil for the first adapter that is ready.
    ///   - powersOn: true if an adapter that is powered off is powered on.
    ///   - bus: the address of the bus on which bluetoothd is, `unix:` or `tcp:`, which may be another machine's; nil
    ///     for the system bus, for which the environment may have another address (`DBUS_SYSTEM_BUS_ADDRESS`).
    /// - Throws: `RadioError` with `invalid-address` for a name that no adapter can have, or an address of another
    ///   kind.
    package init(adapter: String?, powersOn: Bool = false, bus: String? = nil) throws(RadioError) {
        if let adapter { try AdapterName.check(adapter) }
        do throws(DBusError) {
            self.bus = try bus.map { text throws(DBusError) in try DBusAddress(parsing: text) }
        } catch {
            throw RadioError(.invalidAddress, reason: "the address of Bluetooth's bus is neither unix: nor tcp:")
        }
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

    /// Looks whether the adapter that would be chosen can be used, or powered on.
    ///
    /// - Throws: ``RadioError``, as ``adapter(of:without:)``.
    func check(_ adapters: [BluetoothAdapter], advertises: Bool) throws(RadioError) {
        let obstacle: @Sendable (BluetoothAdapter) -> RadioError? = { advertises ? $0.obstacle : $0.scanObstacle }
        guard let problem = obstacle(try choose(among: adapters, without: obstacle)) else { return }
        if !powersOn || problem.code != .poweredOff { throw problem }
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
