public import ArgumentParser
public import Logging
import TunnelProtocol
import TunnelService

/// The options of the tunnel service itself: where it listens, and with what.
struct ServiceOptions: ParsableArguments {
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

    private static func range(parsing text: String) throws -> AddressRange {
        guard let range = AddressRange(text) else {
            throw ValidationError(
                "give an address, or a range without bits behind its length, for instance 10.0.0.0/8 or 2001:db8::/32")
        }
        return range
    }

    static func address(parsing text: String) throws -> HostAndPort {
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
