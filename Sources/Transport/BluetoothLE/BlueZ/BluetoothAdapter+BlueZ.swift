internal import HybridProtocol
internal import LinuxSupport

extension BluetoothAdapter {
    /// All adapters that BlueZ knows, in the order of their names.
    ///
    /// - Parameter selection: says on which bus bluetoothd is.
    /// - Throws: `RadioError` with `no-system-bus`, `sandboxed`, `no-bluetooth-service`, `not-permitted`,
    ///   `unresponsive` or `invalid-reply`; `absent` if there is none; `CancellationError`.
    package static func knownToBlueZ(_ selection: AdapterSelection = .firstReady) async throws -> [BluetoothAdapter] {
        try await BlueZService.with(selection.bus, on: { _ in }) { service in
            let adapters = try await service.adapters()
            guard !adapters.isEmpty else { throw RadioError(.absent, reason: "there is no Bluetooth adapter") }
            return adapters
        }
    }

    typealias Interfaces = [String: DBusValue]

    /// Makes an adapter of its object on the bus.
    ///
    /// - Parameters:
    ///   - path: the object's path.
    ///   - interfaces: its interfaces and their properties.
    ///   - isBlocked: returns true if rfkill blocks the adapter of this name, where the bus does not say.
    /// - Returns: nil if the object is not an adapter.
    /// - Throws: ``DBusError`` with `wrong-type` if one of its properties is of another type.
    init?(path: String, interfaces: Interfaces, isBlocked: (String) -> Bool) throws(DBusError) {
        guard let name = BlueZName.adapterName(ofPath: path),
            let properties = interfaces[BlueZName.adapter]?.dictionaryValue
        else { return nil }
        guard let address = properties["Address"]?.stringValue, let isPowered = properties["Powered"]?.boolValue else {
            throw DBusError(.wrongType, reason: "\(name) has no address, or does not say whether it is powered")
        }
        let advertising = interfaces[BlueZName.advertisingAdapter]?.dictionaryValue
        self.name = name
        self.address = address
        addressKind = properties["AddressType"]?.stringValue.flatMap(BluetoothAddress.Kind.init) ?? .public
        alias = properties["Alias"]?.stringValue ?? ""
        isScanning = properties["Discovering"]?.boolValue ?? false
        activeInstances = advertising?["ActiveInstances"]?.byteValue.map(Int.init)
        freeInstances = advertising?["SupportedInstances"]?.byteValue.map(Int.init)
        longestAdvert = advertising?["SupportedCapabilities"]?.dictionaryValue?["MaxAdvLen"]?.byteValue.map(Int.init)
        state = Self.state(
            isPowered: isPowered, powerState: properties["PowerState"]?.stringValue,
            roles: properties["Roles"]?.stringsValue, canAdvertise: advertising != nil, freeInstances: freeInstances,
            isBlocked: { isBlocked(name) })
    }

    private static let blockedPowerState = "off-blocked"
    private static let scanningRole = "central"

    private static func state(
        isPowered: Bool, powerState: String?, roles: [String]?, canAdvertise: Bool, freeInstances: Int?,
        isBlocked: () -> Bool
    ) -> State {
        // Without Low Energy, power would not help. BlueZ before 5.55 names no roles.
        guard roles?.contains(scanningRole) ?? canAdvertise else { return .noLowEnergy }
        guard isPowered else {
            return powerState == blockedPowerState || isBlocked() ? .blocked : .poweredOff
        }
        return canAdvertise && freeInstances != 0 ? .ready : .noInstance
    }
}
