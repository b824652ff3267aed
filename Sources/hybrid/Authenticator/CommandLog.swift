import CTAP
import HybridTransport
import PasskeyAuthenticator
import Synchronization

/// What the client asked for in a session, and what it was answered: commands and status codes, no contents.
final class CommandLog: Sendable {
    private let reporter: Reporter
    private let entries = Mutex<[Entry]>([])

    private struct Entry {
        let command: String
        let status: CTAPStatus
        let reason: String?
    }

    init(_ reporter: Reporter) { self.reporter = reporter }

    /// Takes note of what happened in the authenticator.
    func note(_ event: PasskeyAuthenticatorEvent) {
        switch event {
        case .approved(operation: _, rpID: _, verified: true): reporter.report(.userVerified, .authenticator)
        case .approved: break
        case .storeFailed(let error): reporter.say("warning: \(error.reason)")
        case .answered(let command, let status, let reason):
            let name = command.map { "\($0)" } ?? "unknown"
            entries.withLock { $0.append(Entry(command: name, status: status, reason: reason)) }
        }
    }

    /// Reports the commands; a refusal of the last one is a failure.
    ///
    /// - Throws: ``Failure``.
    func report() throws {
        let entries = entries.withLock { $0 }
        let commands = entries.map { ResultLine.Command(command: $0.command, status: "\($0.status)") }
        let summary = commands.map { "\($0.command): \($0.status)" }.joined(separator: ", ")
        reporter.write(
            ResultLine(commands: commands),
            orSay: commands.isEmpty ? "the client asked for nothing" : "answered \(summary)")
        if let last = entries.last, !last.status.isSuccess {
            throw Failure(
                .declined, code: "refused",
                cause: "the client was answered \(last.status): \(last.reason ?? "refused")",
                hint: "start again on the client if that was not intended")
        }
    }

    /// The result of a session as a line of `--json`.
    private struct ResultLine: Encodable {
        let event = "result"
        let role = "authenticator"
        let commands: [Command]

        struct Command: Encodable {
            let command: String
            let status: String
        }
    }
}
