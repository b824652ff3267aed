import CommandLine
import Cryptography
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification

extension AskingPlace {
    private static let question: Sentence = "the number that the other device shows"

    /// Asks for the number that another device shows.
    ///
    /// - Parameters:
    ///   - count: the number of its digits. A line with other characters, or of another length, is asked for again.
    ///   - limit: the longest time for an answer.
    /// - Returns: so many ASCII digits.
    func digits(_ count: Int, within limit: Duration, _ reporter: Reporter) async throws(Approval.Refusal) -> String {
        switch self {
        case .terminal: try atTerminal(count, within: limit)
        case .desktop(let dialogues): try await inWindow(dialogues, count, within: limit, reporter)
        }
    }

    private func atTerminal(_ count: Int, within limit: Duration) throws(Approval.Refusal) -> String {
        do {
            return try TerminalQuestion.digits(count, Self.question, within: limit)
        } catch let refusal as Approval.Refusal {
            throw refusal
        } catch {
            throw error is CancellationError ? .cancelled : .unavailable
        }
    }

    private func inWindow(
        _ dialogues: DesktopDialogues, _ count: Int, within limit: Duration, _ reporter: Reporter
    ) async throws(Approval.Refusal) -> String {
        do throws(DialogueError) {
            return try await dialogues.needWindow().digits(
                DialogueWords(title: "Type \(Self.question)", description: ""), count: count, within: limit)
        } catch {
            if error.code != .cancelled {
                reporter.warn(error.code.rawValue, Sentence(reason: error.reason), role: .authenticator)
            }
            throw error.refusal
        }
    }
}
