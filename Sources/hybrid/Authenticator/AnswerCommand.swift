import ArgumentParser
import AuthenticatorAgent
import HybridProtocol
import HybridTransport
import UserVerification

/// Answers one QR code and serves its session.
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answer a QR code, serve one session, and end.",
        discussion: """
            example:
              hybrid authenticator answer -
              hybrid authenticator answer --screen --verify fprintd

            Before anything is signed you are asked, with the site and the account, and verified by the best method \
            that is set up, or as --verify says; without one, nothing is sent unless you give --presence-only. \
            The passkeys are in the vault, which is opened before anything is sent, and made if it is missing. \
            With - paste the text of the QR code, FIDO:/…, and press Enter. It can be the argument too, which other \
            users of this machine can see for a moment. A code from a link, the screen or a picture has to be \
            confirmed at the terminal: a web page can put one there.
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
    @OptionGroup var keyLog: KeyLogOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !credentials.noPasskeys || passkeys.store == nil else {
            throw ValidationError("--no-passkeys opens none: leave out --store")
        }
        guard !credentials.noPasskeys || linking.link != .yes else {
            throw ValidationError("links are opened with the passkeys: leave out --no-passkeys or --link yes")
        }
        try verification.validate(for: passkeys)
        guard !input.readsStandardInput || passkeys.vault.passphraseFile != PassphraseInput.standardInputName else {
            throw ValidationError("standard input cannot be both the QR code and the passphrase")
        }
        if let source = input.unconfirmedSource, verification.yes {
            throw ValidationError("\(source.text) must not be answered without asking: leave out --yes")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        let keyLog = try keyLog.open(for: passkeys, reporter)
        // A code that somebody else can have put there is confirmed before anything is opened.
        let confirmed = input.unconfirmedSource == nil ? nil : try await code(reporter)
        let observe = AgentReporter(reporter).observer
        let log = SessionLog(observe: observe)
        let typed = TypedPassphrase()
        let ceremony = try ceremony(keyLog, observe)
        let approval = try await VerificationSetup(
            option: verification, passkeys: passkeys, opensPasskeys: !credentials.noPasskeys,
            timeout: time.limits.question, typed: typed, reporter: reporter, observe: observe
        ) { log.note($0) }.approval()
        let answerer = CodeAnswerer(
            ceremony: ceremony, limits: time.limits, approval: approval, credentials: handler(approval, log, observe),
            offerer: try offerer(keyLog, log, observe), log: log, observe: observe)
        let url = if let confirmed { confirmed } else { try await code(reporter) }
        if credentials.noPasskeys {
            try await answerer.answer(Invitation(scanned: url) { observe(.ceremony($0)) }, with: nil)
        } else {
            // Opened before the tunnel: the client does not wait while a passphrase is typed; and after the code was
            // read, so that nobody types one for a code that cannot be answered. Without a place for links there are
            // none.
            let links = try? linking.place.file()
            try await passkeys.withStore(sealing: links, noting: typed, reporter) { store in
                try await answerer.answer(Invitation(scanned: url) { observe(.ceremony($0)) }, with: store)
            }
        }
        reporter.report(try log.answers())
    }

    private func ceremony(
        _ keyLog: KeyLogFile?, _ observe: @escaping AgentObserver
    ) throws -> AuthenticatorCeremony {
        AuthenticatorCeremony(
            advertiser: try radio.advertiser(), opener: try domain.tunnel.opener(keyLog: keyLog),
            nearby: try channel.nearby(with: radio, for: channel.accepted), channel: channel.accepted,
            domain: domain.tunnelDomain, service: domain.tunnel.tunnel, limits: time.limits
        ) { observe(.ceremony($0)) }.loggingKeys(to: keyLog?.trafficKeys)
    }

    private func handler(
        _ approval: any UserApproval, _ log: SessionLog, _ observe: @escaping AgentObserver
    ) -> CredentialHandler? {
        credentials.credentialHandler.map { program in
            CredentialHandler(
                program: program, approval: approval, timeLimit: time.limits.command, log: log, observe: observe)
        }
    }

    /// Makes the link with the client; nil if the client is not to be linked, or the user cannot be asked.
    private func offerer(
        _ keyLog: KeyLogFile?, _ log: SessionLog, _ observe: @escaping AgentObserver
    ) throws -> LinkOfferer? {
        let isAsked = linking.link == .ask
        guard !credentials.noPasskeys, linking.link != .no,
            !isAsked || !verification.yes && StandardStreams.hasControllingTerminal
        else { return nil }
        let names = LinkOfferer.Names(device: linking.ownName) { [linkName = linking.linkName] site in
            linkName ?? site.map { "a client used for \($0)" } ?? "a client"
        }
        return LinkOfferer(
            file: try linking.place.file(), service: try domain.service(),
            opener: try domain.tunnel.opener(keyLog: keyLog), names: names, log: log, observe: observe,
            ask: isAsked ? { @Sendable in try LinkQuestion.ask() } : nil)
    }

    private func code(_ reporter: Reporter) async throws -> String {
        try await input.code(timeout: time.limits.discovery, reporter)
    }
}
