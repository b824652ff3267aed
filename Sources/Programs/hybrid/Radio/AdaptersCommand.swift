import ArgumentParser
import BluetoothLE
import CommandLine
import LinuxSupport

/// Lists the Bluetooth adapters.
struct AdaptersCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [AdaptersCommand.self]
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        summary: "List the Bluetooth adapters, and whether each can be used.",
        details: """
            example:
              hybrid radio adapters
              sudo hybrid radio adapters --radio kernel

            The state is ready, powered-off, blocked-by-rfkill, no-low-energy, or no-advertising-instance (it can \
            scan, but not advertise). If there is no adapter to list, the error says what is missing.
            """)

    // A list is of all adapters, so this has not all of RadioOption.
    @Option(help: RadioOption.radioHelp, transform: RadioChoice.init(parsing:))
    var radio = RadioChoice.bluez

    @Option(help: RadioOption.busHelp)
    var bluetoothBus: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            for adapter in try await adapters() {
                reporter.write(adapter.line, orPrint: adapter.text)
            }
        }
    }

    private func adapters() async throws -> [BluetoothAdapter] {
        switch radio {
        case .bluez:
            try await BluetoothAdapter.knownToBlueZ(
                AdapterSelection(adapter: nil, bus: RadioOption.bus(bluetoothBus)))
        case .kernel: try await BluetoothAdapter.knownToKernel()
        case .simulated:
            throw Failure.usage("the simulated radio has no adapters", hint: "give --radio bluez or kernel")
        }
    }
}

extension BluetoothAdapter {
    /// The adapter as a line of `--json`. A property that cannot be asked has no value; the longest advert is in bytes,
    /// with all that is around the service data.
    fileprivate var line: Line {
        Line(
            "adapter",
            [
                "adapter": name, "address": address, "alias": alias, "state": state.rawValue,
                "is_scanning": isScanning, "active_instances": activeInstances, "free_instances": freeInstances,
                "longest_advert": longestAdvert,
            ])
    }

    fileprivate var text: Sentence {
        var parts: [Sentence] = ["\(name)", "\(address)", "\(state.rawValue)"]
        if let activeInstances, let freeInstances {
            parts.append("adverts: \(activeInstances) sent, \(freeInstances) free")
        }
        if let longestAdvert { parts.append("up to \(longestAdvert) bytes") }
        if isScanning == true { parts.append("scanning") }
        return parts.joined("  ")
    }
}
