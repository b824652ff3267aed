/// Tests anybody's implementation of the hybrid transport: every case is one rule of the protocol, played from the other side.
///
/// See <doc:TestingAnImplementation>.
public enum ConformanceRunner {
    /// The cases for authenticators.
    public static let authenticatorCases = authenticator.map(\.testCase)

    private static let authenticator: Group<AuthenticatorStage>.Cases =
        CodeCases.all + AuthenticatorAdvertCases.all + UpgradeCases.all(.authenticator)
        + FramingCases.all(.authenticator) + HandshakeCases.all(.authenticator) + SealedPointCases.all
        + AuthenticatorFrameCases.all
        + AuthenticatorSessionCases.all
        + AuthenticatorEndCases.all + AuthenticatorCredentialCases.all + AuthenticatorLinkCases.all
        + ListeningContactCases.all + ListeningCases.all
        + AuthenticatorNearbyCases.all + NearbyCases.all(.authenticator)

    /// The cases for clients.
    public static let clientCases = (client + credentialClient).map(\.testCase)

    private static let client: Group<ClientStage>.Cases =
        ClientCodeCases.all + UpgradeCases.all(.client) + FramingCases.all(.client) + HandshakeCases.all(.client)
        + ClientFirstMessageCases.all + ClientFrameCases.all + ClientEndCases.all
        + ClientLinkCases.all + ContactRequestCases.all + LinkedClientCases.all + LinkedClientEndCases.all
        + ClientNearbyCases.all + NearbyCases.all(.client)

    /// What is played with a command of its own: one that asks for a digital credential.
    private static let credentialClient: Group<ClientStage>.Cases = ClientCredentialCases.all

    /// The cases for tunnel services.
    public static let tunnelServiceCases = tunnelService.map(\.testCase)

    private static let tunnelService: Group<ServiceStage>.Cases =
        ServiceRequestCases.all + ServiceTunnelCases.all + ServiceContactCases.all + ServiceWakeCases.all

    /// Tests an authenticator: runs the command once a case, with a QR code, and plays the tunnel service and the client.
    ///
    /// - Parameters:
    ///   - settings: the command, and how it is met.
    ///   - jobs: how many cases at a time. A real radio, or a port of its own for the tunnel service, allows only one.
    ///   - isWanted: which cases are run.
    ///   - report: is told of each result as it comes.
    /// - Throws: ``RunnerError`` if the command cannot be started at all; `CancellationError`.
    public static func testAuthenticator(
        _ settings: ProgramSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void
    ) async throws {
        let ports = RadioPorts()
        let cases = authenticator.filter { isWanted($0.testCase) }
        try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<ReceivedLink>(at: directory)
            let playbook = Playbook(cases: cases, limit: settings.caseLimit) { play in
                try await AuthenticatorStage.with(settings, ports, linked, play)
            }
            try await playbook.run(jobs: settings.allowedJobs(jobs), report)
        }
    }

    /// Tests a client: runs the command once a case, reads the QR code that it writes, and plays the tunnel service and the
    /// authenticator.
    ///
    /// - Parameters:
    ///   - settings: the command, and how it is met.
    ///   - jobs: as for ``testAuthenticator(_:jobs:where:report:)``.
    ///   - isWanted: which cases are run.
    ///   - report: is told of each result as it comes.
    /// - Throws: as ``testAuthenticator(_:jobs:where:report:)``.
    public static func testClient(
        _ settings: ProgramSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void
    ) async throws {
        let ports = RadioPorts()
        let cases = client.filter { isWanted($0.testCase) }
        let credentialCases = credentialClient.filter { isWanted($0.testCase) }
        try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<TestLink>(at: directory)
            let playbook = Playbook(cases: cases, limit: settings.caseLimit) { play in
                try await ClientStage.with(settings, ports, linked, play)
            }
            try await playbook.run(jobs: settings.allowedJobs(jobs), report)
            let asking = settings.credentialCommand.map { command in
                var settings = settings
                settings.command = command
                return settings
            }
            let asked = Playbook(cases: credentialCases, limit: settings.caseLimit) { play in
                guard let asking else {
                    throw NotApplicable("there is no command that asks for a digital credential: --digital-command")
                }
                try await ClientStage.with(asking, ports, linked, play)
            }
            try await asked.run(jobs: settings.allowedJobs(jobs), report)
        }
    }

    /// Tests a tunnel service from both sides, as authenticators and clients.
    ///
    /// - Parameters:
    ///   - settings: where the service is.
    ///   - jobs: how many cases at a time.
    ///   - isWanted: which cases are run.
    ///   - report: is told of each result as it comes.
    /// - Throws: `CancellationError`.
    public static func testTunnelService(
        _ settings: ServiceSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void
    ) async throws {
        let cases = tunnelService.filter { isWanted($0.testCase) }
        let playbook = Playbook(cases: cases, limit: settings.caseLimit) { play in
            try await ServiceStage.with(settings, play)
        }
        try await playbook.run(jobs: jobs, report)
    }
}

extension ProgramSettings {
    /// How many cases can be run at a time without one disturbing another.
    fileprivate func allowedJobs(_ jobs: Int) -> Int {
        guard case .simulated = radio, port == 0 else { return 1 }
        return jobs
    }
}
