import ArgumentParser
import BluetoothLE
import TransportInterfaces

/// The radio that carries the adverts, and the Bluetooth adapter.
struct RadioOption: ParsableArguments {
    @OptionGroup var name: RadioName
    @OptionGroup var adapter: AdapterOption

    /// The radio of a client.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func scanner() throws -> any AdvertScanner {
        switch try name.radio() {
        case .bluez: return BlueZScanner(try adapter.selection())
        case .kernel: return ManagementScanner(try adapter.selection())
        case .simulated(let list):
            let addresses = try addresses(list)
            guard let address = addresses.first, addresses.count == 1 else {
                throw Failure.usage("a client listens at one address", hint: RadioName.hint)
            }
            return SimulatedScanner(at: address)
        }
    }

    /// The radio of an authenticator.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func advertiser() throws -> any Advertiser {
        switch try name.radio() {
        case .bluez: BlueZAdvertiser(try adapter.selection())
        case .kernel: ManagementAdvertiser(try adapter.selection())
        case .simulated(let list): try SimulatedAdvertiser(to: addresses(list))
        }
    }

    /// The addresses of the simulated radio.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    func addresses(_ list: String) throws -> [SimulatedRadioAddress] {
        guard !adapter.isGiven else {
            throw Failure.usage(
                "--adapter, --power-on and --bluetooth-bus are for Bluetooth", hint: "leave out --radio, or these")
        }
        return try SimulatedRadioAddress.list(parsing: list)
    }
}

/// A kind of radio by its name.
struct RadioName: ParsableArguments {
    static let hint = "give --radio udp:127.0.0.1:PORT for the simulated radio, the same port for both roles"

    @Option(
        name: .customLong("radio"),
        help: ArgumentHelp(
            """
            The radio: bluez, kernel for Bluetooth without bluetoothd (as root), or udp:HOST:PORT for a simulated one \
            on loopback; an advertiser takes a comma list.
            """, valueName: "radio"))
    var text = Self.bluez

    private static let bluez = "bluez"
    private static let kernel = "kernel"
    private static let scheme = "udp:"

    enum Radio {
        case bluez, kernel
        case simulated(String)
    }

    /// - Throws: ``Failure``.
    func radio() throws -> Radio {
        switch text {
        case Self.bluez: .bluez
        case Self.kernel: .kernel
        case _ where text.hasPrefix(Self.scheme): .simulated(String(text.dropFirst(Self.scheme.count)))
        default: throw Failure.usage("--radio names no radio", hint: Self.hint)
        }
    }
}
