import ArgumentParser
import CommandLine
import Conformance
import HybridTransport
import LinuxSupport

/// Emulates a tunnel service.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        summary: "Emulate a tunnel service with its known quirks.",
        details: """
            example:
              hybrid-conformance relay --like webauthn-rs --port 8080

            It serves on 127.0.0.1 without TLS until it is interrupted, wakes no authenticators, and has no protection \
            against hostile peers: for labs only. For real use there is `hybrid tunnel-service`.
            """)

    @OptionGroup(title: OptionTitle.service) var own: RelayOptions
    @OptionGroup(title: OptionTitle.peer) var emulation: EmulationOptions
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            guard !emulation.list else { return emulation.list(.tunnelService, reporter) }
            try await EmulatedService(try emulation.quirks(.tunnelService)).run(port: Int(own.port)) { port in
                reporter.write(
                    Line("listening", ["url": "ws://127.0.0.1:\(port)"]),
                    orPrint: "listening on ws://127.0.0.1:\(port)")
            }
        }
    }
}

/// The place of an emulated tunnel service.
struct RelayOptions: ParsableArguments {
    @Option(help: .saying("The port. With 0 the system chooses one, which is printed.", valueName: "number"))
    var port: UInt16 = 0
}
