import ArgumentParser
import CommandLine
import Conformance
import HybridProtocol
import HybridTransport
import LinuxSupport
import TunnelClient

/// Tests a tunnel service.
struct ConformanceTunnelServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service",
        summary: "Test a tunnel service from both sides.",
        details: """
            example:
              hybrid-conformance tunnel-service wss://localhost:8443 \\
                --ca cert.pem

            The cases are hostile, and open many connections from one address: ask before you test somebody else's \
            service.
            """)

    @OptionGroup(title: OptionTitle.peer) var own: TestedServiceOptions
    @OptionGroup(title: OptionTitle.cases) var options: ConformanceOptions
    @OptionGroup(title: OptionTitle.output) var outputs: ConformanceOutputOptions
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        try await runCommand(reporter) { try await test(reporter) }
    }

    private func test(_ reporter: Reporter) async throws {
        let cases = ConformanceRunner.tunnelServiceCases.filter(options.isWanted)
        guard !options.list else { return ConformanceReporter.list(cases, reporter) }
        guard let url = own.url else {
            throw Failure.usage("there is no tunnel service to test", hint: "give wss://HOST[:PORT]")
        }
        let settings = try settings(url)
        let results = try ConformanceReporter(
            reporter, role: .tunnelService, cases: cases, options: options, outputs: outputs,
            peer: [url],
            facts: [RunDescription.Fact("jobs", "\(options.jobs)")])
        try await results.preflight(.tunnelService, timeout: .seconds(options.timeout)) {
            let result = try await ConformanceRunner.preflightTunnelService(settings)
            if case .deviates = result.verdict { try await reach(url) }
            return result
        }
        try await results.run {
            try await ConformanceRunner.testTunnelService(
                settings, jobs: options.jobs, where: options.isWanted, report: results.note(_:),
                noteControl: results.note(control:))
        }
    }

    /// Opens a tunnel as an authenticator does, to find out why the service does not work.
    ///
    /// - Throws: ``Failure`` if it cannot be reached, or its certificate is not trusted; for nothing else that it does.
    private func reach(_ url: String) async throws {
        var configuration = TunnelClient.Configuration()
        configuration.additionalAuthorities = own.ca
        configuration.allowsPlaintext = true
        let tunnelURL = TunnelURL.new(TunnelID.random(), at: TunnelURL.Service(address: url)).text
        do throws(DataChannelError) {
            let client = try TunnelClient(configuration: configuration)
            let tunnel = try await client.open(TunnelRequest(url: tunnelURL))
            await tunnel.channel.close()
        } catch {
            let hint: Sentence
            switch error.code {
            case .tlsFailed: hint = "give its certificate with --ca, and its name in the URL; check its dates"
            case .unreachable, .timeout: hint = "check the URL, and that the service runs"
            default: return
            }
            throw Failure(
                .tunnelUnreachable, code: error.code.rawValue, cause: Sentence(reason: error.reason), hint: hint)
        }
    }

    private func settings(_ url: String) throws -> ServiceSettings {
        var settings = try ServiceSettings(url, authorities: own.ca, timeout: .seconds(options.timeout))
        settings.holdsPolicies = options.policy
        settings.pendingTime = own.pendingTime.map { .seconds($0) }
        return settings
    }
}

extension ServiceSettings {
    /// The service of a URL.
    ///
    /// - Throws: ``Failure`` for one that is none; as the initialiser of its parts.
    init(_ url: String, authorities: [String], timeout: Duration) throws {
        let isSecure = url.hasPrefix("wss://")
        let address = url.drop { $0 != "/" }.drop { $0 == "/" }
        guard isSecure || url.hasPrefix("ws://"),
            let address = HostAndPort(address.hasSuffix("/") ? address.dropLast() : address)
        else { throw Failure.usage("\(url) is not a tunnel service", hint: "give wss://HOST[:PORT], without a path") }
        try self.init(
            isSecure: isSecure, host: address.host, port: address.port, authorities: authorities, timeout: timeout)
    }
}

/// The tunnel service that is tested.
struct TestedServiceOptions: ParsableArguments {
    @Argument(
        help: .saying("The tunnel service: wss://HOST[:PORT], or ws:// for one without TLS.", valueName: "url"))
    var url: String?

    @Option(
        help: .saying("A file of PEM certificates to trust in addition to the system's.", valueName: "file"),
        completion: .file())
    var ca: [String] = []

    @Option(
        help: .saying(
            "How many seconds the service lets a tunnel wait for its client. This limit is tested only if it is given.",
            valueName: "seconds"))
    var pendingTime: UInt32?
}
