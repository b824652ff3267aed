public import ArgumentParser
import CommandLine
import HybridProtocol
import LinuxSupport
public import Logging
import TunnelService

/// The options of the tunnel service itself: its address, its certificate and its limits.
struct ServiceOptions: ParsableArguments {
    @Flag(
        help: .saying(
            "Serve this machine only, with a certificate for one day; print the commands of the other two roles."))
    var dev = false

    @Option(
        help: .saying(
            "The address to listen on; port 0 lets the system choose. 'systemd' is the socket that systemd passes. "
                + "(default with --dev: 127.0.0.1:8443)",
            valueName: "host:port"),
        transform: Self.place(parsing:))
    var listen: ListeningPlace?

    @Option(help: .saying("The certificate chain, PEM.", valueName: "file"), completion: .file())
    var certificate: String?

    @Option(help: .saying("The private key, PEM.", valueName: "file"), completion: .file())
    var key: String?

    @Flag(help: .saying("No TLS, on loopback only."))
    var plain = false

    @Flag(
        help: .saying(
            "With --plain: a proxy in front terminates TLS. The service listens on loopback only, without per-address "
                + "limits, unless --trusted-proxy is given."))
    var behindProxy = false

    @Option(
        help: .saying(
            "The address or range of a proxy whose connections begin with a header of the PROXY protocol, "
                + "version 2; may be repeated.", valueName: "cidr"),
        transform: Self.range(parsing:))
    var trustedProxy: [AddressRange] = []

    @Option(
        help: .saying(
            "The routing ID to send to authenticators: 6 hexadecimal digits. (default: 000000)", valueName: "hex"),
        transform: Self.routingID(parsing:))
    var routingID: RoutingID = .zero

    @Option(
        help: .saying(
            "Wake authenticators for linked clients. The file keeps this service's secret, and is created if missing. "
                + "Requires --host-name.",
            valueName: "file"), completion: .file())
    var contactSecret: String?

    @Option(
        help: .saying(
            "The file of the secret that --contact-secret has replaced; contact IDs issued with it still work.",
            valueName: "file"), completion: .file())
    var previousContactSecret: String?

    @Option(
        help: .saying(
            "A name of this service, under which authenticators can register; may be repeated.",
            valueName: "name"))
    var hostName: [String] = []

    @Option(
        help: .saying(
            "Address of the admin endpoint, in plain HTTP on loopback or on a Unix socket, given "
                + "by its path: /metrics for Prometheus, /healthz, /readyz.", valueName: "host:port"),
        transform: Self.admin(parsing:))
    var admin: AdminAddress?

    @Flag(help: .saying("Allow an --admin address that others can reach. They can then read the metrics."))
    var adminExposed = false

    @Option(help: .saying("How many seconds tunnels may continue after SIGTERM.", valueName: "seconds"))
    var drain: UInt32 = 30

    @Option(help: .saying("The level of the log on standard error.", valueName: "level"))
    var logLevel: Logger.Level = .notice

    /// Checks the options together: when the service is started, as other commands of the program need none of them.
    func check() throws {
        guard dev || listen != nil else { throw ValidationError.saying("give --listen HOST:PORT, or --dev") }
        guard (certificate == nil) == (key == nil), [dev, plain, certificate != nil].count(where: { $0 }) == 1 else {
            throw ValidationError.saying("give either --certificate and --key, or --plain, or --dev")
        }
        guard !dev || listen.map(DevelopmentService.serves) ?? true else {
            throw ValidationError.saying(
                "--dev is for this machine alone: --listen takes \(DevelopmentService.hosts.joined(separator: ", "))")
        }
        guard plain || !behindProxy else { throw ValidationError.saying("--behind-proxy requires --plain") }
        guard admin != nil || !adminExposed else { throw ValidationError.saying("--admin-exposed requires --admin") }
        guard !hostName.contains("") else {
            throw ValidationError.saying("--host-name is empty: set HOST_NAME in /etc/hybrid-tunnel/environment")
        }
        guard hostName.allSatisfy(ServiceName.isWellFormed) else {
            throw ValidationError.saying(
                "--host-name takes a name alone, without scheme, path and port: cable.example.com, for instance")
        }
        guard contactSecret == nil || !hostName.isEmpty else {
            throw ValidationError.saying("with --contact-secret, give the service's name as --host-name")
        }
        guard contactSecret != nil || previousContactSecret == nil else {
            throw ValidationError.saying("--previous-contact-secret requires --contact-secret")
        }
    }

    /// The certificate and the key, if there are any.
    var identity: TLSIdentity? {
        guard let certificate, let key else { return nil }
        return TLSIdentity(certificateChainFile: certificate, privateKeyFile: key)
    }

    /// The admin address, if there is one.
    var adminAddress: AdminAddress? {
        guard case .tcp(let host, let port, _) = admin else { return admin }
        return .tcp(host: host, port: port, isExposed: adminExposed)
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
            throw ValidationError.saying(
                "give an address, or a range with no bits set after its prefix, such as 10.0.0.0/8 or 2001:db8::/32")
        }
        return range
    }

    private static func place(parsing text: String) throws -> ListeningPlace {
        text == ListeningPlace.systemdName ? .systemd : .address(try address(parsing: text))
    }

    static func admin(parsing text: String) throws -> AdminAddress {
        if text.hasPrefix("/") { return .unixSocket(path: text) }
        let address = try address(parsing: text)
        return .tcp(host: address.host, port: Int(address.port ?? 0))
    }

    static func address(parsing text: String) throws -> HostAndPort {
        guard let address = HostAndPort(text), address.port != nil else {
            throw ValidationError.saying("give HOST:PORT, for instance 127.0.0.1:8443 or [::1]:8443")
        }
        return address
    }

    private static func routingID(parsing text: String) throws -> RoutingID {
        guard let routingID = try? RoutingID(hex: text) else {
            throw ValidationError.saying("give 6 hexadecimal digits")
        }
        return routingID
    }
}

/// Place where the service listens.
enum ListeningPlace: Equatable {
    /// On this host and port.
    case address(HostAndPort)
    /// On the socket that systemd passes.
    case systemd

    /// The name of ``systemd``.
    static let systemdName = "systemd"
}

extension Logger.Level: @retroactive ExpressibleByArgument {}

/// The form of a name under which a service is reached: the value of its peers' `Host`, without the port.
///
/// Source: RFC 1123 section 2.1; RFC 9110 section 7.2.
enum ServiceName {
    private static let maxByteCount = 253
    private static let maxLabelByteCount = 63
    private static let hyphen = UInt8(ascii: "-")

    /// True for a domain name in ASCII, an IPv4 address, and an IPv6 address in brackets.
    static func isWellFormed(_ text: String) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return text.dropFirst().dropLast().utf8.contains(UInt8(ascii: ":")) && HostAndPort(text) != nil
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= maxByteCount && labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        guard (1...maxLabelByteCount).contains(label.count), label.first != hyphen, label.last != hyphen else {
            return false
        }
        return label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen:
                true
            default: false
            }
        }
    }
}
