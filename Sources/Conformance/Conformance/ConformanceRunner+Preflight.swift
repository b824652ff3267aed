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
    /// - Returns: the result of the case; if it deviates, other results say nothing of the peer.
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
            return try await runner.run(AuthenticatorCodeCases.plain).withoutNeedless
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
            return try await runner.run(ClientCodeCases.plain).withoutNeedless
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
        return try await runner.run(ServiceTunnelCases.plain).withoutNeedless
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
