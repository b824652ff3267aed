internal import HybridProtocol
internal import NIOCore
internal import NIOEmbedded

/// One connection to an ``EmbeddedService``, and the bytes that the service has sent through it.
final class EmbeddedPeer {
    /// The values that a peer needs from the messages so far, to go on.
    struct Said {
        var contactIDs: [[UInt8]] = []
        var tunnelIDs: [[UInt8]] = []
    }

    private let channel: EmbeddedChannel
    private var received: [UInt8] = []
    private var hasUpgraded = false
    /// The last challenge that came.
    private(set) var challenge: [UInt8]?

    init(_ channel: EmbeddedChannel) { self.channel = channel }

    /// Sends bytes; the errors of the service are ignored.
    func send(_ bytes: [UInt8]) { _ = try? channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// Closes the connection. `finish` would cancel the service's pending tasks, on the event loop of all.
    func leave() {
        channel.close(promise: nil)
        channel.embeddedEventLoop.run()
    }

    /// Reads the bytes that came.
    func listen(_ said: inout Said) {
        while let buffer = try? channel.readOutbound(as: ByteBuffer.self) { received += buffer.readableBytesView }
        if !hasUpgraded {
            guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            received.removeSubrange(..<end.upperBound)
            hasUpgraded = true
        }
        while let payload = nextPayload() {
            switch try? ServiceMessage(decoding: payload) {
            case .hello(let challenge): self.challenge = challenge
            case .registered(let contactIDs, let nextChallenge):
                said.contactIDs = contactIDs
                challenge = nextChallenge
            case .wake(let wake): said.tunnelIDs = [wake.tunnelID]
            case nil: break
            }
        }
    }

    /// The payload of the next frame, which no service masks.
    private func nextPayload() -> [UInt8]? {
        guard received.count >= 2 else { return nil }
        var start = 2
        var count = Int(received[1])
        expect(count < 0x80, "a service masks its frames")
        if count == 126 {
            guard received.count >= 4 else { return nil }
            (start, count) = (4, Int(received[2]) << 8 | Int(received[3]))
        }
        guard count < 127 || start == 4, received.count >= start + count else { return nil }
        defer { received.removeFirst(start + count) }
        return Array(received[start..<start + count])
    }
}
