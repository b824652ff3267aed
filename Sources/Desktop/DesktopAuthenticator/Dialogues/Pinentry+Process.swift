internal import Cryptography
internal import LinuxSupport
internal import Subprocess
internal import SystemPackage

extension Pinentry {
    /// Time in which a pinentry ends by itself when it is told to, and gives a terminal back.
    private static let endLimit = Duration.seconds(2)

    typealias Conversation = @Sendable (PinentryConversation) throws(DialogueError) -> Void

    /// Starts the program, runs `body` on a thread of its own, and ends the program.
    func converse(within limit: Duration, _ body: @escaping Conversation) async throws(DialogueError) {
        guard let path = ProgramPath.find(program) else {
            throw DialogueError(.missing, reason: "\(program) is not installed")
        }
        let wake: WakePipe
        do { wake = try WakePipe() } catch { throw failed("no file is left: \(error)") }
        let deadline = ContinuousClock.now + limit
        // A task of its own: cancelled, it would kill the program before that has given the terminal back.
        let running = Task { await self.run(path, wake: wake, until: deadline, body) }
        let outcome = await withTaskCancellationHandler {
            if Task.isCancelled { wake.signal() }
            return await running.value
        } onCancel: {
            wake.signal()
        }
        try outcome.get()
        guard !Task.isCancelled else { throw .cancelled }
    }

    private func run(
        _ path: String, wake: WakePipe, until deadline: ContinuousClock.Instant, _ body: @escaping Conversation
    ) async -> Result<Void, DialogueError> {
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
                Configuration(dialogue: [path], variables: variables),
                input: .fileDescriptor(input.readEnd, closeAfterSpawningProcess: true),
                output: .fileDescriptor(output.writeEnd, closeAfterSpawningProcess: true), error: .discarded
            ) { execution in
                let outcome = await withCheckedContinuation { continuation in
                    let converse: @Sendable () -> Void = {
                        let assuan = AssuanConnection(
                            with: program, input: input.writeEnd, output: output.readEnd, wake: wake, until: deadline)
                        let result: Result<Void, DialogueError>
                        do throws(DialogueError) {
                            let conversation = PinentryConversation(
                                assuan, program: program, answerLimit: answerLimit)
                            try conversation.begin(terminal: terminal, variables, until: deadline)
                            result = .success(try body(conversation))
                        } catch {
                            result = .failure(error)
                        }
                        continuation.resume(returning: result)
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

    private func failed(_ cause: String) -> DialogueError { DialogueError(.failed, reason: "\(program): \(cause)") }
}
