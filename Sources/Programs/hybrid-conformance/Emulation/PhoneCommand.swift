import ArgumentParser
import CommandLine
import Conformance
import HybridProtocol
import HybridTransport
import LinuxSupport

/// Emulates a phone.
struct PhoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "phone",
        summary: "Emulate a phone with its known quirks: it answers QR codes.",
        details: """
            example:
              hybrid-conformance phone --like android-16 \\
                --radio udp:127.0.0.1:9000 --tunnel ws://127.0.0.1:8080

            A persona collects what is known of one kind of device, each quirk with its source; a particular device \
            may differ. Passkeys last as long as the command. Without codes as arguments, it reads them from standard \
            input, one per line. It approves everything: for labs only.
            """)

    @OptionGroup(title: OptionTitle.code) var own: PhoneOptions
    @OptionGroup(title: OptionTitle.peer) var emulation: EmulationOptions
    @OptionGroup(title: OptionTitle.reach) var tunnel: EmulatedTunnelOptions
    @OptionGroup(title: OptionTitle.radio) var radio: RadioOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    private static let longestCode = 65_536

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) {
            guard !emulation.list else { return emulation.list(.authenticator, reporter) }
            let quirks: Set<PhoneQuirk> = try emulation.quirks(.authenticator)
            let phone = EmulatedPhone(
                quirks, radio: try phoneRadio(EmulatedPhone.service(quirks)), service: try tunnel.settings(),
                declines: own.decline, leastAdverts: own.adverts,
                observe: reporter.listener())
            for code in own.codes { try await phone.answer(code) }
            guard own.codes.isEmpty else { return }
            while true {
                let code = try StandardStreams.readLine(limit: Self.longestCode)
                guard !code.isEmpty else { return }
                do { try await phone.answer(code) } catch let error as EmulationError {
                    reporter.report(error.failure)
                }
            }
        }
    }

    private func phoneRadio(_ service: ServiceUUID) throws -> EmulatedPhone.Radio {
        guard let address = try radio.simulatedAddress() else { return .real(try radio.advertiser(under: service)) }
        return .simulated(address)
    }
}

/// The codes that a phone answers, and how.
struct PhoneOptions: ParsableArguments {
    @Argument(help: .saying("The texts of QR codes, FIDO:/… each.", valueName: "code"))
    var codes: [String] = []

    @Flag(help: .saying("Decline every request, like a user who says no."))
    var decline = false

    @Option(
        help: .saying(
            "Send at least this many adverts on the simulated radio before answering a client, so that the client can "
                + "measure their interval.", valueName: "count"))
    var adverts = 1

    func validate() throws {
        guard 1...1_000 ~= adverts else { throw ValidationError.saying("give --adverts 1 to 1000") }
    }
}

extension EmulatedPhone.Event: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .opened: .line(Line("opened"), "opened a tunnel")
        case .advertised(let service, let suffix):
            .line(
                Line("advertised", ["service": Self.name(service), "suffix_bytes": suffix]),
                suffix > 0
                    ? "advertises under \(Self.name(service)), with a suffix of \(suffix) bytes"
                    : "advertises under \(Self.name(service))")
        case .silent: .line(Line("silent"), "advertises no more")
        case .connected(let isNearby):
            .line(
                Line("connected", ["channel": isNearby ? "l2cap" : "websocket"]),
                isNearby ? "a client came on L2CAP" : "a client came through the tunnel")
        case .linkOffered: .line(Line("link-offered"), "offers a link, which wakes nobody")
        case .answered(let command, let status):
            .line(
                Line("answered", ["command": Int(command), "status": status.map(Int.init)]),
                status.map { "command \(command): answered with status \($0)" } ?? "command \(command): no answer")
        case .ended(let why): .line(Line("ended", ["reason": why]), "the session ended: \(why)")
        }
    }

    private static func name(_ service: UInt16) -> String { String(service, radix: 16, uppercase: true) }
}
