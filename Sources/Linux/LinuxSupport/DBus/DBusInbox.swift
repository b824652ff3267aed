internal import Synchronization

/// The commands of tasks to the thread of a connection, and the pipe that wakes it.
final class DBusInbox: Sendable {
    enum Command: Sendable {
        /// Wait until the bus has accepted us.
        case open(DBusWaiter)
        case call(DBusCall, within: Duration, DBusWaiter)
        /// End a wait whose task was cancelled.
        case cancel(DBusWaiter.ID)
        /// Send a signal.
        case emit(DBusSignal)
        /// Send the answer that a caller waits for.
        case answer(DBusOpenCall.ID, DBusAnswer)
        case close(CheckedContinuation<Void, Never>)

        /// Ends a command that is not carried out.
        func refuse(with error: DBusError) {
            switch self {
            case .open(let waiter), .call(_, _, let waiter): waiter.fail(error)
            case .close(let done): done.resume()
            case .cancel, .emit, .answer: break
            }
        }
    }

    private struct State {
        var commands: [Command] = []
        /// The thread has ended, so that the inbox is no longer read.
        var isClosed = false
    }

    /// Signalled when the inbox holds something.
    let wakePipe: WakePipe
    private let state = Mutex(State())

    /// - Throws: ``DBusError`` with `failed` if the system has no file left.
    init() throws(DBusError) {
        do { wakePipe = try WakePipe() } catch { throw DBusError(.failed, reason: "no descriptor is left: \(error)") }
    }

    func put(_ command: Command) {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            return true
        }
        guard isTaken else { return command.refuse(with: Self.ended) }
        wakePipe.signal()
    }

    func take() -> [Command] {
        wakePipe.drain()
        return state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Refuses all commands in the inbox and all that will be put there.
    func closeForGood() {
        let rest = state.withLock { state in
            defer { state.commands = [] }
            state.isClosed = true
            return state.commands
        }
        for command in rest { command.refuse(with: Self.ended) }
    }

    private static let ended = DBusError(.disconnected, reason: "the connection to the message bus has ended")
}

/// A task that waits for the outcome of its command. Only the thread that took the command resumes it.
struct DBusWaiter: Sendable, Identifiable {
    let id: Int
    let continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>

    func succeed(_ values: [DBusValue]) { continuation.resume(returning: .success(values)) }
    func fail(_ error: DBusError) { continuation.resume(returning: .failure(error)) }
}
