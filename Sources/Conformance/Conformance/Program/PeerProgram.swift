internal import Glibc
internal import LinuxSupport
internal import Subprocess
internal import Synchronization

/// The peer: a command that runs for one case, in a process group of its own, and is killed with all that it has
/// started when the case is over.
final class PeerProgram: Sendable {
    /// The end of a program.
    enum End: Equatable, Sendable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)
        /// A shim has said how its session ended, and why.
        case said(isGood: Bool, reason: String?)
        /// A shim has exited without a line that says how its session ended.
        case unannounced(Int32)

        var description: String {
            switch self {
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "signal \(signal)"
            case .said(let isGood, let reason): "ok \(isGood)" + (reason.map { ": \(ShimFault.shown($0))" } ?? "")
            case .unannounced(let status): "exit status \(status), without a line of type end"
            }
        }

        fileprivate init(_ status: TerminationStatus, isShim: Bool) {
            switch status {
            case .exited(let status): self = isShim ? .unannounced(status) : .exited(status)
            case .signaled(let signal): self = .signalled(signal)
            }
        }
    }

    /// A piece of a program's output.
    struct Piece: Sendable {
        /// The stream to which it writes.
        enum Stream: Sendable { case output, error }

        let stream: Stream
        let bytes: [UInt8]
    }

    private struct State {
        var end: End?
        /// The number of bytes that it has written, as far as they are kept.
        var outputCount = 0
        /// Kills the process group; nil as soon as the group's number may be in use again.
        var kill: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let pieces = Mailbox<Piece>()

    /// The number of bytes that are kept of its output, 1 MiB: the text of a QR code comes before.
    static let outputLimit = 1 << 20
    private let record: CaseRecord

    /// The time between two looks for the program's end.
    private static let pollInterval = Duration.milliseconds(5)
    /// The longest time that a program runs: more than any case takes.
    private static let timeLimit = Duration.seconds(86_400)

    /// A conversation with a shim on its standard streams.
    ///
    /// - Parameter output: takes text as if the program had written it.
    /// - Returns: the end that the shim has announced; nil if it has not.
    typealias Conversation = @Sendable (_ pipe: ShimPipe, _ output: @escaping @Sendable (String) -> Void) async -> End?

    private enum Input: Sendable {
        case bytes([UInt8])
        case conversation(Conversation)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, searched in PATH unless it has a slash, and its arguments.
    ///   - input: its standard input.
    ///   - record: gets its standard error, its start and its end.
    /// - Throws: ``RunnerError`` with `cannot-start`.
    static func start(
        _ command: [String], input: String?, record: CaseRecord
    ) async throws -> PeerProgram {
        try await start(command, .bytes(Array((input ?? "").utf8)), record)
    }

    /// Starts a shim. It is killed once the conversation with it is over, and it has had time to exit.
    ///
    /// - Parameters:
    ///   - command: as for ``start(_:input:record:)``.
    ///   - record: as for ``start(_:input:record:)``.
    ///   - conversation: the conversation with it.
    /// - Throws: ``RunnerError`` with `cannot-start`.
    static func start(
        shim command: [String], record: CaseRecord, _ conversation: @escaping Conversation
    ) async throws -> PeerProgram {
        try await start(command, .conversation(conversation), record)
    }

    private static func start(_ command: [String], _ input: Input, _ record: CaseRecord) async throws -> PeerProgram {
        let program = PeerProgram(record)
        try await withCheckedThrowingContinuation { (start: CheckedContinuation<Void, any Error>) in
            Task { await program.run(command, input, start) }
        }
        return program
    }

    private init(_ record: CaseRecord) { self.record = record }

    private func run(_ command: [String], _ input: Input, _ start: CheckedContinuation<Void, any Error>) async {
        var isStarted = false
        let isShim = if case .conversation = input { true } else { false }
        let mark = ChildMark()
        defer { mark.killAll() }
        do {
            let result = try await Subprocess.run(
                Configuration(command: command, variables: [ChildMark.variable: mark.value]), input: .inputWriter,
                output: .sequence, error: .sequence
            ) { execution in
                state.withLock { $0.kill = { execution.killGroup() } }
                defer { state.withLock { $0.kill = nil } }
                isStarted = true
                record.errors.begin()
                record.transcript.note("process", "the command was started")
                start.resume()
                switch input {
                case .bytes(let bytes): try await run(execution, bytes)
                case .conversation(let conversation): try await run(execution, conversation)
                }
            }
            let end = state.withLock { $0.end } ?? End(result.terminationStatus, isShim: isShim)
            record.transcript.note("process", "the command ended: \(end)")
            state.withLock { $0.end = end }
        } catch {
            let cause = Self.cause(error, startingWith: command.first)
            let name = command.first ?? "no command"
            if isStarted {
                state.withLock { $0.end = .signalled(Signal.kill.rawValue) }
            } else {
                start.resume(throwing: RunnerError(.cannotStart, reason: "\(name) cannot be started: \(cause)"))
            }
        }
        pieces.finish()
    }

    /// The reason for which a command was not started. swift-subprocess says of whatever is no program that there is no
    /// such file.
    private static func cause(_ error: any Error, startingWith program: String?) -> String {
        guard let error = error as? SubprocessError else { return "\(error)" }
        guard error.code == .executableNotFound, let program, program.contains("/") else { return error.cause }
        return ProgramPath.obstacle(at: program) ?? error.cause
    }

    private typealias Running = Execution<CustomWriteInput, SequenceOutput, SequenceOutput>

    private func run(_ execution: Running, _ input: [UInt8]) async throws {
        let standardInput = input.isEmpty ? nil : StandardInputProbe(execution.processIdentifier.value)
        async let feeding = Self.feed(input, to: execution.standardInputWriter)
        async let readingErrors: Void = readErrors(execution.standardError)
        for try await bytes in execution.standardOutput {
            put(Piece(stream: .output, bytes: bytes.withUnsafeBytes { Array($0) }))
        }
        let isFed = await feeding
        try await readingErrors
        await execution.waitForEndOfGroup(atMost: Self.timeLimit)
        if record.needsDelivery, !input.isEmpty, !isFed || standardInput?.isRead != true {
            record.track().noteUndelivered("it ended, and had not read its standard input")
        }
    }

    private func run(_ execution: Running, _ conversation: @escaping Conversation) async throws {
        let pipe = ShimPipe(StandardInputProbe(execution.processIdentifier.value), record)
        async let writing: Void = pipe.write(to: execution.standardInputWriter)
        async let readingErrors: Void = readErrors(execution.standardError, isKept: false)
        async let talking: Void = {
            let end = await conversation(pipe) { self.put(Piece(stream: .output, bytes: Array($0.utf8))) }
            pipe.settle()
            pipe.finishSending()
            if let end { self.state.withLock { $0.end = $0.end ?? end } }
            await execution.waitForEndOfGroup(atMost: ShimPipe.exitTime)
        }()
        for try await bytes in execution.standardOutput {
            guard pipe.take(bytes.withUnsafeBytes { Array($0) }) else {
                execution.killGroup()
                break
            }
        }
        pipe.finishLines()
        await talking
        await writing
        try await readingErrors
    }

    private func readErrors(_ sequence: SubprocessOutputSequence, isKept: Bool = true) async throws {
        defer { record.errors.end() }
        for try await piece in sequence {
            let bytes = piece.withUnsafeBytes { Array($0) }
            record.errors.put(bytes)
            if isKept { put(Piece(stream: .error, bytes: bytes)) }
        }
    }

    /// Keeps its output, until that is too much; later output is read, and lost.
    private func put(_ piece: Piece) {
        let isKept = state.withLock { state in
            state.outputCount += piece.bytes.count
            return state.outputCount <= Self.outputLimit
        }
        if isKept { pieces.put(piece) } else { pieces.finish() }
    }

    /// Writes its standard input.
    ///
    /// - Returns: false if the program ended, or closed its input, before everything was written.
    private static func feed(_ input: [UInt8], to writer: StandardInputWriter) async -> Bool {
        let count = try? await writer.write(input)
        try? await writer.finish()
        return count == input.count
    }

    /// True if it has written more than is kept.
    var hasWrittenTooMuch: Bool { state.withLock { $0.outputCount } > Self.outputLimit }

    /// The next piece of its standard output or error; nil when it writes no more.
    func nextOutput() async throws -> Piece? { try await pieces.next() }

    /// Outcome of the program; nil while it runs.
    func end() -> End? { state.withLock { $0.end } }

    /// Waits for its end.
    ///
    /// - Throws: `CancellationError`.
    func waitForEnd() async throws -> End {
        while true {
            if let end = end() { return end }
            try await Task.sleep(for: Self.pollInterval)
        }
    }

    /// Kills it and all that it has started, unless it has ended.
    func kill() { state.withLock { $0.kill?() } }
}

/// A second reader of a program's standard input, a pipe, who reads nothing: it learns whether the program has.
final class StandardInputProbe: Sendable {
    private let file: Int32

    /// Opens the pipe; nil if the program has closed it, or has ended.
    ///
    /// - Parameter process: the program's number.
    init?(_ process: pid_t) {
        file = open("/proc/\(process)/fd/0", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// True if nothing is left in the pipe.
    var isRead: Bool { unreadByteCount == 0 }

    /// The number of bytes in the pipe; nil if the system does not tell.
    var unreadByteCount: Int? {
        var byteCount: Int32 = 0
        return ioctl(file, UInt(FIONREAD), &byteCount) == 0 ? Int(byteCount) : nil
    }
}
