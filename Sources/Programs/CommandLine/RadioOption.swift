package import ArgumentParser
package import BluetoothLE
package import HybridProtocol
import HybridTransport
import LinuxSupport

/// The radio that carries the adverts, and the Bluetooth adapter.
package struct RadioOption: ParsableArguments {
    @Option(help: Self.radioHelp, transform: RadioChoice.init(parsing:))
    package var radio = RadioChoice.bluez

    @Option(help: .saying("The Bluetooth adapter. (default: the first that is ready)", valueName: "hci0"))
    package var adapter: String?

    @Flag(help: .saying("Power the Bluetooth adapter on if it is off. It stays on."))
    package var powerOn = false

    @Option(help: Self.busHelp)
    package var bluetoothBus: String?

    package init() {}

    package static let radioHelp = ArgumentHelp.saying(
        """
        bluez; kernel, for Bluetooth without bluetoothd (as root); or udp:HOST:PORT, a simulated radio on loopback. An \
        advertiser takes a comma-separated list; conformance also takes udp: alone. (default: bluez)
        """, valueName: "radio")

    /// Bluetoothd's bus has no say in who verifies the user.
    package static let busHelp = ArgumentHelp.saying(
        "The address of bluetoothd's bus: unix:… or tcp:…, for example on another machine. (default: the system bus)",
        valueName: "address")

    /// The radio.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    package func backend() throws -> RadioBackend {
        switch radio {
        case .bluez: .bluez(try selection())
        case .kernel: .kernel(try selection())
        case .simulated(let list): .simulated(try addresses(list))
        }
    }

    /// The radio of a client.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    package func clientBackend() throws -> RadioBackend {
        let backend = try backend()
        if case .simulated(let addresses) = backend, addresses.count != 1 {
            throw Failure.usage("a client listens at one address", hint: Hint.radio)
        }
        return backend
    }

    /// The receiver of a client.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    package func scanner() throws -> any AdvertScanner { try clientBackend().scanner() }

    /// The sender of an authenticator, or of a phone of another UUID.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    package func advertiser(under service: ServiceUUID = .fido) throws -> any Advertiser {
        try backend().advertiser(under: service)
    }

    /// The addresses of the simulated radio.
    ///
    /// - Throws: ``Failure``, ``RadioError``.
    private func addresses(_ list: String) throws -> [SimulatedRadioAddress] {
        guard adapter == nil, !powerOn, bluetoothBus == nil else {
            throw Failure.usage(
                "--adapter, --power-on and --bluetooth-bus apply to Bluetooth only",
                hint: "leave out --radio, or these options")
        }
        return try SimulatedRadioAddress.list(parsing: list)
    }

    /// Refuses an address or a name that there cannot be.
    ///
    /// - Throws: `Failure`, `RadioError`.
    package func check() throws { _ = try backend() }

    /// - Throws: ``RadioError`` for a name that no adapter can have, or an address that no bus can have.
    private func selection() throws -> AdapterSelection {
        try AdapterSelection(adapter: adapter, powersOn: powerOn, bus: Self.bus(bluetoothBus))
    }

    /// The address of bluetoothd's bus; nil for the system bus.
    package static func bus(_ option: String?) -> String? { option ?? ProcessEnvironment.value("HYBRID_BLUETOOTH_BUS") }
}

extension RadioOption {
    /// True if the radio is the simulated one.
    package var isSimulated: Bool {
        if case .simulated = radio { true } else { false }
    }

    /// The one address of the simulated radio; nil for a real one.
    ///
    /// - Throws: ``Failure`` for several, ``RadioError``.
    package func simulatedAddress() throws -> SimulatedRadioAddress? {
        guard case .simulated(let addresses) = try clientBackend() else { return nil }
        return addresses.first
    }
}

/// A kind of radio.
package enum RadioChoice: Equatable, Sendable {
    case bluez, kernel
    /// With a list of addresses, which is not read yet.
    case simulated(String)

    private static let scheme = "udp:"

    /// Reads `bluez`, `kernel`, or `udp:` and a list of addresses.
    ///
    /// - Throws: `ValidationError`.
    package init(parsing text: String) throws {
        switch text {
        case "bluez": self = .bluez
        case "kernel": self = .kernel
        case _ where text.hasPrefix(Self.scheme): self = .simulated(String(text.dropFirst(Self.scheme.count)))
        default: throw ValidationError.saying("give bluez, kernel, or udp:127.0.0.1:PORT for the simulated radio")
        }
    }
}
