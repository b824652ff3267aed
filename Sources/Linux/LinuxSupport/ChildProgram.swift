internal import Subprocess
internal import SystemPackage

/// Runs other programs for their output, without a shell and within limits of time and length.
package enum ChildProgram {
    /// Reason why there is no output.
    package enum Problem: Error {
        /// The program is not installed.
        case missing
        case timeUp
        case tooLong
        /// The program cannot be run; the system's words.
        case failed(String)
    }

    /// Standard input of a program.
    package enum Input: Sendable {
        /// /dev/null.
        case none
        /// Bytes, which the program need not read.
        case bytes([UInt8])
        /// An open file of ours.
        case file(Int32)
    }

    /// Outcome of a program.
    package enum End: Equatable {
        case exited(Int32)
        /// Killed by us, since its output was enough.
        case stopped
        case killed
    }

    package typealias Output = (output: [UInt8], end: End)

    /// Bounds of a run.
    package struct Limits: Sendable {
        /// The longest time until the program's end.
        package let time: Duration
        /// The most bytes on its standard output.
        package let length: Int
        let timer: DeadlineTimer

        package init(time: Duration, length: Int, timer: DeadlineTimer = .continuous) {
            self.time = time
            self.length = length
            self.timer = timer
        }
    }

    /// Runs a program until it ends, and kills the processes that it leaves running in its group.
    ///
    /// The program is killed with its group when the time is up, the task is cancelled, it has written too much, or its
    /// output is enough. Of our open files it gets `input` only.
    ///
    /// - Parameters:
    ///   - command: the program, searched in PATH unless it has a slash, and its arguments.
    ///   - input: its standard input.
    ///   - environment: the names of the variables that are passed on; nil for all of them.
    ///   - limits: the bounds of time and length.
    ///   - onErrorLine: gets each line of its standard error.
    ///   - settling: the time for which it is read on when its output is enough.
    ///   - isEnough: true if its output so far is enough.
    /// - Throws: ``Problem``; `CancellationError`.
    package static func run(
        _ command: [String], input: Input = .none, environment: [String]? = nil, limits: Limits,
        onErrorLine: @escaping @Sendable (String) -> Void = { _ in }, settling: Duration = .zero,
        until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
    ) async throws -> Output {
        let run = Run(
            configuration: Configuration(command: command, environment: environment), limits: limits,
            onErrorLine: onErrorLine, settling: settling, isEnough: isEnough)
        return try await run.withinLimits(input)
    }

    /// Runs a program that asks the user something until it ends. The kernel ends it if this process ends first.
    ///
    /// - Parameters:
    ///   - dialogue: the program, searched in PATH unless it has a slash, and its arguments.
    ///   - variables: variables of its environment, beside ours.
    ///   - input: its standard input.
    ///   - limits: the bounds of time and length.
    /// - Throws: as ``run(_:input:environment:limits:onErrorLine:settling:until:)``.
    package static func run(
        dialogue: [String], variables: [String: String], input: Input, limits: Limits
    ) async throws -> Output {
        guard let program = dialogue.first, let path = ProgramPath.find(program) else { throw Problem.missing }
        let run = Run(
            configuration: Configuration(dialogue: [path] + dialogue.dropFirst(), variables: variables),
            limits: limits, onErrorLine: { _ in }, settling: .zero, isEnough: { _ in false })
        return try await run.withinLimits(input)
    }

    /// One run of a program.
    private struct Run: Sendable {
        let configuration: Configuration
        let limits: Limits
        let onErrorLine: @Sendable (String) -> Void
        let settling: Duration
        let isEnough: @Sendable ([UInt8]) -> Bool

        func withinLimits(_ input: Input) async throws -> Output {
            guard let output = try await limits.timer.withTimeout(limits.time, { try await self(input) }) else {
                throw Problem.timeUp
            }
            return output
        }

        func callAsFunction(_ input: Input) async throws -> Output {
            do {
                switch input {
                case .none: return try await run(NoInput.none) { _ in }
                case .file(let file):
                    let file = SystemPackage.FileDescriptor(rawValue: file)
                    return try await run(.fileDescriptor(file, closeAfterSpawningProcess: false)) { _ in }
                case .bytes(let bytes):
                    return try await run(CustomWriteInput.inputWriter) { execution in
                        // Fails if the program ends, or closes its input, before it has read everything.
                        _ = try? await execution.standardInputWriter.write(bytes)
                        try? await execution.standardInputWriter.finish()
                    }
                }
            } catch let error as SubprocessError {
                throw error.code == .executableNotFound ? Problem.missing : .failed(error.cause)
            }
        }

        private func run<Standard: InputProtocol>(
            _ input: Standard,
            feed: @escaping @Sendable (Execution<Standard, SequenceOutput, SequenceOutput>) async -> Void
        ) async throws -> Output {
            let result = try await Subprocess.run(
                configuration, input: input, output: .sequence, error: .sequence
            ) { execution in
                async let feeding: Void = feed(execution)
                async let reading: Void = readErrorLines(execution.standardError)
                do {
                    let (output, isStopped) = try await read(execution.standardOutput) { execution.killGroup() }
                    if isStopped { execution.killGroup() }
                    await feeding
                    try await reading
                    await execution.waitForEndOfGroup(atMost: limits.time)
                    return (output, isStopped)
                } catch {
                    // Ends the processes that the other two tasks wait for.
                    execution.killGroup()
                    throw error
                }
            }
            let (output, isStopped) = result.closureResult
            if isStopped { return (output, .stopped) }
            return switch result.terminationStatus {
            case .exited(let status): (output, .exited(status))
            case .signaled: (output, .killed)
            }
        }

        /// Reads to the end of the output, which `stop` brings about once it is enough.
        private func read(
            _ pieces: SubprocessOutputSequence, stop: @escaping @Sendable () -> Void
        ) async throws -> (output: [UInt8], isStopped: Bool) {
            var output: [UInt8] = []
            let timer = limits.timer
            var stopping: DeadlineTimer.Token?
            defer { if let stopping { timer.cancel(stopping) } }
            for try await piece in pieces {
                output += piece.withUnsafeBytes { Array($0) }
                guard output.count <= limits.length else { throw Problem.tooLong }
                guard stopping == nil, isEnough(output) else { continue }
                stopping = timer.schedule(at: timer.now + settling, stop)
            }
            return (output, stopping != nil)
        }

        private func readErrorLines(_ pieces: SubprocessOutputSequence) async throws {
            var lines = LineReader()
            for try await piece in pieces {
                for line in lines.lines(of: piece.withUnsafeBytes { Array($0) }) { onErrorLine(line) }
            }
            if let line = lines.rest() { onErrorLine(line) }
        }
    }
}

/// The lines of a program's standard error: the first 100, and of each the first 400 bytes.
private struct LineReader {
    private static let longestLine = 400

    private var line: [UInt8] = []
    private var linesLeft = 100

    mutating func lines(of bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(contentsOf: take())
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        return lines
    }

    /// The last line, if it has no end.
    mutating func rest() -> String? { line.isEmpty ? nil : take().first }

    private mutating func take() -> [String] {
        defer { line = [] }
        guard linesLeft > 0 else { return [] }
        linesLeft -= 1
        return [String(decoding: line, as: UTF8.self)]
    }
}
