import ArgumentParser
import BluetoothLE
import Edges
import HybridProtocol

/// Shows every hybrid advert that is heard.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Show every advert of FFF9 and FDE2 that is heard, a line each.",
        discussion: """
            example:
              hybrid radio scan --qr FIDO:/5506905332… --seconds 30

            With --qr, adverts of that QR code's session are opened. An advert is shown once for each sender.
            """)

    @Option(help: ArgumentHelp("Open the adverts of this QR code's session.", valueName: "url"))
    var qr: String?

    @Option(help: ArgumentHelp("End after this many adverts.", valueName: "number"))
    var count: UInt32?

    @OptionGroup var radio: RadioOption
    @OptionGroup var duration: DurationOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            // A QR code that is none is better known before the scan.
            if let qr { _ = try Invitation(url: qr) }
            try await radio.scanner().scan { adverts in
                reporter.write(ScanningLine(), orSay: "scanning")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await show(adverts, reporter) }
                    group.addTask { try await duration.pass() }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        }
    }

    /// How many adverts are remembered as shown; when there are more, all are forgotten.
    private static let memory = 4_096

    private func show(_ adverts: ReceivedAdverts, _ reporter: Reporter) async throws {
        var shown: Set<ReceivedAdvert> = []
        var left = count ?? .max
        for try await advert in adverts {
            if shown.count >= Self.memory { shown = [] }
            guard shown.insert(advert).inserted else { continue }
            let line = AdvertLine(advert, opened: open(advert))
            if reporter.isJSON { reporter.writeJSON(line) } else { reporter.print(line.text) }
            left -= 1
            guard left > 0 else { return }
        }
        try Task.checkCancellation()
    }

    /// The advert's plaintext; nil without a QR code, and for the adverts of others.
    private func open(_ advert: ReceivedAdvert) -> AdvertPlaintext? {
        guard let qr, var key = try? Invitation(url: qr).advertKey() else { return nil }
        return try? key.open(advert.serviceData.span).plaintext
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
    /// What the advert says, if it is of the QR code's session.
    let routingId: String?
    let tunnelDomain: UInt16?

    init(_ advert: ReceivedAdvert, opened: AdvertPlaintext?) {
        service = advert.service == .fido ? "fff9" : "fde2"
        serviceData = hexadecimal(advert.serviceData)
        sender = advert.sender
        routingId = opened?.routingID.hex
        tunnelDomain = opened?.domain.number
    }

    var text: String {
        let line = "\(service)  \(sender)  \(serviceData)"
        guard let routingId, let tunnelDomain else { return line }
        return line + "  routing ID \(routingId), tunnel domain \(tunnelDomain)"
    }
}
