internal import HybridProtocol
internal import HybridTransport
internal import Synchronization
internal import TransportInterfaces
internal import TunnelProtocol

/// What a sign-in is judged by: its messages, as many, as long and in the same order, through a tunnel of the same
/// service and by the same client, with nothing sealed and nothing looked at.
struct BareExchange: Sendable {
    /// A message of a sign-in.
    struct Message: Sendable {
        let sender: Role
        let byteCount: Int
    }

    /// Opens the tunnels.
    let opener: any TunnelOpener
    /// Where.
    let service: TunnelURL.Service
    /// In the order in which they were sent.
    let messages: [Message]

    /// Opens and joins a tunnel, exchanges the messages and closes it; how many nanoseconds that took.
    func run() async throws -> Double {
        let duration = try await ContinuousClock().measure {
            let tunnelID = try TunnelID.random()
            let tunnel = try await opener.new(tunnelID, at: service)
            async let answering: Void = exchange(as: .authenticator, tunnel.channel)
            let channel = try await opener.connect(tunnelID, routingID: tunnel.routingID, at: service)
            try await exchange(as: .client, channel)
            try await answering
        }
        return duration / .nanoseconds(1)
    }

    private func exchange(as role: Role, _ channel: any DataChannel) async throws {
        for message in messages {
            if message.sender == role {
                try await channel.send([UInt8](repeating: 0x5A, count: message.byteCount))
            } else {
                guard try await channel.receive().count == message.byteCount else {
                    throw BenchError("a message has changed its length")
                }
            }
        }
        await channel.close()
    }

    /// Opens tunnels, and notes what is sent through them.
    final class Recorder: TunnelOpener {
        private let opener: any TunnelOpener
        private let noted = Mutex<[Message]>([])

        init(_ opener: any TunnelOpener) { self.opener = opener }

        /// What has been sent.
        var messages: [Message] { noted.withLock { $0 } }

        func open(_ url: String, contact: ContactHeaders?) async throws(DataChannelError) -> OpenedTunnel {
            let tunnel = try await opener.open(url, contact: contact)
            let role: Role = url.contains("/new/") ? .authenticator : .client
            return OpenedTunnel(
                channel: Channel(channel: tunnel.channel, role: role, recorder: self),
                routingIDHeader: tunnel.routingIDHeader, signalsConnection: tunnel.signalsConnection)
        }

        private struct Channel: DataChannel {
            let channel: any DataChannel
            let role: Role
            let recorder: Recorder

            var counts: MessageCounts { channel.counts }

            func send(_ message: [UInt8]) async throws(DataChannelError) {
                recorder.noted.withLock { $0.append(Message(sender: role, byteCount: message.count)) }
                try await channel.send(message)
            }

            func receive() async throws(DataChannelError) -> [UInt8] { try await channel.receive() }

            func close() async { await channel.close() }
        }
    }
}
