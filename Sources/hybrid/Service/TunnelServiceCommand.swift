public import ArgumentParser
public import Logging
import ServiceLifecycle
import TunnelService
import UnixSignals

/// The server between the two roles.
struct TunnelServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service",
        abstract: "Run a tunnel service, which carries ciphertext between clients and authenticators.",
        discussion: """
            example: hybrid tunnel-service --listen 127.0.0.1:8443 --certificate cert.pem --key key.pem

            SIGTERM lets tunnels that have both ends finish; a second one ends them. With --plain it listens on loopback \
            only, unless --behind-proxy says that a proxy in front of it speaks TLS.
            """)

    @Option(help: ArgumentHelp("Where to listen; port 0 lets the system choose.", valueName: "host:port"))
    var listen: ListenAddress

    @Option(help: ArgumentHelp("The certificate chain, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key, PEM.", valueName: "file"))
    var key: String?

    @Flag(help: "No TLS, on loopback only.")
    var plain = false

    @Flag(help: "With --plain: listen on any address, because a proxy in front speaks TLS.")
    var behindProxy = false

    @Option(help: ArgumentHelp("The routing ID that authenticators are told: 6 hexadecimal digits.", valueName: "hex"))
    var routingID = "000000"

    @Option(help: ArgumentHelp("How many seconds tunnels may go on after SIGTERM.", valueName: "seconds"))
    var drain: UInt32 = 30

    @Option(help: "How much to log: debug, info, notice, warning, error.")
    var logLevel: Logger.Level = .info

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard plain != (certificate != nil), (certificate == nil) == (key == nil) else {
            throw ValidationError("give either --certificate and --key, or --plain")
        }
        guard plain || !behindProxy else { throw ValidationError("--behind-proxy goes with --plain") }
        guard RoutingID(hexadecimal: routingID) != nil else {
            throw ValidationError("--routing-id takes 6 hexadecimal digits")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = logLevel
        let service = TunnelServiceRun(configuration: configuration(), logger: logger, reporter: reporter)
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch {
            let failure = Failure(error)
            reporter.report(failure)
            throw ExitCode(failure.status.rawValue)
        }
    }

    private func configuration() -> TunnelService.Configuration {
        let security: TunnelService.Security
        if let certificate, let key {
            security = .tls(TLSIdentity(certificateChainFile: certificate, privateKeyFile: key))
        } else {
            security = behindProxy ? .plainBehindProxy : .plain
        }
        return TunnelService.Configuration(
            host: listen.host, port: Int(listen.port), security: security,
            routingID: RoutingID(hexadecimal: routingID) ?? .zero, drainTime: .seconds(drain))
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// A service that says where it listens before it waits for its end.
private struct TunnelServiceRun: Service {
    let configuration: TunnelService.Configuration
    let logger: Logger
    let reporter: Reporter

    func run() async throws {
        let running = try await TunnelService(configuration: configuration, logger: logger).start()
        let scheme = if case .tls = configuration.security { "wss" } else { "ws" }
        let host = running.host.contains(":") ? "[\(running.host)]" : running.host
        let url = "\(scheme)://\(host):\(running.port)"
        reporter.write(ListeningLine(url: url, port: running.port), orSay: "listening on \(url)")
        do {
            try await gracefulShutdown()
            reporter.say("shutting down; open tunnels have \(configuration.drainTime.components.seconds) s")
            await running.shutdown(drain: configuration.drainTime)
        } catch {
            // Cancelled: somebody wants it to end now.
            await running.shutdown(drain: .zero)
        }
    }
}

/// Says where the service listens.
private struct ListeningLine: Encodable {
    let event = "listening"
    let url: String
    let port: Int
}
