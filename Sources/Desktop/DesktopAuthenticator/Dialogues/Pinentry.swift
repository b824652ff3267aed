package import Cryptography
package import LinuxSupport
internal import Synchronization

/// Asks by a pinentry: the desktop's program for passphrases, which GnuPG uses too.
///
/// It is told to grab neither keyboard nor pointer, so that the screen can still be locked, and it may keep no
/// passphrase.
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
    /// - Returns: the typed passphrase: UTF-8, 0 to 1024 bytes.
    /// - Throws: ``DialogueError``; `cancelled` soon after its task is cancelled.
    package func passphrase(
        _ dialogue: DialogueWords, within limit: Duration
    ) async throws(DialogueError) -> SecretBytes {
        let typed = try await converse(within: limit) { (pinentry) throws(DialogueError) in
            try pinentry.show(dialogue, "GETPIN")
            return HeldPassphrase(pinentry.takeData())
        }
        return typed.take()
    }

    /// Asks for a new passphrase, twice: in one window, or in a second one where a pinentry cannot do that.
    ///
    /// - Parameters:
    ///   - dialogue: the texts of the windows.
    ///   - limit: the longest time for the answer.
    ///   - objection: tells why a passphrase is not taken; nil if it is.
    /// - Returns: the passphrase that was typed twice, and has met no objection.
    /// - Throws: ``DialogueError``; `declined` after three attempts.
    package func newPassphrase(
        _ dialogue: DialogueWords, within limit: Duration,
        unless objection: @escaping @Sendable (borrowing SecretBytes) -> Sentence?
    ) async throws(DialogueError) -> SecretBytes {
        let typed = try await converse(within: limit) { (pinentry) throws(DialogueError) in
            HeldPassphrase(try pinentry.newPassphrase(dialogue, unless: objection))
        }
        return typed.take()
    }

    /// Starts the program, greets it, and runs `body` on a thread of its own.
    func converse<Answer: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (PinentryConversation) throws(DialogueError) -> Answer
    ) async throws(DialogueError) -> Answer {
        let dialogue = DialogueProgram(name: program, variables: variables)
        return try await dialogue.converse(within: limit, longestLine: AssuanText.longestLine) {
            (streams) throws(DialogueError) in
            let conversation = PinentryConversation(
                AssuanConnection(over: streams), program: program, answerLimit: answerLimit)
            try conversation.begin(terminal: terminal, variables, until: streams.deadline)
            return try body(conversation)
        }
    }
}

/// A passphrase on its way from the thread of a dialogue to the task that waits for it.
final class HeldPassphrase: Sendable {
    private let bytes: Mutex<SecretBytes>

    init(_ bytes: consuming SecretBytes) { self.bytes = Mutex(bytes) }

    func take() -> SecretBytes { bytes.withLock { $0.clone() } }
}
