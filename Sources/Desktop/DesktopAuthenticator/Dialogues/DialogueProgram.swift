internal import LinuxSupport
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A program that a dialogue with the user is held with over its standard streams: a window, or a pinentry.
///
/// Each dialogue is a process of its own, which ends with it: if the task is cancelled, and if this process ends.
struct DialogueProgram: Sendable {
    /// Time in which a program ends by itself when it is told to, and gives a terminal back.
    private static let endLimit = Duration.seconds(2)

    /// The program, searched in PATH unless it has a slash.
    let name: String
    /// Variables of its environment, beside ours: for instance `DISPLAY`.
    let variables: [String: String]

    /// All these variables. The program reads the same catalogue as this process, or none.
    private var environment: [String: String] {
        variables.merging([Catalogue.variable: Catalogue.folder ?? "/"]) { _, ours in ours }
    }

    /// True if the program is installed.
    var isInstalled: Bool { ProgramPath.find(name) != nil }

    /// Starts the program, runs `body` on a thread of its own, and ends the program.
    ///
    /// - Parameters:
    ///   - limit: the longest time for the whole dialogue.
    ///   - longestLine: the longest line of the program's, in bytes.
    ///   - body: the dialogue.
    /// - Returns: the result of `body`.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled, whatever `body` has returned.
    func converse<Answer: Sendable>(
        within limit: Duration, longestLine: Int,
        _ body: @escaping @Sendable (DialogueStreams) throws(DialogueError) -> Answer
    ) async throws(DialogueError) -> Answer {
        guard let path = ProgramPath.find(name) else {
            throw DialogueError(.missing, reason: "\(name) is not installed")
        }
        let wake: WakePipe
        do { wake = try WakePipe() } catch { throw failed("no file descriptor is left: \(error)") }
        let deadline = ContinuousClock.now + limit
        // A task of its own: cancelled, it would kill the program before that has given the terminal back.
        let running = Task { await self.run(path, wake: wake, until: deadline, longestLine: longestLine, body) }
        let outcome = await withTaskCancellationHandler {
            if Task.isCancelled { wake.signal() }
            return await running.value
        } onCancel: {
            wake.signal()
        }
        let answer = try outcome.get()
        guard !Task.isCancelled else { throw .cancelled }
        return answer
    }

    private func run<Answer: Sendable>(
        _ path: String, wake: WakePipe, until deadline: ContinuousClock.Instant, longestLine: Int,
        _ body: @escaping @Sendable (DialogueStreams) throws(DialogueError) -> Answer
    ) async -> Result<Answer, DialogueError> {
        do {
            let input = try FileDescriptor.pipe(options: .closeOnExec)
            let output: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
            do {
                output = try FileDescriptor.pipe(options: .closeOnExec)
            } catch {
                try? input.readEnd.close()
                try? input.writeEnd.close()
                throw error
            }
            defer {
                try? input.writeEnd.close()
                try? output.readEnd.close()
            }
            return try await Subprocess.run(
                Configuration(dialogue: [path], variables: environment),
                input: .fileDescriptor(input.readEnd, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true), error: .discarded
            ) { execution in
                let outcome = await withCheckedContinuation { continuation in
                    let converse: @Sendable () -> Void = {
                        let streams = DialogueStreams(
                            of: name, input: input.writeEnd, output: output.readEnd, wake: wake, until: deadline,
                            longestLine: longestLine)
                        continuation.resume(returning: Result { () throws(DialogueError) in try body(streams) })
                    }
                    do {
                        try PollThread.start(converse)
                    } catch {
                        continuation.resume(returning: .failure(failed("no thread is left: \(error)")))
                    }
                }
                try? execution.send(signal: .terminate, toProcessGroup: true)
                await execution.waitForEndOfGroup(atMost: Self.endLimit)
                return outcome
            }.closureResult
        } catch let error as SubprocessError {
            return .failure(failed("it cannot be run: \(error.cause)"))
        } catch {
            return .failure(failed("it cannot be run: \(error)"))
        }
    }

    private func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(name): \(cause)") }
}
