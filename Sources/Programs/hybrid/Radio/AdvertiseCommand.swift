import ArgumentParser
import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Sends an advert that the user has made.
struct AdvertiseCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [RadioOption.self]
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        summary: "Send service data under FFF9 for a time, or until a signal.",
        details: """
            example:
              hybrid radio advertise --seconds 10 \\
                90b77a82f828114662dc2cf9c7d5a379ccfeb0b2
            """)

    @Argument(
        help: .saying("The service data, hexadecimal: 20 bytes, and a suffix if there is one."), transform: Self.bytes)
    var data: [UInt8]

    @OptionGroup var radio: RadioOption
    @OptionGroup var duration: DurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            try await radio.advertiser().advertise(data) {
                reporter.write(
                    Line("on-air", ["service_data": Hexadecimal.encode(data)]),
                    orSay: "\(data.count) bytes are on the air")
                try await duration.pass()
            }
        }
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        guard let bytes = Hexadecimal.decode(text), !bytes.isEmpty else {
            throw ValidationError.saying("give bytes of two hexadecimal digits each")
        }
        return bytes
    }
}
