import ArgumentParser
import BluetoothLE
import CeremonyOptions
import CommandLine
import Encodings
import HybridProtocol
import HybridTransport

/// Shows every hybrid advert that is heard.
struct ScanCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [RadioOption.self]
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show every advert of FFF9 and FDE2 that is heard, a line each.",
        discussion: """
            example:
              hybrid radio scan --seconds 30
              hybrid radio scan --qr - --seconds 30

            With --qr, --secret or --secret-file, the adverts of that session are opened. An advert is shown once for \
            each sender, or with --repeated whenever it is heard: to see how the signal's strength changes. On a \
            machine with other users, prefer - or --secret-file: arguments can be seen by all of them.
            """)

    @OptionGroup var session: SessionOption

    @Option(help: ArgumentHelp("End after this many adverts.", valueName: "number"))
    var count: UInt32?

    @Flag(help: "Show an advert each time that it is heard.")
    var repeated = false

    @OptionGroup var radio: RadioOption
    @OptionGroup var duration: DurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            // A QR code that is none is better known before the scan.
            let secret = try session.chosen()
            _ = try secret.map(AdvertOpener.init)
            try await radio.scanner().scan { adverts in
                reporter.write(ScanningLine(), orSay: "scanning")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await show(adverts, try secret.map(AdvertOpener.init), reporter) }
                    group.addTask { try await duration.pass() }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }

    /// The number of adverts that are remembered as shown; when there are more, all are forgotten.
    private static let memory = 4_096

    private func show(_ adverts: ReceivedAdverts, _ opener: AdvertOpener?, _ reporter: Reporter) async throws {
        var shown: Set<ReceivedAdvert> = []
        var left = count ?? .max
        for try await advert in adverts {
            if shown.count >= Self.memory { shown = [] }
            guard repeated || shown.insert(advert).inserted else { continue }
            let line = AdvertLine(advert, opened: opener?.open(advert))
            if reporter.isJSON { reporter.writeJSON(line) } else { reporter.print(line.text) }
            left -= 1
            guard left > 0 else { return }
        }
        try Task.checkCancellation()
    }
}

/// Says that the scan has begun.
private struct ScanningLine: Encodable {
    let event = "scanning"
}

/// One advert that was heard.
private struct AdvertLine: Encodable {
    let event = "advert"
    let service: String
    let serviceData: String
    let sender: String
    /// Strength of the received signal in dBm; absent if the radio does not tell.
    let rssi: Int?
    /// The plaintext of the advert, if it is of the session.
    let routingId: String?
    let tunnelDomain: UInt16?

    init(_ advert: ReceivedAdvert, opened: AdvertPlaintext?) {
        service = advert.service == .fido ? "fff9" : "fde2"
        serviceData = Hexadecimal.encode(advert.serviceData)
        sender = advert.sender
        rssi = advert.rssi
        routingId = opened?.routingID.hex
        tunnelDomain = opened?.domain.number
    }

    var text: String {
        let line = "\(service)  \(sender)  " + (rssi.map { "\($0) dBm  " } ?? "") + serviceData
        guard let routingId, let tunnelDomain else { return line }
        return line + "  routing ID \(routingId), tunnel domain \(tunnelDomain)"
    }
}
