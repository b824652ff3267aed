internal import HybridProtocol
internal import HybridTransport
internal import Synchronization

/// The measure of a sign-in: its messages and its advert, as many, as long and in the same order, through a tunnel of
/// the same service and by the same client, with nothing sealed and nothing looked at.
struct BareExchange: Sendable {
    /// A message of a sign-in.
    struct Message: Sendable {
        let sender: Role
        let byteCount: Int
    }

    /// Opens the tunnels.
    let opener: any TunnelOpener
    /// The tunnel service.
    let service: TunnelURL.Service
    /// In the order in which they were sent.
    let messages: [Message]
    /// The computation between them; nil without one.
    var calls: SignInCalls?

    /// The places in ``messages`` before which, or after which, something is computed.
    private enum Place {
        static let handshakeResponse = 1
        static let assertion = 5
    }

    /// Opens and joins a tunnel, exchanges the messages and closes it; how many nanoseconds that took.
    func run() async throws -> Double {
        let duration = try await ContinuousClock().measure {
            let scan = try await BareAdvert.Scan.begin()
            try calls?.drawKey()
            try calls?.importKey()
            let tunnelID = TunnelID.random()
            let tunnel = try await opener.open(TunnelRequest(.new(tunnelID, at: service)))
            async let answering: Void = scan.advertise { try await exchange(as: .authenticator, tunnel.channel) }
            try await scan.heard()
            let channel = try await opener.open(
                TunnelRequest(.connect(tunnelID, routingID: tunnel.routingID, at: service))
            ).channel
            try await exchange(as: .client, channel)
            try await scan.end()
            try await answering
            try calls?.verify()
        }
        return duration / .nanoseconds(1)
    }

    private func exchange(as role: Role, _ channel: any DataChannel) async throws {
        for (place, message) in messages.enumerated() {
            if message.sender == role {
                switch place {
                case Place.handshakeResponse: try calls?.responder()
                case Place.assertion: _ = try calls?.sign()
                default: break
                }
                try await channel.send([UInt8](repeating: 0x5A, count: message.byteCount))
            } else {
                guard try await channel.receive().count == message.byteCount else {
                    throw BenchError("a message has changed its length")
                }
                if place == Place.handshakeResponse { try calls?.initiator() }
            }
        }
        await channel.close()
    }

    /// Opens tunnels, and notes the messages through them.
    final class Recorder: TunnelOpener {
        private let opener: any TunnelOpener
        private let noted = Mutex<[Message]>([])

        init(_ opener: any TunnelOpener) { self.opener = opener }

        /// The messages that have been sent.
        var messages: [Message] { noted.withLock { $0 } }

        func open(_ request: TunnelRequest) async throws(DataChannelError) -> OpenedTunnel {
            let tunnel = try await opener.open(request)
            let role: Role = request.url.contains("/new/") ? .authenticator : .client
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
