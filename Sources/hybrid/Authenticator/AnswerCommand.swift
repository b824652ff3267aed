import ArgumentParser
import Edges
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import Vault

/// Answers one QR code and serves its session.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a QR code, serve one session, and end.",
        discussion: """
            example:
              hybrid authenticator answer FIDO:/5506905332…
              zbarcam --raw --oneshot | hybrid authenticator answer -

            Before anything is signed you are asked at the terminal, with the site and the account. The \
            passkeys are in the vault, which is opened before anything else happens, and made if it is missing. On a machine \
            with other users, prefer -: arguments can be seen by all of them.
            """)

    @Argument(help: "The text of the QR code, FIDO:/…; - reads it from standard input.")
    var url: String

    @OptionGroup var vault: VaultOptions

    @Flag(help: "If there is no vault yet: let the desktop's keyring keep the key of the new one.")
    var keyring = false

    @Option(
        help: ArgumentHelp(
            "Keep passkeys in this file rather than in the vault: unencrypted, for tests and labs only.",
            valueName: "file"))
    var store: String?

    @Flag(help: "Keep passkeys in memory rather than in the vault: they are gone when the command ends.")
    var ephemeral = false

    @Flag(help: "Approve everything and claim that the user was verified, without asking anybody.")
    var yes = false

    @Option(
        help: ArgumentHelp(
            "The tunnel domain that the advert names: 0, 1, or 256 and above. (default: 0)", valueName: "number"),
        transform: Self.domain(parsing:))
    var tunnelDomain: TunnelDomain = .google

    @OptionGroup var radio: RadioOption
    @OptionGroup var channel: ChannelOption
    @OptionGroup var tunnel: TunnelOptions
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard store == nil || !ephemeral else { throw ValidationError("give --store or --ephemeral, not both") }
        guard url != PassphraseInput.standardInputName || vault.passphraseFile != PassphraseInput.standardInputName
        else {
            throw ValidationError("standard input cannot be both the QR code and the passphrase")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        let advertiser = try radio.advertiser()
        let opener = try tunnel.opener()
        let verification = try verification(reporter)
        let url = try url == PassphraseInput.standardInputName ? Self.standardInput() : url
        // Before the tunnel: who mistypes the passphrase has kept nobody waiting.
        let store = try await credentialStore(reporter)
        let log: CommandLog
        do {
            log = try await serve(url, advertiser, opener, verification, store, reporter)
        } catch {
            await (store as? Vault)?.close()
            throw error
        }
        await (store as? Vault)?.close()
        try log.report()
    }

    private func serve(
        _ url: String, _ advertiser: any Advertiser, _ opener: any TunnelOpener,
        _ verification: any UserVerification, _ store: any CredentialStore, _ reporter: Reporter
    ) async throws -> CommandLog {
        let nearby = try channel.nearby(with: radio)
        let progress = CeremonyReporter(reporter, .authenticator)
        let log = CommandLog(reporter, progress)
        let authenticator = PasskeyAuthenticator(
            store: store, userVerification: verification, observer: { log.note($0) })
        try await progress.during { observer in
            let ceremony = AuthenticatorCeremony(
                advertiser: advertiser, opener: opener, nearby: nearby, channel: channel.channel,
                domain: tunnelDomain, service: tunnel.tunnel, limits: time.limits, observe: observer)
            _ = try await ceremony.run(url: url, getInfo: authenticator.getInfo()) { request in
                await authenticator.respond(to: request)
            }
        }
        return log
    }

    private func credentialStore(_ reporter: Reporter) async throws -> any CredentialStore {
        if ephemeral {
            reporter.warn("ephemeral", "with --ephemeral, passkeys are gone when this ends", role: .authenticator)
            return InMemoryCredentialStore()
        }
        guard let store else { return try await vault.openOrCreate(usesKeyring: keyring, reporter) }
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
