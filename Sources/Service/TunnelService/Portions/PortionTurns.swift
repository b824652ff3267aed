import NIOCore

/// The connections of an event loop of which portions wait: so many of them have one handed on in a turn, in the order
/// in which they came, and the event loop looks at its sockets before the next turn.
///
/// One task does it for all. NIO runs tasks until none is due, and only then looks at its sockets: those of many
/// connections, each with a pause of its own, would always be due.
final class PortionTurns {
    /// The pause between two turns. The event loop looks at its sockets in it; tasks without a delay run before.
    static var pause: TimeAmount { .microseconds(100) }
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
