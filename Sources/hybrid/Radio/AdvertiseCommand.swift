import ArgumentParser
import Edges

/// Sends an advert that the user has made.
struct AdvertiseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Send service data of FFF9 until the time is over or a signal comes.",
        discussion: """
            example:
              hybrid radio advertise 90b77a82f828114662dc2cf9c7d5a379ccfeb0b2 --seconds 10
            """)

    @Argument(help: "The service data, hexadecimal: 20 bytes, and a suffix if there is one.", transform: Self.bytes)
    var data: [UInt8]

    @OptionGroup var radio: RadioOption
    @OptionGroup var duration: DurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            try await radio.advertiser().advertise(data) {
                reporter.write(OnAirLine(serviceData: hexadecimal(data)), orSay: "\(data.count) bytes are on the air")
                try await duration.pass()
            }
        }
    }

    private static func bytes(_ text: String) throws -> [UInt8] {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == text.utf8.count, !digits.isEmpty, digits.count.isMultiple(of: 2) else {
            throw ValidationError("give bytes of two hexadecimal digits each")
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// Says that an advert is on the air.
private struct OnAirLine: Encodable {
    let event = "on-air"
    let serviceData: String
}
