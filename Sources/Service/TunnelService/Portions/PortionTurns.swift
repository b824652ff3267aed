import Glibc
import NIOCore
import NIOPosix

/// The connections of an event loop that have brought more than a portion: so many of them have one handed on in a
/// turn, or are read from, in the order in which they came, and the event loop looks at its sockets before the next
/// turn. Of others, of which nothing is handed on, a turn is taken only now and then.
///
/// NIO runs tasks until none is due, and only then looks at its sockets. So it is no task that begins a turn, but a
/// socket of its own that the event loop watches beside the others: however late a busy machine is, one turn at most
/// goes before the bytes that have come to them.
final class PortionTurns {
    /// The pause between two turns where there is no such socket: too many files are open, or the event loop has none.
    static var pause: TimeAmount { .microseconds(500) }
    /// The most portions of a turn. All others wait as long as these take, at each message: so they are few.
    static var largest: Int { 4 }

    private let rest: TimeAmount?
    private var waiting: [() -> Void] = []
    private var isScheduled = false
    private var bell: Bell?

    /// Makes turns for an event loop.
    ///
    /// - Parameter rest: the time before each turn; nil if it begins when the event loop has looked at its sockets.
    init(after rest: TimeAmount? = nil) { self.rest = rest }

    /// Runs `body`, which hands on a portion or reads, in the next turn that has room for it.
    func wait(in eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        waiting.append(body)
        schedule(in: eventLoop)
    }

    private func schedule(in eventLoop: any EventLoop) {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        if rest == nil {
            if bell == nil { bell = Bell(in: eventLoop) { [weak self] in self?.turn(in: eventLoop) } }
            guard bell?.ring() != true else { return }
        }
        eventLoop.assumeIsolated().scheduleTask(in: rest ?? Self.pause) { self.turn(in: eventLoop) }
    }

    private func turn(in eventLoop: any EventLoop) {
        guard isScheduled else { return }
        let turn = waiting.prefix(Self.largest)
        waiting.removeFirst(turn.count)
        for body in turn { body() }
        isScheduled = false
        schedule(in: eventLoop)
    }

    /// A pair of sockets of which an event loop watches one end, which both are closed when this dies.
    private final class Bell {
        private let button: CInt
        private let listener: Listener

        /// Makes a pair; nil if the process may have no more files, or the event loop watches none.
        init?(in eventLoop: any EventLoop, _ rung: @escaping () -> Void) {
            var ends: [CInt] = [-1, -1]
            let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard let bootstrap = NIOPipeBootstrap(validatingGroup: eventLoop),
                socketpair(AF_UNIX, kind, 0, &ends) == 0
            else { return nil }
            button = ends[1]
            listener = Listener(rung)
            let bound = NIOLoopBound(listener, eventLoop: eventLoop)
            let watched = bootstrap.channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }.takingOwnershipOfDescriptor(input: ends[0])
            // Not at once: its maker has not kept this yet.
            watched.assumeIsolated().whenFailure { [listener] _ in
                eventLoop.assumeIsolated().execute { listener.end() }
            }
        }

        deinit { close(button) }

        /// Has the event loop find its end readable when it looks at it next.
        ///
        /// - Returns: false if it will not.
        func ring() -> Bool { !listener.hasEnded && send(button, [1], 1, CInt(MSG_NOSIGNAL)) == 1 }
    }

    private final class Listener: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let rung: () -> Void
        private(set) var hasEnded = false

        init(_ rung: @escaping () -> Void) { self.rung = rung }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { rung() }

        func channelInactive(context: ChannelHandlerContext) { end() }

        /// Nobody who waits is forgotten.
        func end() {
            hasEnded = true
            rung()
        }
    }
}
