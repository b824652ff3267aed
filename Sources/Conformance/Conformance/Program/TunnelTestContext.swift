internal import Cryptography
internal import HybridProtocol

/// The common part of an authenticator's and a client's test context: a command that connects to the case's tunnel
/// service.
protocol TunnelTestContext: Sendable {
    var peer: Peer { get }
    var service: WireListener { get }
    /// The service's certificates; nil without TLS.
    var identity: ServiceIdentity? { get }
    /// The answer with which the command gets its tunnel.
    var acceptance: UpgradeResponse { get }

    /// Brings the command so far that it has connected to its tunnel service.
    func atConnection() async throws -> WireConnection

    /// Brings the command so far that it has asked for its tunnel.
    func atRequest() async throws -> PendingRequest

    /// Brings the command so far that it waits for our handshake message.
    func atHandshake(_ answer: UpgradeResponse, sending: PendingRequest.Style) async throws -> OpenHandshake

    /// Answers the request for a tunnel in a way that gives none, and demands that the command does not use it.
    func refusesAnswer(_ answer: UpgradeResponse) async throws

    /// Demands that the command has done nothing for which it would need a tunnel.
    func checkHasNoTunnel() throws

    /// Demands that the command goes no further, and ends with a failure.
    func givesUp(_ socket: WebSocketEnd) async throws

    /// Demands the same of a session after the handshake.
    func givesUp(_ session: TunnelSession) async throws
}

/// A request for a tunnel that waits for its answer.
struct PendingRequest: Sendable {
    let head: RequestHead
    let connection: WireConnection

    /// The manner in which an answer is sent.
    enum Style: Sendable {
        case atOnce, byteByByte
        /// With these bytes in the same packet.
        case followed(by: [UInt8])
        case after(Duration)
    }

    /// Answers, and makes a WebSocket of the connection.
    func answer(_ answer: UpgradeResponse, _ style: Style = .atOnce) async throws -> WebSocketEnd {
        let bytes = try await answer.bytes(to: head, on: connection)
        let name = "answer"
        switch style {
        case .atOnce: await connection.send(bytes, name)
        case .byteByByte: try await connection.sendByteByByte(bytes)
        case .followed(let more): await connection.send(bytes + more, name)
        case .after(let delay):
            try await Task.sleep(for: delay)
            await connection.send(bytes, name)
        }
        return WebSocketEnd(connection: connection, side: .server)
    }
}

/// A handshake in which it is our turn.
struct OpenHandshake: Sendable {
    let socket: WebSocketEnd
    /// The message that is due now: 81 bytes.
    let message: [UInt8]
    /// The right message, but for one thing.
    let wrong: @Sendable (HandshakeMistake) throws -> [UInt8]
    /// Completes the session after the right message.
    let complete: @Sendable () async throws -> Void
}

/// A mistake in a handshake message that is well-formed.
enum HandshakeMistake: Sendable {
    case presharedKey, staticKey, payload, pattern
}

extension TunnelTestContext {
    /// The connection of the command, which was started before.
    func connection() async throws -> WireConnection {
        try await peer.awaits("a connection to the tunnel service") { [service] in try await service.accept() }
    }

    /// The request of the command, which was started before.
    func request() async throws -> PendingRequest {
        try await Self.request(on: connection(), timeout: peer.timeout)
    }

    static func request(on connection: WireConnection, timeout: Duration) async throws -> PendingRequest {
        let head = try await within(timeout, "its request to the tunnel service") { try await connection.takeHead() }
        guard let head else { throw Deviation("its request to the tunnel service has no end") }
        return PendingRequest(head: try RequestHead(head), connection: connection)
    }

    /// Demands that the command goes no further than this: no message comes from it.
    func staysSilent(_ socket: WebSocketEnd) async throws {
        do {
            let message = try await within(peer.timeout, "its end") { try await socket.message() }
            throw Deviation("it goes on, with a message of \(message.count) bytes")
        } catch is WebSocketEnd.Closed {
            await socket.connection.close()
        }
    }

    /// Waits until the command has ended, by itself and not by a crash, whatever it says until then.
    func endsAfter(_ socket: WebSocketEnd) async throws {
        do {
            try await within(peer.timeout, "its end") { while true { _ = try await socket.message() } }
        } catch is WebSocketEnd.Closed {
            await socket.connection.close()
        }
        try await peer.ended()
    }
}
