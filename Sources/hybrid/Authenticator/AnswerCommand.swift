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

    @OptionGroup var passkeys: PasskeyStoreOptions

    @OptionGroup var credentials: CredentialOptions

    @OptionGroup var verification: VerificationOption

    @OptionGroup var linking: AuthenticatorLinkOptions

    @OptionGroup var radio: RadioOption
    @OptionGroup var channel: ChannelOption
    @OptionGroup var domain: TunnelDomainOption
    @OptionGroup var time: TimeLimitOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !credentials.noPasskeys || passkeys.isVault else {
            throw ValidationError("--no-passkeys opens none: leave out --store and --ephemeral")
        }
        guard !input.readsStandardInput || passkeys.vault.passphraseFile != PassphraseInput.standardInputName else {
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
        let opener = try domain.tunnel.opener()
        let log = CommandLog(reporter)
        let isVault = passkeys.isVault && !credentials.noPasskeys
        let verification = try verification.verification(
            vault: isVault ? try passkeys.vault.path() : nil, timeout: time.limits.command, reporter
        ) { log.note($0) }
        let offerer = try offerer(opener, log, reporter)
        let url = if let link { link } else { try code(reporter) }
        // Before the tunnel: who mistypes the passphrase has kept nobody waiting.
        if credentials.noPasskeys {
            try await serve(url, advertiser, opener, verification, InMemoryCredentialStore(), offerer, log, reporter)
        } else {
            try await passkeys.withStore(reporter) { store in
                try await serve(url, advertiser, opener, verification, store, offerer, log, reporter)
            }
        }
        try log.report()
    }

    /// Who makes a link; nil if the client is not to be linked, or nobody can be asked.
    private func offerer(_ opener: any TunnelOpener, _ log: CommandLog, _ reporter: Reporter) throws -> LinkOfferer? {
        let isAsked = linking.link == .ask
        guard linking.link != .no, !isAsked || !verification.yes && StandardStreams.hasControllingTerminal else {
            return nil
        }
        return LinkOfferer(
            file: try linking.place.file(), service: try domain.service(), opener: opener, log: log, reporter: reporter,
            ownName: linking.ownName, clientName: linking.linkName, isAsked: isAsked)
    }

    private func code(_ reporter: Reporter) throws -> String {
        try input.code(patience: time.limits.discovery, reporter)
    }

    private func serve(
        _ url: String, _ advertiser: any Advertiser, _ opener: any TunnelOpener,
        _ verification: any UserVerification, _ store: any CredentialStore, _ offerer: LinkOfferer?,
        _ log: CommandLog, _ reporter: Reporter
    ) async throws {
        let nearby = try channel.nearby(with: radio, for: channel.accepted)
        let progress = CeremonyReporter(reporter, .authenticator)
        let authenticator = PasskeyAuthenticator(
            store: store, userVerification: verification, observer: { log.note($0, progress) })
        try await progress.during { observer in
            let ceremony = AuthenticatorCeremony(
                advertiser: advertiser, opener: opener, nearby: nearby, channel: channel.accepted,
                domain: domain.tunnelDomain, service: domain.tunnel.tunnel, limits: time.limits, observe: observer)
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
            _ = try await ceremony.run(url: url, linking: offerer?.linking ?? .none, offer: offer)
        }
    }
}
