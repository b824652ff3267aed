import ArgumentParser
import ConformanceRunner

/// Tests a tunnel service.
struct ConformanceTunnelServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service",
        abstract: "Test a tunnel service from both sides.",
        discussion: """
            example:
              hybrid conformance tunnel-service wss://localhost:8443 --ca cert.pem

            The cases are hostile, and many connections come from one address: ask before you test somebody else's service.
            """)

    @Argument(
        help: ArgumentHelp("The tunnel service: wss://HOST[:PORT], or ws:// for one without TLS.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("A file of PEM certificates to trust beside the system's.", valueName: "file"))
    var ca: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many seconds the service lets a tunnel wait for its client; its end is tested only if this is given.",
            valueName: "seconds"))
    var pendingTime: UInt32?

    @OptionGroup var options: ConformanceOptions

    func run() async throws {
        let reporter = options.output.reporter()
        try await runCommand(reporter) { try await test(reporter) }
    }

    private func test(_ reporter: Reporter) async throws {
        let cases = ConformanceRunner.tunnelServiceCases.filter(options.isWanted)
        guard !options.list else { return ConformanceReporter.list(cases, reporter) }
        let results = ConformanceReporter(reporter, caseCount: cases.count, known: try options.knownDeviations())
        try await ConformanceRunner.testTunnelService(try settings(), jobs: options.jobs, where: options.isWanted) {
            results.note($0)
        }
        try results.finish(.tunnelService, junit: options.junit)
    }

    private func settings() throws -> ServiceSettings {
        let isSecure = url.hasPrefix("wss://")
        let address = url.drop { $0 != "/" }.drop { $0 == "/" }
        guard isSecure || url.hasPrefix("ws://"),
            let address = HostAndPort(address.hasSuffix("/") ? address.dropLast() : address)
        else { throw Failure.usage("\(url) is no tunnel service", hint: "give wss://HOST[:PORT], without a path") }
        var settings = try ServiceSettings(
            isSecure: isSecure, host: address.host, port: address.port, authorities: ca,
            patience: .seconds(options.patience))
        settings.pendingTime = pendingTime.map { .seconds($0) }
        return settings
    }
}
