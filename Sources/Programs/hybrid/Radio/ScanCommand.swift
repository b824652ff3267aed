import ArgumentParser
import BluetoothLE
import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Shows every hybrid advert that is heard.
struct ScanCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [RadioOption.self]
    static let configuration = CommandConfiguration(
        commandName: "scan",
        summary: "Show every advert of FFF9 and FDE2 that is heard, one per line.",
        details: """
            example:
              hybrid radio scan --seconds 30
              hybrid radio scan --qr - --seconds 30

            With --qr, --secret or --secret-file, the adverts of that session are decrypted. An advert is shown once \
            per sender; with --repeated it is shown whenever it is heard, which shows how the signal's strength \
            changes. On a machine with other users, prefer - or --secret-file: all of them can see arguments.
            """)

    @OptionGroup var session: SessionOption

    @Option(help: .saying("End after this many adverts.", valueName: "number"))
    var count: UInt32?

    @Flag(help: .saying("Show an advert each time that it is heard."))
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
                reporter.write(Line("scanning"), orSay: "scanning")
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
            let opened = opener?.open(advert)
            reporter.write(advert.line(opened), orPrint: advert.text(opened))
            left -= 1
            guard left > 0 else { return }
        }
        try Task.checkCancellation()
    }
}

extension ReceivedAdvert {
    private var serviceName: String { service == .fido ? "fff9" : "fde2" }

    /// The advert as a line of `--json`.
    ///
    /// - Parameter plaintext: its plaintext, if it is of the session.
    fileprivate func line(_ plaintext: AdvertPlaintext?) -> Line {
        Line(
            "advert",
            [
                "service": serviceName, "service_data": Hexadecimal.encode(serviceData), "sender": sender,
                // The strength of the received signal in dBm; absent if the radio does not tell.
                "rssi": rssi, "routing_id": plaintext?.routingID.hex, "tunnel_domain": plaintext?.domain.number,
            ])
    }

    fileprivate func text(_ plaintext: AdvertPlaintext?) -> Sentence {
        let line = "\(serviceName)  \(sender)  " + (rssi.map { "\($0) dBm  " } ?? "") + Hexadecimal.encode(serviceData)
        guard let plaintext else { return Sentence(verbatim: line) }
        return "\(line)  routing ID \(plaintext.routingID.hex), tunnel domain \(plaintext.domain.number)"
    }
}
