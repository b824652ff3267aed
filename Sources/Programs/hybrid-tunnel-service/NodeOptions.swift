import ArgumentParser
import CommandLine
import HybridProtocol
import LinuxSupport
import TunnelService

/// The options by which nodes of one service reach each other.
struct NodeOptions: ParsableArguments {
    @Option(
        help: .saying(
            "A NATS server through which nodes with the same --contact-secret wake authenticators that wait at other "
                + "nodes; may be repeated. Each node needs its own --routing-id.",
            valueName: "nats://host:port"))
    var nats: [String] = []

    @Option(help: .saying("The NATS user.", valueName: "name"))
    var natsUser: String?

    @Option(help: .saying("The file with that user's password.", valueName: "file"), completion: .file())
    var natsPassword: String?

    @Option(
        help: .saying(
            "The certificates to trust for NATS servers with tls:// addresses, PEM.", valueName: "file"),
        completion: .file())
    var natsCA: String?

    @Flag(
        help: .saying(
            "Allow a nats:// address of another machine for --nats: anybody on the network path can read the "
                + "password, and who wakes whom."))
    var natsExposed = false

    func validate() throws {
        guard !nats.isEmpty || natsUser == nil && natsPassword == nil && natsCA == nil && !natsExposed else {
            throw ValidationError.saying("--nats-user, --nats-password, --nats-ca and --nats-exposed require --nats")
        }
        guard (natsUser == nil) == (natsPassword == nil) else {
            throw ValidationError.saying("give --nats-user and --nats-password together")
        }
        guard nats.allSatisfy({ Self.place($0) != nil }) else {
            throw ValidationError.saying("give nats://HOST:PORT or tls://HOST:PORT, without a password in it")
        }
        guard natsExposed || nats.allSatisfy({ $0.hasPrefix(Self.secure) || Self.place($0)?.isLoopback == true }) else {
            throw ValidationError.saying(
                "nats:// is for loopback only, unless --nats-exposed lets others on the network path read the "
                    + "password: give tls://HOST:PORT")
        }
    }

    private static let plain = "nats://"
    private static let secure = "tls://"

    private static func place(_ text: String) -> HostAndPort? {
        guard let scheme = [plain, secure].first(where: { text.hasPrefix($0) }),
            let place = HostAndPort(text.dropFirst(scheme.count)), place.port != nil
        else { return nil }
        return place
    }

    /// The way of a service's node to the others; nil if it is the only one.
    ///
    /// - Throws: `NATSError`; ``Failure`` if a file cannot be used.
    func bus(for node: RoutingID) throws -> NATSBus? {
        guard !nats.isEmpty else { return nil }
        return try NATSBus(
            NATSSettings(
                servers: nats, user: natsUser, password: try natsPassword.map(Self.password), authorityFile: natsCA,
                inbox: node.hex))
    }

    private static func password(_ path: String) throws -> String {
        try FileCheck.readable(path, option: "--nats-password")
        guard let password = SystemFile.firstLine(of: path) else {
            throw Failure(
                .file, code: "input-output", cause: "\(path) holds no password", hint: "check --nats-password")
        }
        return password
    }
}
