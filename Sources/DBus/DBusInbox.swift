internal import Polling
internal import Synchronization

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

    /// Rings when the inbox holds something.
    let bell: Bell
    private let state = Mutex(State())

    /// - Throws: ``DBusError`` with `failed` if the system has no file left.
    init() throws(DBusError) {
        do { bell = try Bell() } catch { throw DBusError(.failed, reason: "no file is left: \(error)") }
    }

    func put(_ wish: Wish) {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.wishes.append(wish)
            return true
        }
        guard isTaken else { return Self.refuse(wish) }
        bell.ring()
    }

    func take() -> [Wish] {
        bell.hush()
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
