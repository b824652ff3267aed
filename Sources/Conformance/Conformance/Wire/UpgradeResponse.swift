internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The answer of a case's tunnel service: a right 101 (RFC 6455 section 4.2.2), or one with a mistake.
struct UpgradeResponse: Sendable {
    /// The first line.
    var statusLine = "HTTP/1.1 101 Switching Protocols"
    /// The header fields in their order; the value nil stands for the right `Sec-WebSocket-Accept`.
    var fields: [(name: String, value: String?)]

    /// The name of the field with which the service gives an authenticator its routing ID.
    static let routingIDField = "X-caBLE-Routing-ID"
    private static let acceptField = "Sec-WebSocket-Accept"

    /// The answer to an authenticator, with a routing ID, or to a client, without one.
    init(routingID: String?) {
        fields = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), (Self.acceptField, nil),
            ("Sec-WebSocket-Protocol", "fido.cable"),
        ]
        if let routingID { fields.append((Self.routingIDField, routingID)) }
    }

    /// A refusal: a status without a body.
    static func status(_ number: Int, extra: [(String, String)] = []) -> Self {
        var answer = Self(routingID: nil)
        answer.statusLine = "HTTP/1.1 \(number) Status"
        answer.fields = [("Content-Length", "0"), ("Connection", "close")] + extra.map { ($0.0, .some($0.1)) }
        return answer
    }

    /// The same with another field, or without it, or with it once more.
    func with(_ name: String, _ values: String...) -> Self {
        var answer = self
        answer.fields.removeAll { $0.name == name }
        answer.fields += values.map { (name, .some($0)) }
        return answer
    }

    /// The same with another first line.
    func with(statusLine: String) -> Self {
        var answer = self
        answer.statusLine = statusLine
        return answer
    }

    /// The answer's bytes.
    func bytes(to request: RequestHead, on connection: WireConnection) async throws -> [UInt8] {
        var text = statusLine + "\r\n"
        for field in fields {
            let value: String
            if let given = field.value { value = given } else { value = try await Self.digest(request, connection) }
            text += "\(field.name): \(value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    /// The digest of the request's key, made by NIO: SHA-1 is used for nothing else here.
    private static func digest(_ request: RequestHead, _ connection: WireConnection) async throws -> String {
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: request.path)
        head.headers.add(name: "Sec-WebSocket-Version", value: "13")
        for key in request["Sec-WebSocket-Key"] { head.headers.add(name: "Sec-WebSocket-Key", value: key) }
        let fields = try? await upgrader.buildUpgradeResponse(
            channel: connection.channel, upgradeRequest: head, initialResponseHeaders: [:]
        ).get()
        guard let digest = fields?[acceptField].first else {
            throw Deviation("its request has no usable Sec-WebSocket-Key")
        }
        return digest
    }
}
