internal import Cryptography
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A server socket that hands its connections to a case, which answers them byte by byte.
struct WireListener: Sendable {
    private let channel: any Channel
    private let connections: Mailbox<WireConnection>
    private let tls: NIOLockedValueBox<NIOSSLContext?>
    /// The TCP port on which it listens.
    let port: Int

    private static let backlog: Int32 = 16

    /// Listens, runs `body`, and ends the listening and every connection that came.
    ///
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - port: the port; 0 for any.
    ///   - tls: the TLS context; nil for no TLS.
    ///   - record: that of the case.
    static func with<Value: Sendable>(
        host: String, port: Int, tls: NIOSSLContext?, record: CaseRecord = CaseRecord(),
        _ body: (WireListener) async throws -> Value
    ) async throws -> Value {
        let connections = Mailbox<WireConnection>()
        let all = Mailbox<any Channel>()
        let tls = NIOLockedValueBox(tls)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    all.put(channel)
                    connections.put(
                        try WireConnection.setUp(
                            channel, tls: tls.withLockedValue { $0 }.map { NIOSSLServerHandler(context: $0) }, record))
                }
            }
            .bind(host: host, port: port).get()
        let listener = WireListener(
            channel: channel, connections: connections, tls: tls, port: channel.localAddress?.port ?? port)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(listener)) } catch { outcome = .failure(error) }
        try? await channel.close().get()
        for channel in all.takeAll() { channel.close(promise: nil) }
        return try outcome.get()
    }

    /// Waits for the next connection.
    ///
    /// - Throws: `CancellationError`.
    func accept() async throws -> WireConnection {
        guard let connection = try await connections.next() else { throw CancellationError() }
        return connection
    }

    /// Waits for the whole of a time, and says whether a request came in it.
    ///
    /// A connection without a request is kept for ``accept()``: a client may connect before it knows its tunnel.
    ///
    /// - Throws: `CancellationError`.
    func isAsked(within time: Duration) async throws -> Bool {
        try await Task.sleep(for: time)
        let waiting = takeWaiting()
        for connection in waiting where connection.channel.isActive { connections.put(connection) }
        return waiting.contains { $0.hasUnread }
    }

    /// Shows another certificate from now on.
    func present(_ context: NIOSSLContext) { tls.withLockedValue { $0 = context } }

    /// Takes the connections that were not accepted, waiting for none.
    func takeWaiting() -> [WireConnection] { connections.takeAll() }

    /// Closes the connections that were not accepted: those of a command that has ended.
    func closeWaiting() async {
        for connection in takeWaiting() { await connection.close() }
    }
}

/// The certificate and key of the runner's tunnel service.
public struct ServiceIdentity: Sendable {
    let context: NIOSSLContext
    /// The certificate of its authority, PEM, for the peer to trust; nil where it came from files.
    public let authorityPEM: [UInt8]?
    /// The same with certificates that are not to be trusted; none where it came from files.
    let faulty: [CertificateFault: NIOSSLContext]

    private static let applicationProtocol = "http/1.1"
    /// The time limit of the other side's TLS close alert.
    private static let shutdownTime = TimeAmount.milliseconds(300)

    /// An identity for `localhost` and the loopback addresses that was never used before.
    ///
    /// - Throws: whatever libcrypto or BoringSSL says; nothing that can be helped.
    public static func local() throws -> Self {
        let certificate = try LocalCertificate(faults: CertificateFault.allCases)
        let key = try NIOSSLPrivateKey(
            bytes: certificate.privateKeyPEM.span.withUnsafeBufferPointer { Array($0) }, format: .pem)
        func context(_ pem: [UInt8]) throws -> NIOSSLContext {
            try Self.context(NIOSSLCertificate.fromPEMBytes(pem), key)
        }
        return Self(
            context: try context(certificate.certificatePEM), authorityPEM: certificate.authorityPEM,
            faulty: try certificate.faultyPEM.mapValues(context))
    }

    /// An identity in two PEM files.
    ///
    /// - Throws: if they cannot be read, or do not belong together.
    public static func files(certificate: String, key: String) throws -> Self {
        Self(
            context: try context(
                NIOSSLCertificate.fromPEMFile(certificate), NIOSSLPrivateKey(file: key, format: .pem)),
            authorityPEM: nil, faulty: [:])
    }

    private static func context(_ chain: [NIOSSLCertificate], _ key: NIOSSLPrivateKey) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = [applicationProtocol]
        configuration.shutdownTimeout = shutdownTime
        return try NIOSSLContext(configuration: configuration)
    }
}
