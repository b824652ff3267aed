import ArgumentParser
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator

/// Answers one QR code and serves its session.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a QR code, serve one session, and end.",
        discussion: """
            example:
              hybrid authenticator answer FIDO:/5506905332… --store passkeys.cbor \\
                --radio udp:127.0.0.1:9999
              zbarcam --raw --oneshot | hybrid authenticator answer -

            Before anything is signed you are asked at the terminal, with the site and the account. The store is not \
            encrypted: it is for tests and labs. Without --store, passkeys are gone when the command ends. On a machine with \
            other users, prefer -: arguments can be seen by all of them.
            """)

    @Argument(help: "The text of the QR code, FIDO:/…; - reads it from standard input.")
    var url: String

    @Option(help: ArgumentHelp("The file of passkeys, made if it is missing; unencrypted.", valueName: "file"))
    var store: String?

    @Flag(help: "Approve everything and claim that the user was verified, without asking anybody.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "The tunnel domain that the advert names: 0, 1, or 256 and above. (default: 0)", valueName: "number"),
        transform: Self.domain(parsing:))
    var tunnelDomain: TunnelDomain = .google

    @OptionGroup var radio: RadioOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        let advertiser = try radio.advertiser()
        let opener = try tunnel.opener()
        let verification = try verification(reporter)
        let store = try credentialStore(reporter)
        let url = try url == "-" ? Self.standardInput() : url
        let progress = CeremonyReporter(reporter, .authenticator)
        let log = CommandLog(reporter, progress)
        let authenticator = PasskeyAuthenticator(
            store: store, userVerification: verification, observer: { log.note($0) })
        try await progress.during { observer in
            let ceremony = AuthenticatorCeremony(
                advertiser: advertiser, opener: opener, domain: tunnelDomain, service: tunnel.tunnel,
                limits: time.limits, observe: observer)
            _ = try await ceremony.run(url: url, getInfo: authenticator.getInfo()) { request in
                await authenticator.respond(to: request)
            }
        }
        try log.report()
    }

    private func credentialStore(_ reporter: Reporter) throws -> any CredentialStore {
        guard let store else {
            reporter.warn("no-store", "without --store, passkeys are gone when this ends", role: .authenticator)
            return InMemoryCredentialStore()
        }
        reporter.warn("unencrypted-store", "\(store) is not encrypted: for tests and labs only", role: .authenticator)
        return try FileCredentialStore(path: store)
    }

    private func verification(_ reporter: Reporter) throws -> any UserVerification {
        guard yes else {
            guard StandardStreams.hasControllingTerminal else {
                throw Failure.usage("there is no terminal to ask you at", hint: "run this in a terminal, or give --yes")
            }
            return TerminalUserVerification(countsAsVerification: true, timeout: time.limits.command)
        }
        reporter.warn("asks-nobody", "--yes approves everything and asks nobody", role: .authenticator)
        return AskingNobody(claimsVerification: true)
    }

    private static func domain(parsing text: String) throws -> TunnelDomain {
        // UInt16's own parser takes a leading plus sign.
        guard text.first != "+", let number = UInt16(text), let domain = try? TunnelDomain(number) else {
            throw ValidationError("give 0, 1, or 256 to 65535")
        }
        return domain
    }

    /// More than any QR code has: what is cut off here would be refused in any case.
    private static let longestCode = Invitation.urlPrefix.utf8.count + QRDigits.maximumDigitCount + 1_024

    private static func standardInput() throws -> String {
        let line: String
        do {
            line = try StandardStreams.readLine(limit: longestCode).trimmingWhitespace()
        } catch let error as SystemError {
            throw Failure(
                .file, code: "input-output", cause: "standard input cannot be read: \(error)", hint: Hint.standardInput)
        }
        guard !line.isEmpty else {
            throw Failure.usage("there is no QR code on standard input", hint: Hint.standardInput)
        }
        return line
    }
}
