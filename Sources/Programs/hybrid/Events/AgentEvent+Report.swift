import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport

// The words for the events of the authenticator's agent.

extension AgentEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .ceremonyEnded: .end
        case .handlerLine(let line, let program): .sentence("\(program): \(quoted(line))")
        case .optionLeftOut(let error):
            .warning(error.code.rawValue, "one of the ways of answering was left out: \(reason: error.reason)", role)
        case .wrongPassphrase: .sentence("the passphrase is wrong")
        case .otherOperation(let announced, let asked):
            .warning(
                "other-operation",
                "the client has announced that it wants \(announced.purpose), but asks \(asked.purpose)", role)
        case .otherContactSecret(let count):
            .warning(
                "other-contact-secret",
                Sentence(
                    count: count,
                    one: "the tunnel service has a new contact secret: the link of \(count) linked client no longer "
                        + "works, unless it still accepts the previous one (--previous-contact-secret); link it again "
                        + "by a QR code",
                    other: "the tunnel service has a new contact secret: the links of \(count) linked clients no "
                        + "longer work, unless it still accepts the previous one (--previous-contact-secret); link "
                        + "them again by a QR code"), role)
        case .busy: .warning("wake-refused", "another linked client asked meanwhile; it was turned away", role)
        case .wake(let request, let outcome): Self.decision(outcome, on: request)
        case .answered(let answers): Self.result(answers)
        case .wakeFailed(let error): Self.noAnswer(Failure(error), role)
        }
    }

    private static func decision(_ outcome: WakeOutcome, on request: WakeRequest?) -> EventReport {
        let client: Sentence =
            request.map { "\(quoted($0.link.name)) asks \($0.hint.purpose)" } ?? "a linked client asks"
        return .line(
            Line(
                "wake",
                [
                    "link": request?.link.linkID.hex, "name": request?.link.name, "hint": request?.hint.rawValue,
                    "outcome": outcome.rawValue,
                ]),
            "\(client): \(outcome.text)")
    }

    private static func noAnswer(_ failure: Failure, _ role: Role?) -> EventReport {
        failure.status == .interrupted
            ? .nothing : .warning(failure.code, "the linked client got no answer: \(failure.text)", role)
    }

    private static func result(_ answers: [SessionLog.Answer]) -> EventReport {
        .line(
            Line(
                "result",
                [
                    "role": Role.authenticator.rawValue,
                    "commands": answers.map { ["command": $0.command, "status": $0.outcome.text] as Fields },
                ]),
            answers.sentence)
    }
}

extension WakeOutcome {
    /// The decision in words.
    fileprivate var text: Sentence {
        switch self {
        case .approved: "it is answered"
        case .declined: "declined"
        case .timedOut: "nobody answered in time"
        case .invalid: "its request was malformed"
        case .unknownLink: "its link was revoked"
        case .replayed: "its request was replayed"
        case .tooMany: "too many failed requests; blocked for some minutes"
        }
    }
}

extension WakeRequest {
    /// The lines of the question whether the wake is answered.
    var details: [String] {
        // The purpose is not a text of the client's, and is shown as one: so each line is for consent by itself.
        let client: Sentence = "\(link.name), linked on \(LocalTime.day(link.created))"
        return [client, hint.purpose].map { $0.consent(" / ").localized }
    }
}

extension RequestHint {
    /// The purpose of the request, in words.
    fileprivate var purpose: Sentence {
        switch self {
        case .getAssertion: "to sign in"
        case .makeCredential: "to make a passkey"
        case .digitalCredentialPresentation: "to be shown a digital credential"
        case .digitalCredentialIssuance: "to give you a digital credential"
        }
    }
}
