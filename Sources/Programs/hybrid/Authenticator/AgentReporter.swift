import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import Synchronization

/// Reports the agent's events in words.
final class AgentReporter: Sendable {
    private let reporter: Reporter
    /// The ceremony that runs; nil if none does.
    private let ceremony = Mutex<CeremonyReporter?>(nil)

    init(_ reporter: Reporter) { self.reporter = reporter }

    /// Reports each event that it is called with.
    var observer: AgentObserver { { [self] in report($0) } }

    private func report(_ event: AgentEvent) {
        switch event {
        case .ceremony(let event): current.report(event)
        // Nothing is waited for any more.
        case .ceremonyEnded: ceremony.withLock { $0 = nil }
        case .useNotKept(let error):
            warn("use-not-kept", "signed in, but the store could not be told: \(error.reason)")
        case .handlerLine(let line, let program): reporter.say("\(program): \(quoted(line))")
        case .optionLeftOut(let error):
            warn(error.code.rawValue, "one of the ways of answering was left out: \(error.reason)")
        case .wrongPassphrase: reporter.say("the passphrase is wrong")
        case .otherOperation(let announced, let asked):
            warn(
                "other-operation",
                "the client has announced that it wants \(announced.purpose), but asks \(asked.purpose)")
        case .linking(let event): report(event)
        case .contact(let state): report(state)
        case .wake(let request, let outcome):
            let client = request.map { "\(quoted($0.link.name)) asks \($0.hint.purpose)" } ?? "a linked client asks"
            reporter.write(
                Line(
                    "wake",
                    [
                        "link": request?.link.linkID.hex, "name": request?.link.name, "hint": request?.hint.rawValue,
                        "outcome": outcome.rawValue,
                    ]),
                orSay: "\(client): \(outcome.text)")
        case .wakeAnswered(let answers): reporter.report(answers)
        case .wakeFailed(let error):
            let failure = Failure(error)
            guard failure.status != .interrupted else { return }
            warn(failure.code, "the linked client got no answer: \(failure.cause)")
        }
    }

    private var current: CeremonyReporter {
        ceremony.withLock { ceremony in
            let current = ceremony ?? CeremonyReporter(reporter, .authenticator)
            ceremony = current
            return current
        }
    }

    private func report(_ event: LinkingEvent) {
        switch event {
        case .linked(let name): reporter.say("linked \(quoted(name)); see hybrid authenticator links list")
        case .undecided: reporter.say("nobody answered in time, or the client has left: it was not linked")
        case .noContactID(let error): notLinked("the tunnel service gave it no contact ID: \(error.reason)")
        case .failed(let error): notLinked(Failure(error).cause)
        case .clientLeft: notLinked("it left too early")
        }
    }

    private func notLinked(_ cause: String) { warn("not-linked", "the client was not linked: \(cause)") }

    private func report(_ state: ContactState) {
        switch state {
        case .registered(let count):
            reporter.write(
                Line("contact", ["state": "registered", "links": count]),
                orSay: "reachable for \(count) linked \(count == 1 ? "client" : "clients")")
        case .otherSecret(let count):
            warn(
                "other-contact-secret",
                "the tunnel service has another contact secret now: the links of \(count) linked "
                    + "\(count == 1 ? "client" : "clients") are dead unless it still takes the previous one "
                    + "(--previous-contact-secret); let them be linked again by a QR code")
        case .reconnecting(let wait, let cause):
            reporter.write(
                Line(
                    "contact",
                    ["state": "reconnecting", "cause": cause.reason, "retry_after": wait / .seconds(1)]),
                orSay: "not reachable for linked clients, trying again: \(cause.reason)")
        case .refused(.unknownLink):
            warn("wake-refused", "a client asked whose link was revoked; it was turned away")
        case .refused(.tooMany): warn("wake-refused", "too many clients asked lately; one was turned away")
        case .busy: warn("wake-refused", "another linked client asked meanwhile; it was turned away")
        }
    }

    private func warn(_ code: String, _ text: String) { reporter.warn(code, text, role: .authenticator) }
}

extension Reporter {
    /// Reports the requests of a session that has succeeded.
    func report(_ answers: [SessionLog.Answer]) {
        let commands = answers.map { ["command": $0.command, "status": $0.outcome.text] as Fields }
        let summary = answers.map { "\($0.command)\($0.isSilent ? " without a question" : ""): \($0.outcome.text)" }
            .joined(separator: ", ")
        write(
            Line("result", ["role": Role.authenticator.rawValue, "commands": commands]),
            orSay: commands.isEmpty ? "the client asked for nothing" : "answered \(summary)")
    }
}

extension SessionLog.Answer.Outcome {
    /// The answer in words.
    var text: String {
        switch self {
        case .status(let status): status.isSuccess ? "\(status)" : status.named
        case .credential: "credential"
        case .refusal(let refusal): refusal.rawValue
        }
    }
}
