/// A tester of any implementation of the hybrid transport: each case tests one rule of the protocol, from the other
/// side.
///
/// See <doc:TestingAnImplementation>.
public enum ConformanceRunner {
    /// The cases for authenticators.
    public static let authenticatorCases = authenticator.map(\.testCase)

    private static let authenticator: CaseGroup<AuthenticatorTestContext>.Cases =
        AuthenticatorCodeCases.all + AuthenticatorAdvertCases.all + UpgradeCases.all(.authenticator)
        + FramingCases.all(.authenticator) + HandshakeCases.all(.authenticator) + SealedPointCases.all
        + AuthenticatorFrameCases.all
        + AuthenticatorSessionCases.all
        + AuthenticatorEndCases.all + AuthenticatorCredentialCases.all + AuthenticatorLinkCases.all
        + ListeningContactCases.all + ListeningCases.all
        + AuthenticatorNearbyCases.all + NearbyCases.all(.authenticator) + TrustCases.all(.authenticator)

    /// The cases for clients.
    public static let clientCases = (client + credentialClient).map(\.testCase)

    private static let client: CaseGroup<ClientTestContext>.Cases =
        ClientCodeCases.all + UpgradeCases.all(.client) + FramingCases.all(.client) + HandshakeCases.all(.client)
        + ClientFirstMessageCases.all + ClientFrameCases.all + ClientEndCases.all
        + ClientLinkCases.all + ContactRequestCases.all + LinkedClientCases.all + LinkedClientEndCases.all
        + ClientNearbyCases.all + NearbyCases.all(.client) + TrustCases.all(.client)

    /// The cases with a command of their own: one that asks for a digital credential.
    private static let credentialClient: CaseGroup<ClientTestContext>.Cases = ClientCredentialCases.all

    /// The cases for tunnel services.
    public static let tunnelServiceCases = tunnelService.map(\.testCase)

    private static let tunnelService: CaseGroup<ServiceTestContext>.Cases =
        ServiceRequestCases.all + ServiceTunnelCases.all + ServiceContactCases.all + ServiceWakeCases.all

    /// Tests an authenticator: runs the command once a case, with a QR code, and plays the tunnel service and the
    /// client.
    ///
    /// - Parameters:
    ///   - settings: the command, and the settings of its counterpart.
    ///   - jobs: the number of cases at a time. A real radio, or a port of its own for the tunnel service, allows only
    ///     one.
    ///   - isWanted: true of the cases that are run.
    ///   - report: called with each result, as soon as it counts.
    ///   - noteControl: called with each run of a control case.
    /// - Throws: ``RunnerError`` if the command cannot be started at all; `CancellationError`.
    public static func testAuthenticator(
        _ settings: ProgramSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void,
        noteControl: @escaping @Sendable (CaseResult) -> Void = { _ in }
    ) async throws {
        let ports = RadioPorts()
        let cases = settings.playable(authenticator.filter { isWanted($0.testCase) }, report)
        try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<ReceivedLink>(at: directory)
            let runner = CaseRunner(
                limit: settings.caseLimit, holdsPolicies: settings.holdsPolicies, edition: settings.edition
            ) { record, script in
                try await AuthenticatorTestContext.with(settings, ports: ports, linked: linked, record: record, script)
            }
            try await ControlledRun(cases, controls: authenticator, runner)
                .run(jobs: settings.allowedJobs(jobs), report: report, noteControl: noteControl)
        }
    }

    /// Tests a client: runs the command once a case, reads the QR code that it writes, and plays the tunnel service and
    /// the authenticator.
    ///
    /// - Parameters:
    ///   - settings: the command, and the settings of its counterpart.
    ///   - jobs: as for ``testAuthenticator(_:jobs:where:report:noteControl:)``.
    ///   - isWanted: true of the cases that are run.
    ///   - report: called with each result, as soon as it counts.
    ///   - noteControl: called with each run of a control case.
    /// - Throws: as ``testAuthenticator(_:jobs:where:report:noteControl:)``.
    public static func testClient(
        _ settings: ProgramSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void,
        noteControl: @escaping @Sendable (CaseResult) -> Void = { _ in }
    ) async throws {
        let ports = RadioPorts()
        let cases = settings.playable(client.filter { isWanted($0.testCase) }, report)
        let credentialCases = settings.playable(credentialClient.filter { isWanted($0.testCase) }, report)
        try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<TestLink>(at: directory)
            let runner = CaseRunner(
                limit: settings.caseLimit, holdsPolicies: settings.holdsPolicies, edition: settings.edition
            ) { record, script in
                try await ClientTestContext.with(settings, ports: ports, linked: linked, record: record, script)
            }
            try await ControlledRun(cases, controls: client, runner)
                .run(jobs: settings.allowedJobs(jobs), report: report, noteControl: noteControl)
            let credentialSettings = settings.credentialCommand.map { command in
                var settings = settings
                settings.command = command
                return settings
            }
            let asking = CaseRunner(
                limit: settings.caseLimit, holdsPolicies: settings.holdsPolicies, edition: settings.edition
            ) { record, script in
                guard let credentialSettings else {
                    throw NotApplicable(
                        "there is no command that asks for a digital credential", needs: .credentialCommand)
                }
                try await ClientTestContext.with(
                    credentialSettings, ports: ports, linked: linked, record: record, script)
            }
            try await ControlledRun(credentialCases, controls: credentialClient, asking)
                .run(jobs: settings.allowedJobs(jobs), report: report, noteControl: noteControl)
        }
    }

    /// Tests a tunnel service from both sides, as authenticators and clients.
    ///
    /// - Parameters:
    ///   - settings: the service, and the settings of the test.
    ///   - jobs: the number of cases at a time.
    ///   - isWanted: true of the cases that are run.
    ///   - report: called with each result, as soon as it counts.
    ///   - noteControl: called with each run of a control case.
    /// - Throws: `CancellationError`.
    public static func testTunnelService(
        _ settings: ServiceSettings, jobs: Int, where isWanted: (ConformanceCase) -> Bool,
        report: @escaping @Sendable (CaseResult) -> Void,
        noteControl: @escaping @Sendable (CaseResult) -> Void = { _ in }
    ) async throws {
        let cases = tunnelService.filter { isWanted($0.testCase) }
        let runner = CaseRunner(limit: settings.caseLimit, holdsPolicies: settings.holdsPolicies) { record, script in
            try await ServiceTestContext.with(settings, record: record, script)
        }
        try await ControlledRun(cases, controls: tunnelService, runner).run(
            jobs: jobs, report: report, noteControl: noteControl)
    }
}

extension ProgramSettings {
    /// The number of cases that can run at a time without disturbing each other.
    fileprivate func allowedJobs(_ jobs: Int) -> Int {
        guard case .simulated = radio.kind, port == 0 else { return 1 }
        return jobs
    }
}

/// The preflight of a run: a check without which no case's verdict is about the peer. A command that always
/// fails also refuses all that must be refused, and where the radio is missing every peer deviates.
extension ConformanceRunner {
    /// The least time limit of each step of the plainest case: a slow machine alone must end no run.
    private static let leastTimeout = Duration.seconds(30)

    /// The case that a preflight runs: the plainest one of a role.
    public static func plainCase(of role: ConformanceCase.Role) -> ConformanceCase {
        switch role {
        case .authenticator: AuthenticatorCodeCases.plain.testCase
        case .client: ClientCodeCases.plain.testCase
        case .tunnelService: ServiceTunnelCases.plain.testCase
        }
    }

    /// Tries the radio, and runs the plainest case with an authenticator.
    ///
    /// - Parameter settings: as for ``testAuthenticator(_:jobs:where:report:noteControl:)``.
    /// - Returns: the result of the case, with the edition of CTAP that the peer shows: in its first message, in the
    ///   suffix of its advert or in its QR code. If the case deviates, other results say nothing of the peer.
    /// - Throws: `RadioError` if the radio cannot be used; ``RunnerError`` if the command cannot be started, or the
    ///   runner's tunnel service cannot listen; `CancellationError`.
    public static func preflightAuthenticator(_ settings: ProgramSettings) async throws -> CaseResult {
        let settings = try await checked(settings)
        let ports = RadioPorts()
        return try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<ReceivedLink>(at: directory)
            let runner = CaseRunner<AuthenticatorTestContext>(limit: settings.caseLimit) { record, script in
                try await AuthenticatorTestContext.with(settings, ports: ports, linked: linked, record: record, script)
            }
            var result = try await runner.run(AuthenticatorCodeCases.plain, isControl: true).withoutNeedless
            if result.verdict.isGood, result.edition != .ctap23 {
                // A suffix is sent to a client that offers the BLE channel alone.
                result.edition = try await runner.run(AuthenticatorNearbyCases.offered).edition ?? result.edition
            }
            return result
        }
    }

    /// Tries the radio, and runs the plainest case with a client.
    ///
    /// - Parameter settings: as for ``testClient(_:jobs:where:report:noteControl:)``.
    /// - Returns: as ``preflightAuthenticator(_:)``.
    /// - Throws: as ``preflightAuthenticator(_:)``.
    public static func preflightClient(_ settings: ProgramSettings) async throws -> CaseResult {
        let settings = try await checked(settings)
        let ports = RadioPorts()
        return try await ScratchDirectory.with { directory in
            let linked = LinkedDirectory<TestLink>(at: directory)
            let runner = CaseRunner<ClientTestContext>(limit: settings.caseLimit) { record, script in
                try await ClientTestContext.with(settings, ports: ports, linked: linked, record: record, script)
            }
            var result = try await runner.run(ClientCodeCases.plain, isControl: true).withoutNeedless
            // The hint of such a request is of CTAP 2.3.
            if settings.credentialCommand != nil { result.edition = .ctap23 }
            return result
        }
    }

    /// Runs the plainest case with a tunnel service.
    ///
    /// - Parameter settings: the service, and the settings of the test.
    /// - Returns: as ``preflightAuthenticator(_:)``; also a service that cannot be reached deviates.
    /// - Throws: `CancellationError`.
    public static func preflightTunnelService(_ settings: ServiceSettings) async throws -> CaseResult {
        var settings = settings
        settings.timeout = max(settings.timeout, leastTimeout)
        let generous = settings
        let runner = CaseRunner<ServiceTestContext>(limit: generous.caseLimit) { record, script in
            try await ServiceTestContext.with(generous, record: record, script)
        }
        return try await runner.run(ServiceTunnelCases.plain, isControl: true).withoutNeedless
    }

    /// Tries the radio and the place of the tunnel service, and gives the settings for the plainest case.
    private static func checked(_ settings: ProgramSettings) async throws -> ProgramSettings {
        try await settings.radio.check()
        try await settings.checkListening()
        var settings = settings
        settings.timeout = max(settings.timeout, leastTimeout)
        return settings
    }
}
