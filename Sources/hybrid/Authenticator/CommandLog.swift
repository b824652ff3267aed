import CTAP
import HybridTransport
import PasskeyAuthenticator
import Synchronization

/// What the client asked for in a session, and what it was answered: commands and status codes, no contents.
final class CommandLog: Sendable {
    private let reporter: Reporter
    private let entries = Mutex(Entries())

    private struct Entries {
        var answers: [Answer] = []
        var storeFailure: CredentialStoreError?
        var lastSite: String?
        /// Why somebody was not verified, since the last answer.
        var verificationFailure: VerificationError?
    }

    private struct Answer {
        let command: String
        let status: String
        /// What it means, if it was a refusal.
        let failure: Failure?
    }

    init(_ reporter: Reporter) { self.reporter = reporter }

    /// Takes note of why somebody was not verified.
    func note(_ error: VerificationError) { entries.withLock { $0.verificationFailure = error } }

    /// Takes note of what happened in the authenticator.
    func note(_ event: PasskeyAuthenticatorEvent, _ progress: CeremonyReporter) {
        switch event {
        case .approved(operation: _, rpID: let site, verified: let isVerified):
            entries.withLock { $0.lastSite = site }
            if isVerified { progress.reached(.userVerified) }
        case .storeFailed(let error): entries.withLock { $0.storeFailure = error }
        case .useNotKept(let error):
            reporter.warn(
                "use-not-kept", "signed in, but the store could not be told: \(error.reason)", role: .authenticator)
        case .answered(let command, let status, let reason):
            let name = command.map { "\($0)" } ?? "unknown"
            let verification = takeVerificationFailure()
            let failure = Failure(
                .declined, code: verification?.code.rawValue ?? "declined",
                cause: verification?.reason ?? reason ?? "refused",
                hint: verification?.hint ?? Self.hint(for: status), ctapStatus: status)
            note(answered: name, status.isSuccess ? "\(status)" : status.named, status.isSuccess ? nil : failure)
        }
    }

    /// Takes note of an answer.
    ///
    /// - Parameter failure: what it means, if it was a refusal.
    func note(answered command: String, _ status: String, _ failure: Failure? = nil) {
        entries.withLock { $0.answers.append(Answer(command: command, status: status, failure: failure)) }
    }

    /// Why somebody was not verified, if that has not been told yet.
    func takeVerificationFailure() -> VerificationError? {
        entries.withLock { entries in
            defer { entries.verificationFailure = nil }
            return entries.verificationFailure
        }
    }

    /// Whether something was asked for, and the last of it was not refused.
    var hasSucceeded: Bool { entries.withLock { $0.answers.last.map { $0.failure == nil } ?? false } }

    /// The site that was approved last.
    var lastSite: String? { entries.withLock { $0.lastSite } }

    /// Reports the commands; a refusal of the last one is a failure.
    ///
    /// - Throws: ``Failure``.
    func report() throws {
        let entries = entries.withLock { $0 }
        if let failure = entries.storeFailure { throw failure }
        if let last = entries.answers.last, let failure = last.failure {
            throw failure.saying("\(last.command) was answered \(last.status): \(failure.cause)")
        }
        let commands = entries.answers.map { ResultLine.Command(command: $0.command, status: $0.status) }
        let summary = commands.map { "\($0.command): \($0.status)" }.joined(separator: ", ")
        reporter.write(
            ResultLine(commands: commands),
            orSay: commands.isEmpty ? "the client asked for nothing" : "answered \(summary)")
    }

    private static func hint(for status: CTAPStatus) -> String {
        switch status {
        case .userActionTimeout: "start again on the client; --timeout gives you longer"
        default: "start again on the client if that was not intended"
        }
    }

    /// The result of a session as a line of `--json`.
    private struct ResultLine: Encodable {
        let event = "result"
        let role = Role.authenticator.rawValue
        let commands: [Command]

        struct Command: Encodable {
            let command: String
            let status: String
        }
    }
}
