import ArgumentParser
import BluetoothLE
import LinuxSupport

/// The Bluetooth adapter that is used.
struct AdapterOption: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter; the first that is ready otherwise.", valueName: "hci0"))
    var adapter: String?

    @Flag(help: "Power the Bluetooth adapter on if it is off. It stays on.")
    var powerOn = false

    @OptionGroup var bus: BluetoothBusOption

    var isGiven: Bool { adapter != nil || powerOn || bus.bluetoothBus != nil }

    /// - Throws: ``RadioError`` for a name that no adapter can have, or an address that no bus can have.
    func selection() throws -> AdapterSelection {
        try AdapterSelection(adapter: adapter, powersOn: powerOn, bus: bus.address)
    }
}

/// The bus on which bluetoothd is. It has no say in who verifies the user.
struct BluetoothBusOption: ParsableArguments {
    private static let variable = "HYBRID_BLUETOOTH_BUS"

    @Option(
        help: ArgumentHelp(
            """
            The bus that bluetoothd is on, unix:… or tcp:…, such as another machine's. (default: \
            HYBRID_BLUETOOTH_BUS, or the system bus)
            """, valueName: "address"))
    var bluetoothBus: String?

    /// The address; nil for the system bus.
    var address: String? { bluetoothBus ?? ProcessEnvironment.value(Self.variable) }
}
