import DesktopAuthenticator
import LinuxSupport

/// The question before a client is linked.
enum LinkQuestion {
    /// The command that waits for linked clients, besides the agent.
    static let listenCommand = "hybrid authenticator listen"

    /// The meaning of a yes, at the terminal.
    private static let text: Sentence = """
        The client would like to be linked: from then on it can ask this machine without a QR code, when it is near, \
        and you
        decide each time. `\(listenCommand)` waits for it, `hybrid authenticator links revoke` ends it.
        """

    /// Asks at the terminal.
    ///
    /// - Throws: ``Failure`` if there is none; `CancellationError`.
    static func ask() throws -> Bool { try TerminalQuestion.ask("\n\(text)\n\nlink it?") }

    /// Asks in a window. A window that is closed, or that nobody answers, is a no.
    ///
    /// - Parameters:
    ///   - dialogues: have the window.
    ///   - waiter: the program that waits for linked clients.
    ///   - limit: the longest time for an answer.
    /// - Throws: `DialogueError` if there is no way to ask; `CancellationError`.
    static func ask(by dialogues: DesktopDialogues, waiter: Sentence, within limit: Duration) async throws -> Bool {
        let text: Sentence = """
            From then on it can ask for a passkey without a QR code, when it is near. You decide each time.
            \(waiter) waits for it.
            hybrid authenticator links revoke ends it.
            """
        do throws(DialogueError) {
            try await dialogues.needWindow().confirm(
                DialogueWords(
                    title: "Link the other device to this machine?", description: text, yes: "Link it", no: "No"),
                within: limit)
            return true
        } catch {
            switch error.code {
            case .declined, .closed, .timeout: return false
            case .cancelled: throw CancellationError()
            case .missing, .noDisplay, .tooLong, .failed: throw error
            }
        }
    }
}
