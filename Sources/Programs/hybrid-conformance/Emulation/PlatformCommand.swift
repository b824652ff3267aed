import ArgumentParser
import CTAP
import CommandLine
import Conformance
import HybridTransport
import LinuxSupport

/// Emulates a client.
struct PlatformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "platform",
        summary: "Emulate a client with its known quirks: it shows a QR code, and makes a passkey.",
        details: """
            example:
              hybrid-conformance platform --like chromium-156 \\
                --radio udp:127.0.0.1:9000 --tunnel ws://127.0.0.1:8080

            It writes the text of its QR code to standard output, and exits with status 0 if the authenticator \
            made a passkey, for a site that does not exist.
            """)

    @OptionGroup(title: OptionTitle.peer) var emulation: EmulationOptions
    @OptionGroup(title: OptionTitle.reach) var tunnel: EmulatedTunnelOptions
    @OptionGroup(title: OptionTitle.radio) var radio: RadioOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            guard !emulation.list else { return emulation.list(.client, reporter) }
            let client = EmulatedClient(
                try emulation.quirks(.client), scanner: try radio.scanner(), service: try tunnel.settings())
            let outcome = try await client.ask(EmulatedClient.makeCredential()) { code in
                reporter.write(Line("code", ["text": code]), orPrint: "\(code)")
            }
            let status = CTAPStatus(rawValue: outcome.answer.first ?? CTAPStatus.other.rawValue)
            reporter.write(
                Line("answer", ["status": Int(status.rawValue), "update": outcome.hasUpdate]),
                orPrint: outcome.hasUpdate ? "answered with \(status), and an update" : "answered with \(status)")
            guard status == .ok else {
                throw EmulationError(.emulation, reason: "the authenticator answers \(status)")
            }
        }
    }
}
