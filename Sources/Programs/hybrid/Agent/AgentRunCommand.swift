import ArgumentParser
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import Vault

/// The agent itself.
struct AgentRunCommand: ConfigurableCommand, ReachOptions {
    static let configurable: [any ParsableArguments.Type] = [
        VerificationOption.self, VaultOptions.self, AuthenticatorLinkOptions.self, LinkedClientsOption.self,
        RadioOption.self, ChannelOption.self, TunnelDomainOption.self, TunnelOptions.self, TimeLimitOption.self,
    ]
    static let configuration = CommandConfiguration(
        commandName: "run",
        summary: "Run the agent until a signal or hybrid agent stop.",
        details: """
            example:
              hybrid agent run --hold 1h --verify polkit

            A session has one agent. The options say how it answers, like those of authenticator answer and \
            authenticator listen; the commands that use the agent need none of them. It asks through the desktop's \
            windows (hybrid-window, polkit or fprintd), or at the terminal that it runs in.
            """)

    @OptionGroup(title: OptionTitle.agent) var options: AgentOptions
    @OptionGroup(title: OptionTitle.approval) var verification: VerificationOption
    @OptionGroup(title: OptionTitle.passkeys) var vault: VaultOptions
    @OptionGroup(title: OptionTitle.links) var linking: AuthenticatorLinkOptions
    @OptionGroup(title: OptionTitle.links) var place: LinkedClientsOption
    @OptionGroup(title: OptionTitle.reach) var radio: RadioOption
    @OptionGroup(title: OptionTitle.reach) var channel: ChannelOption
    @OptionGroup(title: OptionTitle.reach) var domain: TunnelDomainOption
    @OptionGroup(title: OptionTitle.reach) var tunnel: TunnelOptions
    @OptionGroup(title: OptionTitle.reach) var time: TimeLimitOption
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await serve(reporter) }
    }

    private func serve(_ reporter: Reporter) async throws {
        let path = try vault.path()
        let gate = QuestionGate()
        let questions = AgentQuestions(
            by: vault.dialogues, timeout: time.limits.question, path: path,
            passphraseFile: vault.passphraseFile, reporter: reporter)
        let ceremonies = AgentCeremonies(options: self, questions: questions, gate: gate, reporter: reporter)
        let listening: AgentWork.Listening = { try await listen(ceremonies, $0, $1, reporter) }
        let work = AgentWork(
            passphrase: { try await questions.passphraseToOpen($0) },
            answer: { try await ceremonies.answer($0, $1, $2) },
            listen: options.noLinkedClients ? nil : listening, explain: { AgentFailure($0) })
        let service = AgentService(
            vault: path, hold: .seconds(options.hold.seconds), version: Version.version, gate: gate,
            work: work)
        let watching = Task { await watch(service, reporter) }
        defer { watching.cancel() }
        try await service.run(
            at: DBusAddress.session(), endingWhenIdleFor: options.idleExit.map { Duration.seconds($0.seconds) }
        ) {
            ServiceManager.tell(.ready)
            reporter.say("the agent is ready")
        }
    }

    /// Waits for linked clients. The agent goes on without them.
    private func listen(
        _ ceremonies: AgentCeremonies, _ vault: OpenVault, _ reachable: @escaping @Sendable (Int) -> Void,
        _ reporter: Reporter
    ) async throws {
        do {
            try await ceremonies.listen(vault, reachable)
        } catch {
            reachable(0)
            let failure = Failure(error)
            guard failure.status != .interrupted else { return }
            reporter.warn(failure.code, "not waiting for linked clients: \(failure.cause)", role: .authenticator)
        }
    }

    /// Locks the vault with the screen, before the machine sleeps, and at the end of the session.
    private func watch(_ service: AgentService, _ reporter: Reporter) async {
        let watch: SessionWatch
        do throws(DesktopSessionError) {
            watch = try await SessionWatch.start()
        } catch {
            return warn(error, reporter)
        }
        for obstacle in watch.obstacles { warn(obstacle, reporter) }
        for await event in watch {
            switch event {
            case .screenLocked, .sessionEnded: await service.lock()
            case .sleeping:
                await service.prepareForSleep()
                watch.allowSleep()
            case .woken: service.wake()
            case .lost(let code, let reason):
                warn(DesktopSessionError(code, reason: reason), reporter)
                // Nobody tells of the end of a sleep any more.
                service.wake()
            case .screenUnlocked: break
            }
        }
        await watch.close()
    }

    private func warn(_ error: DesktopSessionError, _ reporter: Reporter) {
        guard error.code != .cancelled else { return }
        reporter.warn(
            "not-watched",
            "the vault is locked by its time and by command, but not by every event: \(reason: error.reason)")
    }
}

/// The options of the agent alone.
struct AgentOptions: ParsableArguments {
    @Option(
        help: .saying(
            "How long the vault stays open after its passphrase was typed for a request: 90s, 15m, 2h.",
            valueName: "time"))
    var hold = HoldTime.usual

    @Option(
        help: .saying(
            "Exit when the vault has been locked, and no linked client could ask, for this long: 90s, 15m, 2h.",
            valueName: "time"))
    var idleExit: HoldTime?

    @Flag(help: .saying("Do not wait for linked clients."))
    var noLinkedClients = false
}
