import NIOSSL
import Testing

/// An HTTP request for an upgrade, right or wrong.
struct Handshake: Sendable {
    static let tunnelID = "00112233445566778899aabbccddeeff"
    static let routingID = "a1b2c3"

    var method = "GET"
    var path = "/cable/new/\(tunnelID)"
    var version = "HTTP/1.1"
    var headers: [(String, String)] = [
        ("Host", "127.0.0.1"),
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Protocol", "fido.cable"),
    ]

    /// An authenticator's request.
    static func new(_ tunnelID: String = tunnelID) -> Handshake { Handshake(path: "/cable/new/\(tunnelID)") }

    /// A client's request.
    static func connect(_ tunnelID: String = tunnelID, routingID: String = routingID) -> Handshake {
        Handshake(path: "/cable/connect/\(routingID)/\(tunnelID)")
    }

    /// Replaces a header, or takes it away.
    func with(_ name: String, _ value: String?) -> Handshake {
        var changed = self
        changed.headers.removeAll { $0.0 == name }
        if let value { changed.headers.append((name, value)) }
        return changed
    }

    var text: String {
        "\(method) \(path) \(version)\r\n" + headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    }
}

/// The answer of a service.
struct Answer: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    var body = ""

    /// The values of a header.
    subscript(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

extension RawPeer {
    /// Sends a request and takes the head of the answer.
    func shake(_ handshake: Handshake) async throws -> Answer {
        try await send(handshake.text)
        return try await answerHead()
    }

    /// Takes the head of an answer.
    func answerHead() async throws -> Answer {
        let head = String(decoding: try await take(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), line[line.index(after: colon)...].drop { $0 == " " }.description)
        }
        return Answer(status: status, headers: headers)
    }

    /// Takes a whole answer that ends the connection.
    func lastAnswer() async throws -> Answer {
        var answer = try await answerHead()
        answer.body = String(decoding: try await takeToEnd(), as: UTF8.self)
        return answer
    }
}
