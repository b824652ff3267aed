import Cryptography
import Foundation
import HybridProtocol
import Logging
import NIOSSL
import TunnelService

/// The task of the process started for the benchmark; it is given by environment variables.
struct ServerTask {
    enum Kind: String, CustomStringConvertible {
        /// The tunnel service.
        case service
        /// The floors.
        case bare
        /// The relay over libwebsockets, a program of its own, on the event loop of libwebsockets.
        case libwebsockets
        /// The same on libev.
        case libwebsocketsOnLibev

        var description: String {
            switch self {
            case .service: "tunnel service"
            case .bare: "bare NIO"
            case .libwebsockets: "libwebsockets"
            case .libwebsocketsOnLibev: "libwebsockets, libev"
            }
        }
    }

    let kind: Kind
    let security: BenchmarkSecurity
    let certificate: BenchmarkCertificate
    /// The port to serve on; 0 lets the system choose.
    var port = 0

    private enum Variable {
        static let kind = "TUNNEL_SERVICE_BENCH_KIND"
        static let security = "TUNNEL_SERVICE_BENCH_SECURITY"
        static let certificate = "TUNNEL_SERVICE_BENCH_CERTIFICATE"
        static let key = "TUNNEL_SERVICE_BENCH_KEY"
        static let port = "TUNNEL_SERVICE_BENCH_PORT"
    }

    /// The argument by which this program comes to the benchmark and to nothing else before it.
    private static let directArgument = "tunnel"
    private static let relayName = "libwebsockets-relay"
    private static let manyConnections = 50_000
    private static let manyMessages = 1_000_000

    /// The task that this process was started for, if it was.
    static var asked: ServerTask? {
        let environment = ProcessInfo.processInfo.environment
        guard let kind = environment[Variable.kind].flatMap(Kind.init(rawValue:)),
            let security = environment[Variable.security].flatMap(BenchmarkSecurity.init(rawValue:)),
            let certificate = environment[Variable.certificate], let key = environment[Variable.key]
        else { return nil }
        return ServerTask(
            kind: kind, security: security,
            certificate: BenchmarkCertificate(certificateFile: certificate, keyFile: key),
            port: environment[Variable.port].flatMap { Int($0) } ?? 0
        )
    }

    /// The environment that asks for this task.
    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging([
            Variable.kind: kind.rawValue, Variable.security: security.rawValue,
            Variable.certificate: certificate.certificateFile, Variable.key: certificate.keyFile,
            Variable.port: "\(port)",
        ]) { $1 }
    }

    /// The program that does this: itself, or the relay over libwebsockets, which is built into the same folder.
    var program: URL {
        let bench = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        switch kind {
        case .service, .bare: return bench
        case .libwebsockets, .libwebsocketsOnLibev:
            return bench.deletingLastPathComponent().appending(path: Self.relayName)
        }
    }

    /// False if the program is not built.
    var hasProgram: Bool { FileManager.default.isExecutableFile(atPath: program.path()) }

    /// The arguments of the program.
    var arguments: [String] {
        let files = security == .tls ? [certificate.certificateFile, certificate.keyFile] : []
        switch kind {
        case .service, .bare: return [Self.directArgument]
        case .libwebsockets: return ["poll"] + files
        case .libwebsocketsOnLibev: return ["libev"] + files
        }
    }

    /// Serves, says the port in a line on standard output, and ends with the process when standard input ends.
    func serve() async throws -> Never {
        OpenFileLimit.raise()
        let port: Int
        switch kind {
        case .service: port = try await startService()
        case .bare: port = try await BareServer.start(security == .tls ? serverContext() : nil)
        case .libwebsockets, .libwebsocketsOnLibev: throw ServerProcess.NotStarted()
        }
        FileHandle.standardOutput.write(Data("\(port)\n".utf8))
        _ = FileHandle.standardInput.readDataToEndOfFile()
        exit(0)
    }

    private func startService() async throws -> Int {
        var limits = TunnelService.Limits()
        limits.connections = Self.manyConnections
        limits.connectionsPerAddress = Self.manyConnections
        limits.connectionsPerPrefix = Self.manyConnections
        limits.pendingTunnels = Self.manyConnections
        limits.messagesPerSide = Self.manyMessages
        limits.tunnelFrames = .init(burst: 10_000, interval: .microseconds(1))
        limits.shortRecords = limits.tunnelFrames
        limits.pendingTunnelsPerAddress = Self.manyConnections
        // All of the benchmark's clients have one address.
        limits.contactsPerAddress = .init(burst: 10_000, interval: .microseconds(1))
        let identity = TLSIdentity(
            certificateChainFile: certificate.certificateFile, privateKeyFile: certificate.keyFile
        )
        // The same one at every start: a service that restarts has not forgotten its contact IDs.
        let secret = SecretBytes(copying: [UInt8](repeating: 1, count: ContactTokenIssuer.secretByteCount).span)
        let configuration = TunnelService.Configuration(
            port: port, security: security == .tls ? .tls(identity) : .plain,
            hostNames: ["localhost"], contactTokens: try ContactTokenIssuer(secret: secret), limits: limits
        )
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        return try await TunnelService(configuration: configuration, logger: logger).start().port
    }

    private func serverContext() throws -> NIOSSLContext {
        try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile(certificate.certificateFile)
                    .map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: certificate.keyFile, format: .pem))
            )
        )
    }
}
