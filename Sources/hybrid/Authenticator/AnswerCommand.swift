import ArgumentParser
import CTAP
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator

/// Answers one QR code and serves its session.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a QR code, serve one session, and end.",
        discussion: """
            example: hybrid authenticator answer FIDO:/5506905332… --radio udp:127.0.0.1:9999 --store passkeys.cbor

            Before anything is signed you are asked at the terminal, with the site and the account. The store is not \
            encrypted: it is for tests and labs. Without --store, passkeys are gone when the command ends.
            """)

    @Argument(help: "The text of the QR code, FIDO:/…; - reads it from standard input.")
    var url: String

    @Option(help: ArgumentHelp("The file of passkeys, made if it is missing; unencrypted.", valueName: "file"))
    var store: String?

    @Flag(help: "Approve everything and claim that the user was verified, without asking anybody.")
    var yes = false

    @Option(help: ArgumentHelp("The tunnel domain that the advert names: 0, 1, or 256 and above.", valueName: "number"))
    var tunnelDomain: UInt16 = TunnelDomain.google.number

    @OptionGroup var radio: RadioOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        let url = try url == "-" ? Self.standardInput() : url
        let ceremony = AuthenticatorCeremony(
            advertiser: try radio.advertiser(), opener: try tunnel.opener(), domain: try domain(),
            service: tunnel.service, limits: time.limits, observe: reporter.observer(.authenticator))
        let log = CommandLog(reporter)
        let authenticator = PasskeyAuthenticator(
            store: try credentialStore(reporter), userVerification: verification(reporter),
            observer: { log.note($0) })
        _ = try await ceremony.run(url: url, getInfo: authenticator.getInfo()) { request in
            await authenticator.respond(to: request)
        }
        try log.report()
    }

    private func domain() throws -> TunnelDomain {
        do {
            return try TunnelDomain(tunnelDomain)
        } catch {
            throw Failure(
                .usage, code: error.code.rawValue, cause: error.reason,
                hint: "--tunnel-domain takes 0, 1, or 256 to 65535")
        }
    }

    private func credentialStore(_ reporter: Reporter) throws -> any CredentialStore {
        guard let store else {
            reporter.say("warning: without --store, passkeys are gone when this ends")
            return InMemoryCredentialStore()
        }
        reporter.say("warning: \(store) is not encrypted: for tests and labs only")
        do {
            return try FileCredentialStore(path: store)
        } catch {
            throw Failure(.file, code: error.code.rawValue, cause: error.reason)
        }
    }

    private func verification(_ reporter: Reporter) -> any UserVerification {
        guard yes else { return TerminalUserVerification(countsAsVerification: true, timeout: time.limits.command) }
        reporter.say("warning: --yes approves everything and asks nobody")
        return AskingNobody(claimsVerification: true)
    }

    private static func standardInput() throws -> String {
        guard let line = readLine() else {
            throw Failure(.usage, code: "usage", cause: "no QR code on standard input")
        }
        return line.trimmingWhitespace()
    }
}
