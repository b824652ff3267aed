public import ArgumentParser
public import Logging
import TunnelProtocol
import TunnelService

/// The server between the two roles.
struct TunnelServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service",
        abstract: "Run a tunnel service, which carries ciphertext between clients and authenticators.",
        discussion: """
            example:
              hybrid tunnel-service --listen 127.0.0.1:8443 \\
                --certificate cert.pem --key key.pem

            With --contact-secret, authenticators can stay connected and be woken by clients that are linked to them. \
            All that the service remembers of links is in that file: keep it, and keep a copy. With another one every \
            client forgets its links.

            SIGTERM lets tunnels that have both ends finish; a second one ends them. With --plain it listens on \
            loopback only, unless --behind-proxy says that a proxy in front of it speaks TLS. Logs never name tunnels \
            or addresses.
            """)

    @Option(
        help: ArgumentHelp("Where to listen; port 0 lets the system choose.", valueName: "host:port"),
        transform: Self.address(parsing:))
    var listen: HostAndPort

    @Option(help: ArgumentHelp("The certificate chain, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The private key, PEM.", valueName: "file"))
    var key: String?

    @Flag(help: "No TLS, on loopback only.")
    var plain = false

    @Flag(help: "With --plain: listen on any address, because a proxy in front speaks TLS.")
    var behindProxy = false

    @Option(
        help: ArgumentHelp(
            "The routing ID that authenticators are told: 6 hexadecimal digits. (default: 000000)", valueName: "hex"),
        transform: Self.routingID(parsing:))
    var routingID: RoutingID = .zero

    @Option(
        help: ArgumentHelp(
            "Wake authenticators for linked clients; the file of this service's secret, made if it is missing.",
            valueName: "file"))
    var contactSecret: String?

    @Option(
        help: ArgumentHelp(
            "A name of this service. With one or more, authenticators can register under these alone.",
            valueName: "name"))
    var hostName: [String] = []

    @Option(help: ArgumentHelp("How many seconds tunnels may go on after SIGTERM.", valueName: "seconds"))
    var drain: UInt32 = 30

    @Option(help: ArgumentHelp("How much to log on standard error.", valueName: "level"))
    var logLevel: Logger.Level = .notice

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard plain != (certificate != nil), (certificate == nil) == (key == nil) else {
            throw ValidationError("give either --certificate and --key, or --plain")
        }
        guard plain || !behindProxy else { throw ValidationError("--behind-proxy goes with --plain") }
    }

    func run() async throws {
        let reporter = output.reporter()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        try await runCommand(reporter) { try await serve(reporter) }
    }

    private func serve(_ reporter: Reporter) async throws {
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = logLevel
        let running = try await TunnelService(configuration: configuration(reporter), logger: logger).start()
        let host = running.host.contains(":") ? "[\(running.host)]" : running.host
        let url = "\(plain ? "ws" : "wss")://\(host):\(running.port)"
        reporter.write(ListeningLine(url: url, port: running.port), orSay: "listening on \(url)")
        await cancellation()
        reporter.say("shutting down; tunnels with both ends have \(drain) s, or until a second signal")
        // In a task of its own: ours is cancelled, and that is what the tunnels are to be spared.
        await Task { await running.shutdown(drain: .seconds(drain)) }.value
    }

    private func configuration(_ reporter: Reporter) throws -> TunnelService.Configuration {
        let security: TunnelService.Security
        if let certificate, let key {
            security = .tls(TLSIdentity(certificateChainFile: certificate, privateKeyFile: key))
        } else {
            security = behindProxy ? .plainBehindProxy : .plain
        }
        return TunnelService.Configuration(
            host: listen.host, port: Int(listen.port ?? 0), security: security, routingID: routingID,
            hostNames: hostName, contactTokens: try contactTokens(reporter), drainTime: .seconds(drain))
    }

    private func contactTokens(_ reporter: Reporter) throws -> ContactTokenIssuer? {
        guard let contactSecret else { return nil }
        let (issuer, isNew) = try ContactSecretFile(path: contactSecret).issuer()
        if isNew { reporter.say("made a new contact secret in \(contactSecret): links made with another one are lost") }
        return issuer
    }

    private static func address(parsing text: String) throws -> HostAndPort {
        guard let address = HostAndPort(text), address.port != nil else {
            throw ValidationError("give HOST:PORT, for instance 127.0.0.1:8443 or [::1]:8443")
        }
        return address
    }

    private static func routingID(parsing text: String) throws -> RoutingID {
        guard let routingID = try? RoutingID(hex: text) else { throw ValidationError("give 6 hexadecimal digits") }
        return routingID
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// Waits until the task is cancelled.
private func cancellation() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
}

/// Says where the service listens.
private struct ListeningLine: Encodable {
    let event = "listening"
    let url: String
    let port: Int
}
