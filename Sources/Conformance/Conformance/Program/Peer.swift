internal import Synchronization

/// The command of one case: started once or several times, watched, and ended with the case.
final class Peer: Sendable {
    private let template: CommandTemplate
    private let values: CommandTemplate.Values
    /// The time limit of each step of the command, and of its end.
    let timeout: Duration
    let record: CaseRecord
    private let programs = Mutex<[PeerProgram]>([])

    /// Exit statuses of shells and their like for a program that was ended by one of these signals:
    /// ILL, TRAP, ABRT, BUS, FPE, KILL, SEGV, PIPE, XCPU, XFSZ and SYS.
    private static let crashStatuses: Set<Int32> = [132, 133, 134, 135, 136, 137, 139, 141, 152, 153, 159]

    private static let grace = Duration.milliseconds(200)

    init(
        _ template: CommandTemplate, _ values: CommandTemplate.Values, timeout: Duration, record: CaseRecord
    ) {
        self.template = template
        self.values = values
        self.timeout = timeout
        self.record = record
    }

    /// True if the command is a shim.
    var isShim: Bool { template.shim != nil }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - other: another command than the usual one.
    ///   - url: the text of a QR code, for an authenticator.
    @discardableResult
    func start(_ other: CommandTemplate? = nil, url: String? = nil) async throws -> PeerProgram {
        let template = other ?? template
        if let task = template.shim {
            let bridge = ShimBridge(task: task, url: url, values: values, record: record)
            let program = try await PeerProgram.start(shim: template.filled(values), record: record, bridge.run)
            programs.withLock { $0.append(program) }
            return program
        }
        var values = values
        values.url = url
        let input = template.urlOnStandardInput ? url.map { $0 + "\n" } : nil
        let program = try await PeerProgram.start(template.filled(values), input: input, record: record)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Waits until the command, started last, has ended by itself.
    ///
    /// - Returns: its exit status.
    /// - Throws: ``Deviation`` if it is still running in the end, or has crashed.
    @discardableResult
    func ended() async throws -> Int32 {
        guard let program = programs.withLock({ $0.last }) else { throw Deviation("the command was not started") }
        switch try await within(timeout, "the end of the command", { try await program.waitForEnd() }) {
        case .exited(let status):
            guard !Self.crashStatuses.contains(status) else { throw Deviation("it crashed: exit status \(status)") }
            return status
        case .signalled(let signal): throw Deviation("it was ended by signal \(signal)")
        case .said(let isGood, _): return isGood ? 0 : 1
        case .unannounced(let status):
            throw Deviation("it crashed: exit status \(status), without a line of type end")
        }
    }

    /// Waits until the command has ended by itself, successfully.
    func succeeded() async throws {
        let status = try await ended()
        guard status == 0 else { throw Deviation("it ended with exit status \(status)") }
    }

    /// Waits until the command has ended by itself with a failure.
    func failed() async throws {
        guard try await ended() != 0 else { throw Deviation("it ended with exit status 0, as if all had gone well") }
    }

    /// Waits for something that the command has to do, and no longer than the command runs.
    ///
    /// - Throws: ``Deviation`` that names the step that did not come.
    func awaits<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let program = programs.withLock({ $0.last }) else { throw Deviation("the command was not started") }
        let start = ContinuousClock.now
        defer { record.note(step: .now - start) }
        return try await within(timeout, what) {
            try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    let end = try await program.waitForEnd()
                    // The result of its last step may still be in transit.
                    try await Task.sleep(for: Self.grace)
                    throw Deviation("it ended before \(what): \(end)")
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() else { throw CancellationError() }
                return result
            }
        }
    }

    /// Waits for something for as long as a step of the command may take.
    ///
    /// - Returns: nil if it did not come.
    func unlessTimedOut<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        do { return try await within(timeout, "it", body) } catch is Deviation { return nil }
    }

    /// True if the command, started last, has ended.
    var hasEnded: Bool { programs.withLock { $0.last?.end() } != nil }

    /// Ends whatever is still running.
    func kill() {
        let running = programs.withLock { programs in
            defer { programs = [] }
            return programs
        }
        for program in running { program.kill() }
    }
}
