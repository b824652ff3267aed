internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// What tasks want from the thread of a connection, and the bell that wakes it.
final class DBusInbox: Sendable {
    enum Wish: Sendable {
        /// Wait until the bus has let us in.
        case open(DBusTicket)
        case call(DBusCall, DBusTicket)
        /// Look whether somebody no longer waits.
        case look
        case close(CheckedContinuation<Void, Never>)
    }

    private struct State {
        var wishes: [Wish] = []
        /// The thread is gone: nobody reads the inbox any more.
        var isClosed = false
    }

    /// Readable when the inbox holds something: one end of a pipe.
    let bell: Int32
    private let clapper: Int32
    private let state = Mutex(State())
    /// More than can be in the pipe unread, but for a flood of wishes.
    private static let rings = 64

    init() throws(DBusError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw DBusError(.failed, reason: "no file is left: \(SystemText.error(errno))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        bell = ends[0]
        clapper = ends[1]
    }

    deinit {
        close(bell)
        close(clapper)
    }

    func put(_ wish: Wish) {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.wishes.append(wish)
            return true
        }
        guard isTaken else { return Self.refuse(wish) }
        // It cannot fail but for a full pipe, and then the bell rings already.
        var ring: UInt8 = 0
        _ = write(clapper, &ring, 1)
    }

    func take() -> [Wish] {
        var rings = [UInt8](repeating: 0, count: Self.rings)
        _ = read(bell, &rings, Self.rings)
        return state.withLock { state in
            defer { state.wishes = [] }
            return state.wishes
        }
    }

    /// Refuses whatever is in the inbox and whatever will be put there.
    func closeForGood() {
        let rest = state.withLock { state in
            defer { state.wishes = [] }
            state.isClosed = true
            return state.wishes
        }
        for wish in rest { Self.refuse(wish) }
    }

    private static func refuse(_ wish: Wish) {
        switch wish {
        case .open(let ticket), .call(_, let ticket):
            ticket.settle(.failure(DBusError(.disconnected, reason: "the connection to the message bus has ended")))
        case .close(let done): done.resume()
        case .look: break
        }
    }
}

/// One task's wait for an answer.
final class DBusTicket: Sendable {
    typealias Answer = Result<[DBusValue], DBusError>

    private struct State {
        var continuation: CheckedContinuation<Answer, Never>?
        var isCancelled = false
    }

    let deadline: ContinuousClock.Instant
    private let state = Mutex(State())

    init(deadline: ContinuousClock.Instant) { self.deadline = deadline }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func expect(_ continuation: CheckedContinuation<Answer, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Tells the task; the first answer counts.
    func settle(_ answer: Answer) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: answer)
    }
}
