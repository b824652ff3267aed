import ArgumentParser
import CommandLine
import LinuxSupport
import TunnelService

/// Asks a running service whether it is ready, for monitoring.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        summary: "Ask a running service whether it is ready.",
        details: """
            example:
              hybrid-tunnel-service check
              hybrid-tunnel-service check --at /run/hybrid-tunnel/admin

            Queries the service's --admin address. The exit code is 0 if the service takes new connections, 1 if it \
            does not (for example while it drains), and 2 if no tunnel service answers there. The command takes \
            milliseconds, and needs neither Bluetooth nor a certificate: use it for a container's HEALTHCHECK and for \
            monitoring. `hybrid doctor tunnel-service --tunnel wss://HOST` examines a service from outside.
            """)

    /// The exit code where it cannot be told, as monitoring programs have it.
    private static let unknown: Int32 = 2

    @OptionGroup(title: OptionTitle.reach) var admin: AdminProbeOptions
    @OptionGroup(title: OptionTitle.output) var output: OutputOptions

    func run() async throws {
        let reporter = output.reporter()
        let answer = await AdminProbe.ask(admin.at, within: .seconds(admin.timeout))
        let result = answer.map { $0.isReady ? "ready" : "not-ready" } ?? "unknown"
        let refusal: Sentence = answer.map { "not ready: \(quoted($0.text))" } ?? "no tunnel service answers there"
        reporter.write(
            Line("check", ["result": result, "text": answer?.text, "milliseconds": reporter.elapsed.milliseconds]),
            orPrint: answer?.isReady == true ? "ready" : refusal)
        switch answer?.isReady {
        case true?: break
        case false?: throw ExitCode(ExitStatus.failure.rawValue)
        case nil: throw ExitCode(Self.unknown)
        }
    }
}

/// The place where a running service is asked, and the patience.
struct AdminProbeOptions: ParsableArguments {
    private static let standardAddress = AdminAddress.tcp(host: "127.0.0.1", port: 9464)

    @Option(
        help: .saying(
            "The admin address of the service: HOST:PORT, or the path of a socket. (default: 127.0.0.1:9464)",
            valueName: "host:port"),
        transform: ServiceOptions.admin(parsing:))
    var at: AdminAddress = Self.standardAddress

    @Option(help: .saying("How many seconds to wait for an answer.", valueName: "seconds"))
    var timeout: UInt32 = 5

    func validate() throws {
        guard timeout > 0 else { throw ValidationError.saying("--timeout takes 1 second or more") }
    }
}
