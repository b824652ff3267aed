import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport
import UserVerification

/// Waits for linked clients, for days.
struct ListenCommand: ConfigurableCommand {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, NewVaultOption.self, LinkedClientsOption.self, RadioOption.self,
        TunnelDomainOption.self, TunnelOptions.self, TimeLimitOption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "listen",
        summary: "Wait for linked clients, and answer each after asking you.",
        details: """
            example:
              hybrid authenticator listen \\
                --tunnel wss://tunnel.example.org
              hybrid authenticator listen --verify polkit \\
                --tunnel wss://tunnel.example.org

            Keeps a connection to the tunnel service, which must be a hybrid tunnel-service with --contact-secret: \
            Google's and Apple's services wake their own phones only. The service reports when a linked client asks. \
            You see who asks, and for what, before anything else happens: before the passkeys are opened, and before \
            this machine advertises that it is near. `authenticator answer` links clients. SIGTERM ends the command \
            normally.
            """)

    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.passkeys) var newVault: NewVaultOption
    @OptionGroup(title: OptionTitle.links) var place: LinkedClientsOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var domain: TunnelDomainOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions
    @OptionGroup(title: OptionTitle.labs) var lab: LabOptions
    @OptionGroup(title: OptionTitle.labs) var keyLog: KeyLogOption

    private var passkeys: PasskeyPlace { PasskeyPlace(vault: vault, newVault: newVault, lab: lab) }

    func validate() throws { try verification.validate(for: lab, vault) }

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await listen(reporter) }
    }

    private func listen(_ reporter: Reporter) async throws {
        let keyLog = try keyLog.open(for: passkeys, reporter)
        try checkService()
        let file = try place.file()
        // A vault is not open yet, so the root secret is made with the first link.
        let known: AuthenticatorLinkFile.Contents? = try passkeys.isVault ? file.contents() : file.contentsOrNew()
        guard passkeys.isVault || known?.isSealed != true else {
            throw LinkFileError(.sealed, reason: "the root secret of \(file.path) is kept by a vault")
        }
        let outcomes = OutcomeWindow(in: lab.yes ? nil : vault.place.window, reporter)
        let observe = outcomes.listener(before: reporter.listener(for: .authenticator))
        let parts = CeremonyParts(
            radio: try radio.backend(), opener: try tunnel.opener(keyLog: keyLog), service: tunnel.tunnel,
            domain: domain.tunnelDomain, limits: time.limits, keyLog: keyLog?.trafficKeys)
        if tunnel.tunnel == nil, [.google, .apple].contains(domain.tunnelDomain) {
            reporter.warn(
                "wakes-no-authenticator",
                "the service of tunnel domain \(domain.tunnelDomain.number) wakes its own phones only: give --tunnel "
                    + "with the address of a hybrid tunnel-service --contact-secret", role: .authenticator)
        }
        // The tunnel service is tried again and again; without a radio nobody could be answered.
        try await parts.check(as: .authenticator, offered: [])
        let server = try await server(file, parts, reporter, observe)
        if known?.entries.isEmpty ?? true {
            reporter.say("no client is linked yet; hybrid authenticator answer links one")
        }
        guard let contents = try await WakeListener.contents(of: file) else { return }
        let listener = try WakeListener(
            file: file, contents: contents, parts: parts, server: server, observe: observe)
        do {
            try await listener.run()
        } catch let error as DataChannelError where error.httpStatus == 404 {
            throw Failure(
                .tunnelRefused, code: error.code.rawValue,
                cause: "the tunnel service answered 404: it wakes no authenticators",
                hint: "run hybrid tunnel-service with --contact-secret and --host-name, and give it as --tunnel; "
                    + "Google's and Apple's wake their own phones only")
        } catch let error as DataChannelError {
            throw Failure(
                .tunnelRefused, code: error.code.rawValue, cause: Sentence(reason: error.description),
                hint: "check --tunnel, and that no other listener runs with this file of links")
        }
    }

    /// Refuses the services that are known to wake nobody here, before they are asked.
    private func checkService() throws(Failure) {
        let isAssigned = domain.tunnelDomain.number < TunnelDomain.assignedCount
        guard tunnel.tunnel == nil, isAssigned else { return }
        throw Failure.usage(
            "the service of tunnel domain \(domain.tunnelDomain.number) wakes its owner's phones only",
            hint: "give --tunnel wss://HOST of a hybrid tunnel-service with --contact-secret, or set HYBRID_TUNNEL")
    }

    private func server(
        _ file: AuthenticatorLinkFile, _ parts: CeremonyParts, _ reporter: Reporter,
        _ observe: @escaping EventListener
    ) async throws -> WakeServer {
        let log = SessionLog(observe: observe)
        let typed = TypedPassphrase()
        let approval = try await VerificationSetup(
            option: verification, subject: try passkeys.subject(isOpened: true),
            questions: passkeys.vault.place.questions(within: time.limits.question, reporter),
            timeout: time.limits.question, typed: typed, reporter: reporter, observe: observe
        ) { log.note($0) }.approval()
        return WakeServer(
            file: file, parts: parts, consent: consent(or: approval), approval: approval, log: log, observe: observe
        ) { [passkeys] body in
            try await passkeys.withStore(sealing: file, noting: typed, reporter) { try await body($0) }
        }
    }

    /// Asks whether a wake is answered, at the terminal if there is one; nil if nothing is asked.
    private func consent(or approval: any UserApproval) -> WakeServer.Consent? {
        guard !lab.yes else { return nil }
        let atTerminal = StandardStreams.hasControllingTerminal
        let asking: any UserApproval =
            atTerminal
            ? TerminalApproval(timeout: time.limits.command) : approval
        return WakeServer.Consent(asking: asking, details: \.details)
    }
}
