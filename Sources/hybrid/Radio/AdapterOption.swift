import ArgumentParser
import BluetoothLE

/// The Bluetooth adapter that is used.
struct AdapterOption: ParsableArguments {
    @Option(help: ArgumentHelp("The Bluetooth adapter; the first that is ready otherwise.", valueName: "hci0"))
    var adapter: String?

    @Flag(help: "Power the Bluetooth adapter on if it is off. It stays on.")
    var powerOn = false

    var isGiven: Bool { adapter != nil || powerOn }

    /// - Throws: ``RadioError`` for a name that no adapter can have.
    func selection() throws -> AdapterSelection { try AdapterSelection(adapter: adapter, powersOn: powerOn) }
}
