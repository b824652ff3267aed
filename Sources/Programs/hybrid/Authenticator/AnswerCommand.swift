import ArgumentParser
import CommandLine
import DesktopAuthenticator
import Glibc
import HybridProtocol
import HybridTransport
import KeyPassthrough
import LinuxSupport
import SystemPackage
import UserVerification

/// Answers one QR code and serves its session.
struct AnswerCommand: ConfigurableCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, NewVaultOption.self, AuthenticatorLinkOptions.self,
        LinkedClientsOption.self, RadioOption.self, ChannelOption.self, TunnelDomainOption.self, TunnelOptions.self,
        TimeLimitOption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "answer",
        summary: "Answer a QR code, serve one session, and end.",
        details: """
            example:
              hybrid authenticator answer -
              hybrid authenticator answer --screen --verify fprintd
              hybrid authenticator answer --screen --security-key

            Before anything is signed, the command shows the site and the account, asks for your approval, and \
            verifies you by the best method that is set up, or as --verify says. Without a method, nothing is sent \
            unless you give --presence-only. The passkeys are in the vault, which is opened before anything is sent, \
            and created if it is missing. With - you are asked for the text of the QR code, FIDO:/…: paste it and \
            press Enter. The text can also be the argument, which other users of this machine can see for a moment. \
            You must confirm a code from a link, the screen or a picture at the terminal, because a web page can put \
            one there. With --security-key, a security key that is plugged in here answers instead of the vault.
            """)

    @OptionGroup(title: OptionTitle.code) var input: CodeInput
    @OptionGroup(title: OptionTitle.code) var age: CodeAgeOption
    @OptionGroup(title: OptionTitle.code) var credentials: CredentialOptions
    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.passkeys) var newVault: NewVaultOption
    @OptionGroup(title: OptionTitle.passkeys) var key: SecurityKeyOption
    @OptionGroup(title: OptionTitle.links) var linking: AuthenticatorLinkOptions
    @OptionGroup(title: OptionTitle.links) var place: LinkedClientsOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var domain: TunnelDomainOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var lab: LabOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    private var passkeys: PasskeyPlace { PasskeyPlace(vault: vault, newVault: newVault, lab: lab) }

    func validate() throws {
        guard !credentials.noPasskeys || lab.store == nil else {
            throw ValidationError.saying("--no-passkeys opens none: leave out --store")
        }
        guard !credentials.noPasskeys || key.securityKey == nil else {
            throw ValidationError.saying("--no-passkeys offers none: leave out --security-key")
        }
        guard !credentials.noPasskeys || linking.link != .yes else {
            throw ValidationError.saying("links are opened with the passkeys: leave out --no-passkeys or --link yes")
        }
        try key.validate(with: vault, newVault, verification, linking, lab, keyLog)
        try verification.validate(for: lab, vault)
        guard !input.readsStandardInput || vault.passphraseFile != PassphraseInput.standardInputName else {
            throw ValidationError.saying("standard input cannot be both the QR code and the passphrase")
        }
        if let source = input.unconfirmedSource, lab.yes {
            throw ValidationError.saying("\(source.text) must not be answered without asking: leave out --yes")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        let outcome = OutcomeWindow(in: lab.yes ? nil : vault.place.window, reporter)
        try await runCommand(reporter, telling: outcome.show) { try await answer(reporter) }
    }

    private func answer(_ reporter: Reporter) async throws {
        let keyLog = try keyLog.open(for: passkeys, reporter)
        try credentials.checkHandler()
        // A code that another person can have put there is confirmed before anything is opened.
        let confirmed = input.unconfirmedSource == nil ? nil : try await code(reporter)
        let observe = reporter.listener(for: .authenticator)
        let log = SessionLog(observe: observe)
        let typed = TypedPassphrase()
        let parts = try authenticatorParts(domain, keyLog: keyLog)
        // Nothing is typed for a ceremony that cannot be.
        if confirmed == nil, input.isTyped { try await parts.check(as: .authenticator) }
        let passthrough = try await passthroughKey(log, reporter)
        let asking = try await asking(typed, log, observe, reporter)
        let answerer = CodeAnswerer(
            parts: parts, approval: asking.approval, credentials: handler(asking.approval, log, observe),
            offerer: try offerer(parts, log, observe, reporter), log: log, observe: observe)
        let url = if let confirmed { confirmed } else { try await code(reporter) }
        let details = try Invitation(scanned: url).details
        // Where nobody is asked for anything, the ceremony tells of the tunnel service as early.
        try await parts.check(as: .authenticator, offered: lab.yes ? [] : details.channels)
        // Not before the code: at a terminal that is asked for first.
        asking.announce(reporter)
        let missing = missingOffer(for: details.hint)
        if let missing { reporter.warn(missing.code, missing.cause, role: .authenticator) }
        if let passthrough {
            try await answerer.answer(Invitation(scanned: url, observe: observe), passingThrough: passthrough)
        } else if credentials.noPasskeys {
            try await answerer.answer(Invitation(scanned: url, observe: observe), with: nil)
        } else {
            // Opened before the tunnel: the client does not wait while a passphrase is typed; and after the code was
            // read, so that nobody types one for a code that cannot be answered. Without a place for links there are
            // none.
            let links = try? place.file()
            try await passkeys.withStore(sealing: links, noting: typed, reporter) { store in
                try await answerer.answer(Invitation(scanned: url, observe: observe), with: store)
            }
        }
        let answers = try log.answers()
        if let missing, answers.isEmpty { throw missing }
        reporter.report(AgentEvent.answered(answers))
    }

    /// The key that is plugged in here and passed through, if any.
    private func passthroughKey(_ log: SessionLog, _ reporter: Reporter) async throws -> PassthroughKey? {
        guard let place = key.securityKey else { return nil }
        return try await PassthroughKeySetup(
            place: place, asking: vault.place, questions: vault.place.questions(within: time.limits.question, reporter),
            timeout: time.limits.question, log: log, reporter: reporter
        ).key()
    }

    private func asking(
        _ typed: TypedPassphrase, _ log: SessionLog, _ observe: @escaping EventListener, _ reporter: Reporter
    ) async throws -> VerificationSetup.Choice {
        let questions = vault.place.questions(within: time.limits.question, reporter)
        // The key verifies its user itself.
        guard key.securityKey == nil else { return .init(approval: try questions.approval()) }
        return try await VerificationSetup(
            option: verification, subject: try passkeys.subject(isOpened: !credentials.noPasskeys),
            questions: questions, timeout: time.limits.question, typed: typed, reporter: reporter, observe: observe
        ) { log.note($0) }.choice()
    }

    /// The failure of a session whose client wants a kind of credential that is not offered; nil if it is. The QR code
    /// only announces it.
    private func missingOffer(for hint: RequestHint?) -> Failure? {
        switch hint {
        case .digitalCredentialPresentation, .digitalCredentialIssuance:
            guard credentials.credentialHandler == nil else { return nil }
            return Failure(
                .declined, code: "no-credential-handler",
                cause: "the client wants a digital credential, and there is no handler to provide one",
                hint: "start again on the client, and give --credential-handler PROGRAM")
        case .getAssertion, .makeCredential:
            guard credentials.noPasskeys else { return nil }
            return Failure(
                .declined, code: "no-passkeys", cause: "the client wants a passkey, and --no-passkeys offers none",
                hint: "start again on the client, and leave out --no-passkeys")
        case nil: return nil
        }
    }

    private func handler(
        _ approval: any UserApproval, _ log: SessionLog, _ observe: @escaping EventListener
    ) -> CredentialHandler? {
        credentials.credentialHandler.map { program in
            CredentialHandler(
                program: program, approval: approval, timeLimit: time.limits.command, log: log, observe: observe)
        }
    }

    /// Makes the link with the client; nil if the client is not to be linked, or the user cannot be asked.
    private func offerer(
        _ parts: CeremonyParts, _ log: SessionLog, _ observe: @escaping EventListener, _ reporter: Reporter
    ) throws -> LinkOfferer? {
        let isAsked = linking.link == .ask
        let place = passkeys.vault.place
        guard !credentials.noPasskeys, key.securityKey == nil, linking.link != .no,
            !isAsked || !lab.yes && (place.isDesktop || StandardStreams.hasControllingTerminal)
        else { return nil }
        let questions = place.questions(within: time.limits.question, reporter)
        return LinkOfferer(
            file: try self.place.file(), parts: parts, names: linking.names, log: log, observe: observe,
            ask: isAsked ? { @Sendable in try await questions.link() } : nil)
    }

    private func code(_ reporter: Reporter) async throws -> String {
        try await input.code(timeout: time.limits.discovery, age, confirmedAt: passkeys.vault.place, reporter)
    }
}

/// The options for digital-credential requests.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: .saying(
            """
            Also accept requests for digital credentials, and let this program answer them: after your consent it \
            reads the request as JSON from its standard input, and writes the answer to its standard output.
            """, valueName: "program"), completion: .file())
    var credentialHandler: String?

    @Flag(help: .saying("Offer digital credentials only, without opening the passkeys. Requires --credential-handler."))
    var noPasskeys = false

    /// Demands that the handler can be run, where its place is given.
    ///
    /// - Throws: ``Failure``.
    func checkHandler() throws(Failure) {
        guard let credentialHandler, credentialHandler.contains("/"), access(credentialHandler, X_OK) != 0 else {
            return
        }
        throw Failure(
            .file, code: "input-output", cause: "\(credentialHandler) cannot be run: \(Errno.last)",
            hint: "check the program given with --credential-handler")
    }

    func validate() throws {
        guard !noPasskeys || credentialHandler != nil else {
            throw ValidationError.saying("--no-passkeys leaves nothing to offer without --credential-handler")
        }
    }
}
