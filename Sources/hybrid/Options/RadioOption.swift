import ArgumentParser
import BluetoothLE
import Edges

/// Which radio carries the adverts.
struct RadioOption: ParsableArguments {
    static let hint = "give --radio udp:127.0.0.1:PORT for the simulated radio, the same port for both roles"

    @Option(
        help: ArgumentHelp(
            "The radio: bluez, or udp:HOST:PORT for a simulated one on loopback; an advertiser takes a comma list.",
            valueName: "radio"))
    var radio = Self.bluetooth

    @OptionGroup var adapter: AdapterOption

    private static let bluetooth = "bluez"
    private static let scheme = "udp:"

    /// The radio of a client.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func scanner() throws -> any Scanner {
        if radio == Self.bluetooth { return BlueZScanner(try adapter.selection()) }
        let addresses = try addresses()
        guard let address = addresses.first, addresses.count == 1 else {
            throw Failure.usage("a client listens at one address", hint: Self.hint)
        }
        return SimulatedScanner(at: address)
    }

    /// The radio of an authenticator.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func advertiser() throws -> any Advertiser {
        if radio == Self.bluetooth { return BlueZAdvertiser(try adapter.selection()) }
        return try SimulatedAdvertiser(to: addresses())
    }

    private func addresses() throws -> [SimulatedRadioAddress] {
        guard !adapter.isGiven else {
            throw Failure.usage("--adapter and --power-on are for Bluetooth", hint: "leave out --radio, or these two")
        }
        guard radio.hasPrefix(Self.scheme) else { throw Failure.usage("--radio names no radio", hint: Self.hint) }
        return try SimulatedRadioAddress.list(parsing: String(radio.dropFirst(Self.scheme.count)))
    }
}
