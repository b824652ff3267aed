import Foundation
import NIOConcurrencyHelpers
import TestPeers
import Testing

/// Somebody who has a user's password at a server of NATS, and speaks its protocol, to send messages that
/// no library sends.
///
/// Source: the client protocol in NATS's documentation.
final class NATSClient: Sendable {
    /// A message as it came.
    struct Message: Sendable {
        let subject: String
        let reply: String?
        let bytes: [UInt8]
    }

    private struct State {
        var messages: [Message] = []
        var handler: (@Sendable (Message) -> Void)?
    }

    private let socket: FileHandle
    private let state = NIOLockedValueBox(State())

    /// Connects to a server on this machine, and hears everything under `hybrid.`.
    init(_ port: Int, user: String, password: String) throws {
        let number = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        socket = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var name = sockaddr_in.loopback(port)
        let status = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        let options =
            "{\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true,\"echo\":false,"
            + "\"user\":\"\(user)\",\"pass\":\"\(password)\"}"
        try socket.write(contentsOf: Data("CONNECT \(options)\r\nSUB hybrid.> 1\r\n".utf8))
        Thread { [weak self, socket] in
            var buffer = Data()
            var part = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(socket.fileDescriptor, &part, part.count), count > 0 {
                buffer += part.prefix(count)
                while let taken = Self.take(buffer) {
                    buffer = Data(buffer.dropFirst(taken.count))
                    if taken.isPing { try? socket.write(contentsOf: Data("PONG\r\n".utf8)) }
                    if let message = taken.message { self?.received(message) }
                }
            }
        }.start()
    }

    /// Everything that has come so far.
    var messages: [Message] { state.withLockedValue { $0.messages } }

    /// Does something with each message from now on.
    func handle(_ handler: @escaping @Sendable (Message) -> Void) { state.withLockedValue { $0.handler = handler } }

    func publish(_ bytes: [UInt8], to subject: String, reply: String? = nil) {
        let head = "PUB \(subject) \(reply.map { $0 + " " } ?? "")\(bytes.count)\r\n"
        try? socket.write(contentsOf: Data(head.utf8) + Data(bytes) + Data("\r\n".utf8))
    }

    /// Says, in the server's name, that nobody listens.
    func denyListeners(to reply: String) {
        let header = "NATS/1.0 503\r\n\r\n"
        try? socket.write(
            contentsOf: Data("HPUB \(reply) \(header.utf8.count) \(header.utf8.count)\r\n\(header)\r\n".utf8))
    }

    func stop() {
        handle { _ in }
        shutdown(socket.fileDescriptor, CInt(SHUT_RDWR))
    }

    private func received(_ message: Message) {
        let handler = state.withLockedValue { state in
            state.messages.append(message)
            return state.handler
        }
        handler?(message)
    }

    /// The message that a server has sent first, and its length; nil while it is not whole.
    private static func take(_ buffer: Data) -> (count: Int, isPing: Bool, message: Message?)? {
        guard let end = buffer.range(of: Data("\r\n".utf8)) else { return nil }
        let line = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
        let head = end.upperBound - buffer.startIndex
        let words = line.split(separator: " ")
        guard words.first == "MSG" || words.first == "HMSG", let size = words.last.flatMap({ Int($0) }) else {
            return (head, line == "PING", nil)
        }
        guard buffer.count >= head + size + 2 else { return nil }
        let bytes = Array(buffer.dropFirst(head).prefix(size))
        let hasReply = words.count == (words.first == "MSG" ? 5 : 6)
        return (
            head + size + 2, false,
            Message(subject: String(words[1]), reply: hasReply ? String(words[3]) : nil, bytes: bytes)
        )
    }
}

/// A server of NATS for the time of a test: users node1 to node3, each with the rights that the article on
/// operating gives it.
func withNATS(_ body: (_ port: Int) async throws -> Void) async throws {
    let port = try FreePort.next()
    let users = (1...3).map { number in
        """
        { user: "node\(number)", password: "password\(number)", permissions: { publish: ["hybrid.>"],
          subscribe: ["hybrid.>", "_INBOX.00000\(number).>"], allow_responses: { max: 1, expires: "60s" } } }
        """
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "nats-\(UUID()).conf")
    try Data("listen: \"127.0.0.1:\(port)\"\nauthorization { users: [\(users.joined(separator: "\n"))] }\n".utf8)
        .write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await ChildProcess.with(["nats-server", "-c", file.path()]) { _ in try await body(port) }
}

/// True if there is a server of NATS to be started.
let hasNATS = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").contains { folder in
    FileManager.default.isExecutableFile(atPath: "\(folder)/nats-server")
}

extension sockaddr_in {
    fileprivate static func loopback(_ port: Int) -> Self {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return name
    }
}
