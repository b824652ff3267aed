public import ArgumentParser
import LinuxSupport
public import Logging
import TunnelProtocol
import TunnelService
import UnixSignals

/// The server between the two roles.
struct TunnelServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tunnel-service",
        abstract: "Run a tunnel service, which carries ciphertext between clients and authenticators.",
        discussion: """
            example:
              hybrid tunnel-service --dev
              hybrid tunnel-service --listen 0.0.0.0:443 \\
                --certificate cert.pem --key key.pem

            --dev is for trying things out on this machine: it makes a certificate and prints the commands of a client \
            and an authenticator that use it.

            With --contact-secret, authenticators can stay connected and be woken by clients that are linked to them. \
            All that the service remembers of links is in that file: keep it, and keep a copy. With another one every \
            client forgets its links. If others may know the secret, move the file, give it as \
            --previous-contact-secret, and let a new one be made: links of both work, and new ones have the new one. \
            Without the previous one, in time, links that were made with it are forgotten.

            SIGTERM lets tunnels that have both ends finish; a second one ends them. SIGHUP reads the certificate, the \
            key and the contact secrets again, and ends no tunnel. systemd is told when the \
            service listens (Type=notify). Logs never name tunnels or addresses.

            With --plain it listens on loopback only. A proxy that speaks TLS in front of it, --behind-proxy, should \
            say whose connections it passes on, by the PROXY protocol, version 2: give its address as \
            --trusted-proxy, and the service may listen on any address, takes connections from there alone, and none \
            that does not begin with such a header. Without it nothing can be counted for an address: then the proxy \
            has to limit what one client may use.

            A rate n/seconds is n at once, then one more each time so many seconds are over.
            """)

    @Flag(help: "On this machine, with a certificate made for a day; prints the commands of the other two roles.")
    var dev = false

    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0 lets the system choose. With --dev 127.0.0.1:8443 unless told.",
            valueName: "host:port"),
        transform: Self.address(parsing:))
    var listen: HostAndPort?

    @Option(help: ArgumentHelp("The certificate chain, PEM.", valueName: "file"), completion: .file())
    var certificate: String?

    @Option(help: ArgumentHelp("The private key, PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Flag(help: "No TLS, on loopback only.")
    var plain = false

    @Flag(
        help: ArgumentHelp(
            "With --plain: a proxy in front speaks TLS. On loopback only and without limits for addresses, unless "
                + "there is --trusted-proxy."))
    var behindProxy = false

    @Option(
        help: ArgumentHelp(
            "The address, or the range, of a proxy whose connections begin with a header of the PROXY protocol, "
                + "version 2; may be repeated.", valueName: "cidr"),
        transform: Self.range(parsing:))
    var trustedProxy: [AddressRange] = []

    @Option(
        help: ArgumentHelp(
            "The routing ID that authenticators are told: 6 hexadecimal digits. (default: 000000)", valueName: "hex"),
        transform: Self.routingID(parsing:))
    var routingID: RoutingID = .zero

    @Option(
        help: ArgumentHelp(
            "Wake authenticators for linked clients; the file of this service's secret, made if it is missing. Needs "
                + "--host-name.",
            valueName: "file"), completion: .file())
    var contactSecret: String?

    @Option(
        help: ArgumentHelp(
            "The secret that --contact-secret has replaced; contact IDs that were issued with it still work.",
            valueName: "file"), completion: .file())
    var previousContactSecret: String?

    @Option(
        help: ArgumentHelp(
            "A name of this service, under which authenticators can register; may be repeated.",
            valueName: "name"))
    var hostName: [String] = []

    @Option(help: ArgumentHelp("How many seconds tunnels may go on after SIGTERM.", valueName: "seconds"))
    var drain: UInt32 = 30

    @Option(help: ArgumentHelp("How much to log on standard error.", valueName: "level"))
    var logLevel: Logger.Level = .notice

    @OptionGroup(title: "Limits") var limits: ServiceLimitOptions

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard dev || listen != nil else { throw ValidationError("give --listen HOST:PORT, or --dev") }
        guard (certificate == nil) == (key == nil), [dev, plain, certificate != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("give either --certificate and --key, or --plain, or --dev")
        }
        guard !dev || DevelopmentService.hosts.contains(listen?.host ?? "localhost") else {
            throw ValidationError(
                "--dev is for this machine alone: --listen takes \(DevelopmentService.hosts.joined(separator: ", "))")
        }
        guard plain || !behindProxy else { throw ValidationError("--behind-proxy goes with --plain") }
        guard contactSecret == nil || !hostName.isEmpty else {
            throw ValidationError("with --contact-secret, give the service's name as --host-name")
        }
        guard contactSecret != nil || previousContactSecret == nil else {
            throw ValidationError("--previous-contact-secret goes with --contact-secret")
        }
    }

    func run() async throws {
        let reporter = output.reporter()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        try await runCommand(reporter) { try await serve(reporter) }
    }

    private func serve(_ reporter: Reporter) async throws {
        var logger = Logger(label: "tunnel-service")
        logger.logLevel = logLevel
        // From before the service listens: until then the signal ends the process.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        let development = try dev ? DevelopmentService() : nil
        let configuration = try configuration(identity ?? development?.identity, reporter)
        let running = try await TunnelService(configuration: configuration, logger: logger).start()
        let host = running.host.contains(":") ? "[\(running.host)]" : running.host
        let url = "\(plain ? "ws" : "wss")://\(host):\(running.port)"
        let certificate = try development?.writeCertificate(port: running.port)
        let line = ListeningLine(url: url, port: running.port, certificate: certificate)
        reporter.write(line, orSay: "listening on \(url)")
        if let certificate, !output.json {
            reporter.show(try DevelopmentService.commands(port: running.port, certificate: certificate))
        }
        ServiceManager.tell(.ready)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await reload(running, at: hangups, reporter) }
            await cancellation()
            group.cancelAll()
        }
        ServiceManager.tell(.stopping)
        reporter.say("shutting down; tunnels with both ends have \(drain) s, or until a second signal")
        // In a task of its own: ours is cancelled, and that is what the tunnels are to be spared.
        await Task { await running.shutdown(drain: .seconds(drain)) }.value
    }

    private func configuration(
        _ identity: TLSIdentity?, _ reporter: Reporter
    ) throws -> TunnelService.Configuration {
        let address = try listen ?? Self.address(parsing: DevelopmentService.address)
        let security = identity.map { TunnelService.Security.tls($0) } ?? (behindProxy ? .plainBehindProxy : .plain)
        return TunnelService.Configuration(
            host: address.host, port: Int(address.port ?? 0), security: security, routingID: routingID,
            hostNames: hostName, contactTokens: try contactTokens(reporter), trustedProxies: trustedProxy,
            limits: limits.limits, drainTime: .seconds(drain))
    }

    /// The certificate and the key, if there are any.
    var identity: TLSIdentity? {
        guard let certificate, let key else { return nil }
        return TLSIdentity(certificateChainFile: certificate, privateKeyFile: key)
    }

    /// The files of the contact secrets, if there is a contact side.
    var contactSecrets: ContactSecretFiles? {
        contactSecret.map {
            ContactSecretFiles(
                current: ContactSecretFile(path: $0), previous: previousContactSecret.map(ContactSecretFile.init))
        }
    }

    private func contactTokens(_ reporter: Reporter) throws -> ContactTokenIssuer? {
        guard let contactSecrets else { return nil }
        let (issuer, isNew) = try contactSecrets.issuerMakingSecret()
        if isNew {
            let others = previousContactSecret == nil ? "another one" : "others than the previous one"
            let path = contactSecrets.current.path
            reporter.say("made a new contact secret in \(path): links made with \(others) are lost")
        }
        return issuer
    }

    private static func range(parsing text: String) throws -> AddressRange {
        guard let range = AddressRange(text) else {
            throw ValidationError(
                "give an address, or a range without bits behind its length, for instance 10.0.0.0/8 or 2001:db8::/32")
        }
        return range
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

/// Says where the service listens, and with --dev in which file the certificate to trust is.
private struct ListeningLine: Encodable {
    let event = "listening"
    let url: String
    let port: Int
    let certificate: String?
}
