import NIOCore
import NIOSSL

/// A client's actions with a server.
struct Visit: Sendable {
    let port: Int
    let tls: NIOSSLContext?
    /// True for the echo of ``BareServer``.
    var isEcho = false

    /// The payload of the messages: as long as a handshake message (HT-HS-12).
    private static let message = [UInt8](repeating: 0x5A, count: 81)
    private static let closeFrame: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
    private static let closeFrameLength = 4
    private static let frameHeadLength = 2

    /// A binary frame with the message, masked with zeros.
    private static let frame = [0x82, 0x80 | UInt8(message.count), 0, 0, 0, 0] + message

    /// One set-up, used and ended: a tunnel, or with ``echo`` two connections that receive their own messages.
    func once(_ number: Int) async throws {
        if isEcho {
            let ends = [try await echo(), try await echo()]
            for end in ends {
                try await end.send(Self.closeFrame)
                try await end.receive(Self.closeFrameLength)
            }
            for end in ends { await end.close() }
        } else {
            let tunnel = try await open(number)
            try await tunnel.client.send(Self.closeFrame)
            try await tunnel.authenticator.receive(Self.closeFrameLength)
            try await tunnel.authenticator.send(Self.closeFrame)
            try await tunnel.client.receive(Self.closeFrameLength)
            await tunnel.client.close()
            await tunnel.authenticator.close()
        }
    }

    private func echo() async throws -> Wire {
        let end = try await Wire.connect(port, tls)
        try await end.upgrade("/echo")
        try await end.send(Self.frame)
        try await end.receive(Self.frameHeadLength + Self.message.count)
        return end
    }

    /// Opens and joins a tunnel, and passes a message each way.
    func open(_ number: Int) async throws -> Tunnel {
        let digits = String(number, radix: 16)
        let tunnelID = String(repeating: "0", count: 32 - digits.count) + digits
        let authenticator = try await Wire.connect(port, tls)
        try await authenticator.upgrade("/cable/new/\(tunnelID)")
        let client = try await Wire.connect(port, tls)
        try await client.upgrade("/cable/connect/000000/\(tunnelID)")
        for (sender, receiver) in [(client, authenticator), (authenticator, client)] {
            try await sender.send(Self.frame)
            try await receiver.receive(Self.frameHeadLength + Self.message.count)
        }
        return Tunnel(authenticator: authenticator, client: client)
    }
}

/// Both ends of a tunnel.
struct Tunnel: Sendable {
    let authenticator: Wire
    let client: Wire

    /// The payload of a relayed message, bytes: a sealed command with its padding, more or less.
    private static let messageByteCount = 256
    private static let relayedHeadLength = 4

    /// A binary frame with the message, masked.
    private static let frame: [UInt8] =
        [0x82, 0xFE, 0x01, 0x00, 1, 2, 3, 4] + .init(repeating: 7, count: messageByteCount)

    /// Sends messages to and fro, one after the other: two each time.
    func exchange(_ times: Int) async throws {
        for _ in 0..<times {
            for (sender, receiver) in [(client, authenticator), (authenticator, client)] {
                try await sender.send(Self.frame)
                try await receiver.receive(Self.relayedHeadLength + Self.messageByteCount)
            }
        }
    }

    func close() async {
        await client.close()
        await authenticator.close()
    }
}

/// Tunnels that are kept open.
actor HeldTunnels {
    private var tunnels: [Tunnel] = []

    func keep(_ tunnel: Tunnel) { tunnels.append(tunnel) }

    func close() async {
        for tunnel in tunnels { await tunnel.close() }
    }
}
