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
              hybrid authenticator answer --screen --verify polkit

            Before anything is signed you are asked, with the site and the account, and verified as --verify says. The \
            passkeys are in the vault, which is opened before anything else happens, and made if it is missing. On a machine \
            with other users, prefer - or a picture: arguments can be seen by all of them.
            """)

    @OptionGroup var input: CodeInput

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

    @OptionGroup var credentials: CredentialOptions

    @OptionGroup var verification: VerificationOption

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
        guard !credentials.noPasskeys || store == nil && !ephemeral else {
            throw ValidationError("--no-passkeys opens none: leave out --store and --ephemeral")
        }
        guard !input.readsStandardInput || vault.passphraseFile != PassphraseInput.standardInputName else {
            throw ValidationError("standard input cannot be both the QR code and the passphrase")
        }
        guard !input.fromLink || !verification.yes else {
            throw ValidationError("a link must not be answered without asking: leave out --yes")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        // A code that came by a link is confirmed before anything is opened.
        let link = input.fromLink ? try code(reporter) : nil
        let advertiser = try radio.advertiser()
        let opener = try tunnel.opener()
        let log = CommandLog(reporter)
        let isVault = store == nil && !ephemeral && !credentials.noPasskeys
        let verification = try verification.verification(
            vault: isVault ? try vault.path() : nil, timeout: time.limits.command, reporter
        ) { log.note($0) }
        let url = if let link { link } else { try code(reporter) }
        // Before the tunnel: who mistypes the passphrase has kept nobody waiting.
        let store = try await credentialStore(reporter)
        do {
            try await serve(url, advertiser, opener, verification, store, log, reporter)
        } catch {
            await (store as? Vault)?.close()
            throw error
        }
        await (store as? Vault)?.close()
        try log.report()
    }

    private func code(_ reporter: Reporter) throws -> String {
        try input.code(patience: time.limits.discovery, reporter)
    }

    private func serve(
        _ url: String, _ advertiser: any Advertiser, _ opener: any TunnelOpener,
        _ verification: any UserVerification, _ store: any CredentialStore, _ log: CommandLog, _ reporter: Reporter
    ) async throws {
        let nearby = try channel.nearby(with: radio, for: channel.accepted)
        let progress = CeremonyReporter(reporter, .authenticator)
        let authenticator = PasskeyAuthenticator(
            store: store, userVerification: verification, observer: { log.note($0, progress) })
        try await progress.during { observer in
            let ceremony = AuthenticatorCeremony(
                advertiser: advertiser, opener: opener, nearby: nearby, channel: channel.accepted,
                domain: tunnelDomain, service: tunnel.tunnel, limits: time.limits, observe: observer)
            let handler = credentials.credentialHandler.map { program in
                CredentialHandler(
                    program: program, verification: verification, timeLimit: time.limits.command, log: log,
                    reporter: reporter, progress: progress)
            }
            let offer =
                if credentials.noPasskeys, let handler {
                    SessionOffer { await handler.answer($0) }
                } else {
                    SessionOffer(
                        getInfo: authenticator.getInfo(), digitalCredentials: handler?.answer
                    ) { await authenticator.respond(to: $0) }
                }
            _ = try await ceremony.run(url: url, offer: offer)
        }
    }

    private func credentialStore(_ reporter: Reporter) async throws -> any CredentialStore {
        if credentials.noPasskeys { return InMemoryCredentialStore() }
        if ephemeral {
            reporter.warn("ephemeral", "with --ephemeral, passkeys are gone when this ends", role: .authenticator)
            return InMemoryCredentialStore()
        }
        guard let store else { return try await vault.openOrCreate(usesKeyring: keyring, reporter) }
        reporter.warn("unencrypted-store", "\(store) is not encrypted: for tests and labs only", role: .authenticator)
        return try FileCredentialStore(path: store)
    }

    private static func domain(parsing text: String) throws -> TunnelDomain {
        // UInt16's own parser takes a leading plus sign.
        guard text.first != "+", let number = UInt16(text), let domain = try? TunnelDomain(number) else {
            throw ValidationError("give 0, 1, or 256 to 65535")
        }
        return domain
    }
}
