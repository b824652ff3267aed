extension ShimHello {
    /// Starts a shim, reads its first line, and ends it.
    ///
    /// - Parameters:
    ///   - command: its words.
    ///   - timeout: the longest time that it may take.
    /// - Throws: ``RunnerError`` with `cannot-start`, or with `shim` if it does not keep to <doc:ShimProtocol>;
    ///   `CancellationError`.
    public static func read(from command: CommandTemplate, timeout: Duration) async throws -> ShimHello {
        let process = try await ShimProcess.start(command.words)
        defer { process.end() }
        do {
            return try await within(timeout, "its first line") { try await process.hello() }
        } catch let deviation as Deviation {
            throw await process.error("it is not a shim: \(deviation.reason)")
        } catch let fault as ShimFault {
            throw await process.error("\(fault)")
        }
    }
}

/// A shim that plays no role: started, asked, and ended.
final class ShimProcess: Sendable {
    let pipe: ShimPipe
    private let program: PeerProgram
    private let over: Mailbox<Void>
    private let record: CaseRecord

    /// Starts a shim.
    ///
    /// - Throws: ``RunnerError`` with `cannot-start`.
    static func start(_ words: [String]) async throws -> ShimProcess {
        let pipes = Mailbox<ShimPipe>()
        let over = Mailbox<Void>()
        let record = CaseRecord()
        let program = try await PeerProgram.start(shim: words, record: record) { pipe, _ in
            pipes.put(pipe)
            _ = try? await over.next()
            return nil
        }
        guard let pipe = try await pipes.next() else { throw CancellationError() }
        return ShimProcess(pipe, program, over, record)
    }

    private init(_ pipe: ShimPipe, _ program: PeerProgram, _ over: Mailbox<Void>, _ record: CaseRecord) {
        (self.pipe, self.program, self.over, self.record) = (pipe, program, over, record)
    }

    /// Reads the first line.
    ///
    /// - Throws: ``ShimFault``, `CancellationError`.
    func hello() async throws -> ShimHello {
        guard let line = try await pipe.next() else { throw ShimFault("it ended without a line", line: 1) }
        guard case .hello(let hello) = line else { throw pipe.fault("\(line.type) comes before hello") }
        return hello
    }

    /// Kills it, and all that it has started.
    func end() {
        over.finish()
        program.kill()
    }

    /// An error with the last line of its standard error.
    func error(_ reason: String) async -> RunnerError {
        await record.errors.settle()
        let last = record.errors.lines.last.map { ", and wrote \(ShimFault.shown($0))" } ?? ""
        return RunnerError(.shim, reason: reason + last)
    }
}
