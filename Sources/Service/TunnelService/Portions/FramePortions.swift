import NIOCore
import NIOWebSocket

/// Decodes a WebSocket's frames, so many at a time.
struct FramePortions: InboundPortions {
    /// The most frames of a portion.
    static let largest = 32

    private let decoder: WebSocketFrameDecoder

    /// Decodes frames with at most so many bytes of payload.
    init(maximumFrameBytes: Int) { decoder = WebSocketFrameDecoder(maxFrameSize: maximumFrameBytes) }

    func handOn(from bytes: inout ByteBuffer, in context: ChannelHandlerContext) throws -> Bool {
        for _ in 0..<Self.largest {
            guard case .continue = try decoder.decode(context: context, buffer: &bytes) else { return false }
        }
        return bytes.readableBytes > 0
    }
}

/// The connections of an event loop of which portions wait: so many of them have one handed on in a turn, in the order
/// in which they came, and the event loop looks at its sockets before the next turn.
///
/// One task does it for all. NIO runs tasks until none is due, and only then looks at its sockets: those of many
/// connections, each with a pause of its own, would always be due.
final class PortionTurns {
    /// The pause between two turns. The event loop looks at its sockets in it; tasks without a delay run before. A busy
    /// machine may take 100 µs for that, after which the next turn would be due before the sockets.
    static var pause: TimeAmount { .microseconds(500) }
    /// The most portions of a turn.
    static var largest: Int { 64 }

    private var waiting: [() -> Void] = []
    private var isScheduled = false

    /// Runs `body`, which hands on a portion, in the next turn that has room for it.
    func wait(in eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        waiting.append(body)
        schedule(in: eventLoop)
    }

    private func schedule(in eventLoop: any EventLoop) {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            let turn = self.waiting.prefix(Self.largest)
            self.waiting.removeFirst(turn.count)
            for body in turn { body() }
            self.isScheduled = false
            self.schedule(in: eventLoop)
        }
    }
}
