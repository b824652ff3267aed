import CommandLine
import Glibc
import LinuxSupport
import Synchronization

/// The service for a browser on another machine: one connection a request, and one request at a time.
///
/// Its other end is hostile for all that is known: a second connection is refused at once, the first has ten seconds
/// for its request, and whatever it sends after that ends the request, as its end does.
final class BrowserService: Sendable {
    /// The longest time for a request to come whole, and for an answer to be taken.
    private static let transferLimit = Duration.seconds(10)

    private let path: String
    private let listener: Int32
    private let wake: WakePipe
    private let shared = Mutex(Shared())

    private struct Shared {
        var isStopped = false
        /// The answer that was made last, and the number of its request.
        var answer: (request: Int, message: [UInt8])?
        /// True once the task of a request has ended, until that is seen.
        var hasEnded = false
    }

    /// Makes the answer to a request, a whole message, and gives it away as soon as it is there.
    typealias Responder =
        @Sendable (_ request: [UInt8], _ answer: @escaping @Sendable (_ message: [UInt8]) -> Void) async -> Void

    /// A connection.
    private struct Caller {
        let file: Int32
        let number: Int
        let deadline: ContinuousClock.Instant
        var message = BrowserMessage()
        var request: [UInt8]?
        var task: Task<Void, Never>?

        func end() {
            task?.cancel()
            close(file)
        }
    }

    /// Listens at a path.
    ///
    /// - Throws: ``Failure``; `Errno`.
    init(at path: String) throws {
        wake = try WakePipe()
        listener = try BrowserSocket.listen(at: path)
        self.path = path
    }

    deinit { close(listener) }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter respond: its task is cancelled if the caller goes before the answer; the next request waits for it.
    func run(_ respond: @escaping Responder) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do {
                    try PollThread.start { [self] in
                        serve(respond)
                        continuation.resume(throwing: CancellationError())
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            shared.withLock { $0.isStopped = true }
            wake.signal()
        }
    }

    private func serve(_ respond: @escaping Responder) {
        var caller: Caller?
        var count = 0
        /// True while a task runs, be it that of a caller who has gone.
        var isBusy = false
        func drop() {
            caller?.end()
            caller = nil
        }
        /// Reads all that the caller has sent: one that has gone keeps nobody out.
        func hear() {
            while let file = caller?.file, PollThread.poll([(file, Int32(POLLIN))], atMost: .zero) != [0] {
                switch caller?.request == nil ? caller?.message.read(from: file) : .ended {
                case .complete(let request): caller?.request = request
                case .ended: drop()
                case .partial, nil: break
                }
            }
        }
        while true {
            let isReading = caller.map { $0.request == nil } ?? false
            let ready = PollThread.poll(
                [(listener, Int32(POLLIN)), (caller?.file ?? -1, Int32(POLLIN)), (wake.file, Int32(POLLIN))],
                atMost: isReading ? caller.map { max(.zero, $0.deadline - .now) } : nil)
            if ready[2] != 0 {
                wake.drain()
                let (isStopped, made, hasEnded) = shared.withLock { shared in
                    defer { (shared.answer, shared.hasEnded) = (nil, false) }
                    return (shared.isStopped, shared.answer, shared.hasEnded)
                }
                if let made, let current = caller, current.number == made.request {
                    Self.send(made.message, to: current.file)
                    // Its task ends the session, for which the browser need not wait.
                    close(current.file)
                    caller = nil
                }
                if hasEnded { isBusy = false }
                if isStopped {
                    unlink(path)
                    return drop()
                }
            }
            if ready[1] != 0 { hear() }
            if let current = caller, current.request == nil, current.deadline < .now { drop() }
            if !isBusy, let current = caller, current.task == nil, let request = current.request {
                isBusy = true
                caller?.task = Task { [self] in
                    await respond(request) { [self] message in
                        shared.withLock { $0.answer = (current.number, message) }
                        wake.signal()
                    }
                    shared.withLock { $0.hasEnded = true }
                    wake.signal()
                }
            }
            if ready[0] != 0, let file = accepted() {
                hear()
                if caller == nil {
                    count += 1
                    caller = Caller(file: file, number: count, deadline: .now + Self.transferLimit)
                } else {
                    Self.send(BrowserAnswer.refusal.message, to: file)
                    close(file)
                }
            }
        }
    }

    /// A connection of this user's; nil for anybody else's.
    private func accepted() -> Int32? {
        let file = accept(listener, nil, nil)
        guard file >= 0 else { return nil }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        _ = fcntl(file, F_SETFL, O_NONBLOCK)
        guard BrowserSocket.isOwn(file) else {
            close(file)
            return nil
        }
        return file
    }

    /// Sends a message to who takes it in time.
    private static func send(_ message: [UInt8], to file: Int32) {
        var rest = message[...]
        let deadline = ContinuousClock.now + (message.count > 4_096 ? transferLimit : .zero)
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN, deadline > .now {
                PollThread.poll([(file, Int32(POLLOUT))], atMost: deadline - .now)
            } else if errno != EINTR {
                return
            }
        }
    }
}
