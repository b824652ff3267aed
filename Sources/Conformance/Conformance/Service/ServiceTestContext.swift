internal import Cryptography
public import Encodings
internal import NIOCore
internal import NIOSSL

/// The tunnel service that is tested, and how its certificate is trusted.
public struct ServiceSettings: Sendable {
    let target: WireTarget
    /// The time limit of each step of the service.
    var timeout: Duration
    /// The longest time that a tunnel waits for its client, as the service documents it; nil where that is not tested.
    public var pendingTime: Duration?
    /// True if the service is held to this project's own choices too: the rules whose certainty is policy.
    public var holdsPolicies = false

    /// The time limit of a whole case.
    var caseLimit: Duration { max(timeout * 6, (pendingTime ?? .zero) + timeout * 2) }

    private static let securePort: UInt16 = 443
    private static let plainPort: UInt16 = 80

    /// Takes the address of a service.
    ///
    /// - Parameters:
    ///   - isSecure: true if it uses TLS.
    ///   - host: its name or address, without brackets.
    ///   - port: its port; the scheme's own if nil.
    ///   - authorities: files of PEM certificates to trust beside the system's.
    ///   - timeout: the time limit of each step of the service.
    /// - Throws: ``RunnerError`` with `invalid-url` if the certificates cannot be used.
    public init(
        isSecure: Bool, host: String, port: UInt16?, authorities: [String], timeout: Duration
    ) throws(RunnerError) {
        var context: NIOSSLContext?
        if isSecure {
            var configuration = TLSConfiguration.makeClientConfiguration()
            do {
                let trusted = try authorities.flatMap { try NIOSSLCertificate.fromPEMFile($0) }
                configuration.additionalTrustRoots = trusted.isEmpty ? [] : [.certificates(trusted)]
                configuration.applicationProtocols = ["http/1.1"]
                configuration.shutdownTimeout = .milliseconds(300)
                do {
                    context = try NIOSSLContext(configuration: configuration)
                } catch {
                    // A container may have none of a system's.
                    guard !trusted.isEmpty else { throw error }
                    configuration.trustRoots = .certificates(trusted)
                    configuration.additionalTrustRoots = []
                    context = try NIOSSLContext(configuration: configuration)
                }
            } catch {
                throw RunnerError(.invalidURL, reason: "the certificates to trust cannot be read")
            }
        }
        target = WireTarget(host: host, port: Int(port ?? (isSecure ? Self.securePort : Self.plainPort)), tls: context)
        self.timeout = timeout
    }
}

/// The test context of a tunnel service's case: any number of authenticators and clients.
struct ServiceTestContext: Sendable {
    let target: WireTarget
    let timeout: Duration
    /// See ``ServiceSettings/pendingTime``.
    let pendingTime: Duration?
    private let connections: Mailbox<WireConnection>
    private let record: CaseRecord

    /// The key that RFC 6455 section 1.3 gives as its example, and the answer to it.
    static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    static let digest = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    /// Runs a case, and closes its connections.
    static func with(
        _ settings: ServiceSettings, record: CaseRecord, _ script: @escaping @Sendable (Self) async throws -> Void
    ) async throws {
        let connections = Mailbox<WireConnection>()
        let context = Self(
            target: settings.target, timeout: settings.timeout, pendingTime: settings.pendingTime,
            connections: connections, record: record)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await script(context)) } catch { outcome = .failure(error) }
        for connection in connections.takeAll() { connection.channel.close(promise: nil) }
        try outcome.get()
    }

    /// Connects.
    ///
    /// - Throws: ``Deviation`` if the service cannot be reached.
    func connect() async throws -> WireConnection {
        do {
            let connection = try await WireConnection.connect(to: target, record)
            connections.put(connection)
            return connection
        } catch {
            try Task.checkCancellation()
            throw Deviation("it cannot be connected to: \(error)")
        }
    }

    /// A request for a tunnel, right until a case changes it.
    func request(_ path: String) -> ServiceRequest { ServiceRequest(path: path, authority: target.authority) }

    /// Sends a request and waits for the head of its answer.
    func answer(to request: ServiceRequest) async throws -> (head: AnswerHead, connection: WireConnection) {
        let connection = try await connect()
        await connection.send(request.bytes, "request")
        return (try await answerHead(on: connection), connection)
    }

    /// Waits for the head of an answer.
    func answerHead(on connection: WireConnection) async throws -> AnswerHead {
        let bytes = try await within(timeout, "its answer") { try await connection.takeHead() }
        guard let bytes else { throw Deviation("the head of its answer has no end") }
        return try AnswerHead(bytes)
    }

    /// A new tunnel ID: 32 lower-case hexadecimal digits.
    static func tunnelID() -> String { Hexadecimal.encode(randomBytes(count: 16)) }

    /// An authenticator that has opened its tunnel.
    struct Authenticator: Sendable {
        let tunnelID: String
        /// The digits in the case that the service wrote them in.
        let routingID: String
        let socket: WebSocketEnd
    }

    /// Opens a tunnel.
    func authenticator(_ tunnelID: String? = nil, _ change: (ServiceRequest) -> ServiceRequest = { $0 }) async throws
        -> Authenticator
    {
        let tunnelID = tunnelID ?? Self.tunnelID()
        let (head, connection) = try await answer(to: change(request("/cable/new/\(tunnelID)")))
        guard head.status == 101 else { throw Deviation("it answers /cable/new/ with status \(head.status)") }
        guard let routingID = head["X-caBLE-Routing-ID"].first else {
            throw Deviation("its answer to /cable/new/ has no routing ID")
        }
        return Authenticator(
            tunnelID: tunnelID, routingID: routingID, socket: WebSocketEnd(connection: connection, side: .client))
    }

    /// Joins a tunnel.
    func client(
        of authenticator: Authenticator, _ change: (ServiceRequest) -> ServiceRequest = { $0 }
    ) async throws -> WebSocketEnd {
        let (head, connection) = try await answer(
            to: change(request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)")))
        guard head.status == 101 else { throw Deviation("it answers /cable/connect/ with status \(head.status)") }
        return WebSocketEnd(connection: connection, side: .client)
    }

    /// A tunnel with both its ends.
    struct Tunnel: Sendable {
        let authenticator: WebSocketEnd
        let client: WebSocketEnd
    }

    /// Opens and joins a tunnel.
    func tunnel() async throws -> Tunnel {
        let authenticator = try await authenticator()
        return Tunnel(authenticator: authenticator.socket, client: try await client(of: authenticator))
    }

    /// Waits for a message.
    func message(_ socket: WebSocketEnd) async throws -> [UInt8] {
        try await within(timeout, "a message through the tunnel") { try await socket.message() }
    }

    /// Sends a message and demands that it arrives as it was sent.
    func carries(_ message: [UInt8], from: WebSocketEnd, to: WebSocketEnd) async throws {
        await from.send(message)
        try await arrives(message, at: to)
    }

    /// Demands that a message arrives.
    func arrives(_ message: [UInt8], at socket: WebSocketEnd) async throws {
        let received = try await self.message(socket)
        guard received == message else {
            throw Deviation("a message of \(message.count) bytes arrives as another one of \(received.count)")
        }
    }

    /// Demands that the service ends a connection, with a Close frame or without, and that no message comes before.
    ///
    /// - Parameter limit: within how long; as long as any step may take if nil.
    func ends(_ socket: WebSocketEnd, within limit: Duration? = nil) async throws {
        do {
            let message = try await within(limit ?? timeout, "the end of the connection") {
                try await socket.message()
            }
            throw Deviation("a message of \(message.count) bytes comes where the connection should end")
        } catch is WebSocketEnd.Closed {
            await socket.connection.close()
        }
    }

    /// Demands that the service still works: a new tunnel carries a message in each direction.
    func isAlive() async throws {
        do {
            let tunnel = try await tunnel()
            try await carries([1, 2, 3], from: tunnel.client, to: tunnel.authenticator)
            try await carries([4, 5], from: tunnel.authenticator, to: tunnel.client)
        } catch let deviation as Deviation {
            throw Deviation("afterwards a new tunnel does not work: \(deviation.reason)")
        }
    }
}

/// An HTTP request, right or wrong.
struct ServiceRequest: Sendable {
    var method = "GET"
    var path: String
    var version = "HTTP/1.1"
    var fields: [(name: String, value: String)]
    var body = ""

    /// The request of a client or an authenticator.
    init(path: String, authority: String) {
        self.path = path
        fields = [
            ("Host", authority), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", ServiceTestContext.key), ("Sec-WebSocket-Protocol", "fido.cable"),
        ]
    }

    /// The same with other values of a field, or without it.
    func with(_ name: String, _ values: String...) -> Self {
        var request = self
        request.fields.removeAll { $0.name == name }
        request.fields += values.map { (name, $0) }
        return request
    }

    /// The same with another method, version or body.
    func with(method: String? = nil, version: String? = nil, body: String? = nil) -> Self {
        var request = self
        request.method = method ?? request.method
        request.version = version ?? request.version
        request.body = body ?? request.body
        return request
    }

    /// The request's bytes.
    var bytes: [UInt8] {
        let head = "\(method) \(path) \(version)\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        return Array((head + body).utf8)
    }
}
