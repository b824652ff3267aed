package import Cryptography
internal import LinuxSupport
internal import Subprocess
internal import Synchronization
internal import SystemPackage
internal import UserVerification

/// Asks by a pinentry: the desktop's program for passphrases, which GnuPG uses too.
///
/// Each dialogue is a process of its own, which ends with it: if the task is cancelled, and if this process ends. It is
/// told to grab neither keyboard nor pointer, so that the screen can still be locked, and it may keep no passphrase.
///
/// Source: the pinentry manual, "Pinentry's Assuan Protocol"; observed with pinentry 1.2.1.
package struct Pinentry: Sendable {
    /// The program that Debian's alternatives, and other systems, make the desktop's.
    package static let standardProgram = "pinentry"

    let program: String
    /// The terminal for a pinentry that has no display; nil if there is none.
    let terminal: String?
    /// Variables of the program's environment, beside ours.
    let variables: [String: String]
    /// The longest time for an answer of the program's own, which asks nobody for it.
    let answerLimit: Duration

    /// Makes one. Nothing is started.
    ///
    /// - Parameters:
    ///   - program: the program, searched in PATH unless it has a slash.
    ///   - terminal: the terminal to use without a display.
    ///   - variables: variables of the program's environment, beside ours: for instance `DISPLAY`.
    package init(
        program: String = standardProgram, terminal: String? = nil, variables: [String: String] = [:]
    ) {
        self.init(program: program, terminal: terminal, variables: variables, answerLimit: .seconds(60))
    }

    init(program: String, terminal: String? = nil, variables: [String: String], answerLimit: Duration) {
        self.answerLimit = answerLimit
        self.program = program
        self.terminal = terminal
        self.variables = variables
    }

    /// True if the program is installed.
    package var isInstalled: Bool { ProgramPath.find(program) != nil }

    /// Asks for a passphrase.
    ///
    /// - Parameters:
    ///   - dialogue: the texts of the window.
    ///   - limit: the longest time for the answer.
    /// - Returns: what was typed: UTF-8, 0 to 1024 bytes.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func passphrase(
        _ dialogue: PinentryDialogue, within limit: Duration
    ) async throws(DialogueError) -> SecretBytes {
        let typed = Mutex<HeldPassphrase?>(nil)
        try await converse(within: limit) { (pinentry) throws(DialogueError) in
            try pinentry.show(dialogue, "GETPIN")
            let passphrase = HeldPassphrase(pinentry.takeData())
            typed.withLock { $0 = passphrase }
        }
        guard let passphrase = typed.withLock({ $0 }) else { throw .cancelled }
        return passphrase.take()
    }

    /// Asks for a new passphrase, twice: in one window, or in a second one where a pinentry cannot do that.
    ///
    /// - Parameters:
    ///   - dialogue: the texts of the windows.
    ///   - limit: the longest time for the answer.
    ///   - objection: tells why a passphrase is not taken; nil if it is.
    /// - Returns: what was typed twice, and has met no objection.
    /// - Throws: ``DialogueError``; `declined` after three attempts.
    package func newPassphrase(
        _ dialogue: PinentryDialogue, within limit: Duration,
        unless objection: @escaping @Sendable (borrowing SecretBytes) -> String?
    ) async throws(DialogueError) -> SecretBytes {
        let typed = Mutex<HeldPassphrase?>(nil)
        try await converse(within: limit) { (pinentry) throws(DialogueError) in
            let passphrase = HeldPassphrase(try pinentry.newPassphrase(dialogue, unless: objection))
            typed.withLock { $0 = passphrase }
        }
        guard let passphrase = typed.withLock({ $0 }) else { throw .cancelled }
        return passphrase.take()
    }

    /// Asks for a yes on each of some pages, of which each but the last leads to the next one. Returns at the last yes.
    ///
    /// - Parameters:
    ///   - pages: the words.
    ///   - clock: tells whether an answer comes too soon.
    ///   - limit: the longest time for all of the answers.
    /// - Throws: ``DialogueError``: `declined` or `closed` for a no; `unsuited`, before anything is shown, if the
    ///   program has no no as its default; `cancelled` soon after its task is cancelled.
    func confirm(
        _ pages: [PinentryDialogue], by clock: QuestionClock, within limit: Duration
    ) async throws(DialogueError) {
        try await converse(within: limit) { (pinentry) throws(DialogueError) in
            try pinentry.checkDefault()
            for page in pages { try pinentry.confirm(page, by: clock) }
        }
    }

    /// Shows a message with one button, and returns when it is seen.
    ///
    /// - Parameters:
    ///   - dialogue: the words.
    ///   - limit: the longest time for which it is shown.
    /// - Throws: ``DialogueError``.
    package func tell(_ dialogue: PinentryDialogue, within limit: Duration) async throws(DialogueError) {
        try await converse(within: limit) { (pinentry) throws(DialogueError) in
            try pinentry.show(dialogue, "MESSAGE")
        }
    }

    /// The kind of the program, for instance `gtk2:curses`; at most 1024 bytes. Nothing is shown.
    ///
    /// - Throws: ``DialogueError``.
    package func flavor(within limit: Duration) async throws(DialogueError) -> String {
        let flavor = Mutex("")
        try await converse(within: limit) { (pinentry) throws(DialogueError) in
            let found = try pinentry.flavor()
            flavor.withLock { $0 = found }
        }
        return flavor.withLock { $0 }
    }
}

/// A passphrase on its way from the thread of a dialogue to the task that waits for it.
private final class HeldPassphrase: Sendable {
    private let bytes: Mutex<SecretBytes>

    init(_ bytes: consuming SecretBytes) { self.bytes = Mutex(bytes) }

    func take() -> SecretBytes { bytes.withLock { $0.clone() } }
}

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
        do { wake = try WakePipe() } catch { throw failed("no file descriptor is left: \(error)") }
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
