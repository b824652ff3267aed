import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
import LinuxSupport
import PasskeyAuthenticator

/// A request of a client or a program, for sentences that say what became of it. Names of others are quoted.
struct RequestWords {
    /// The command's name.
    let command: String
    let site: String?
    let account: String?

    init(_ command: CTAPCommand, site: String?, account: String?) {
        (self.command, self.site, self.account) = ("\(command)", site, account)
    }

    init(_ answer: SessionLog.Answer) { (command, site, account) = (answer.command, answer.site, answer.account) }

    init(_ request: AnsweredRequest) {
        (command, site, account) = (request.commandName, request.rpID, request.account?.anyName)
    }

    /// The deed: `signed in to "example.com" as "alice"`.
    var done: Sentence {
        switch command {
        case "\(CTAPCommand.makeCredential)": account("made a passkey", { "made a passkey for \($0)" })
        case "\(CTAPCommand.getAssertion)": account("signed in", { "signed in to \($0)" })
        case "\(CTAPCommand.selection)": "chosen as the authenticator to use"
        case DigitalCredentialRequest.Kind.presentation.rawValue:
            site("showed a digital credential", { "showed a digital credential to \($0)" })
        case DigitalCredentialRequest.Kind.issuance.rawValue:
            site("took a digital credential", { "took a digital credential from \($0)" })
        default: "answered \(command)"
        }
    }

    /// The refusal: `not signed in to "example.com"`.
    var refused: Sentence {
        switch command {
        case "\(CTAPCommand.makeCredential)": site("no passkey was made", { "no passkey was made for \($0)" })
        case "\(CTAPCommand.getAssertion)": site("not signed in", { "not signed in to \($0)" })
        case "\(CTAPCommand.selection)": "not chosen as the authenticator to use"
        case DigitalCredentialRequest.Kind.presentation.rawValue:
            site("no digital credential was shown", { "no digital credential was shown to \($0)" })
        case DigitalCredentialRequest.Kind.issuance.rawValue:
            site("no digital credential was taken", { "no digital credential was taken from \($0)" })
        default: "\(command) was refused"
        }
    }

    private func account(_ text: Sentence, _ ofSite: (String) -> Sentence) -> Sentence {
        let deed = site(text, ofSite)
        return account.map { "\(deed) as \(quoted($0))" } ?? deed
    }

    private func site(_ text: Sentence, _ ofSite: (String) -> Sentence) -> Sentence {
        site.flatMap { $0.isEmpty ? nil : ofSite(quoted($0)) } ?? text
    }
}

extension [SessionLog.Answer] {
    /// The outcome of a session without a refusal, in a sentence.
    var sentence: Sentence {
        if let last = last(where: { !$0.isSilent }) { return RequestWords(last).done }
        guard let last else { return "the client asked for nothing" }
        return last.site.map {
            "told the client that there is a passkey here for \(quoted($0)), without asking you"
        } ?? "told the client that there is a passkey here, without asking you"
    }
}

extension SessionLog.Answer.Outcome {
    /// The answer by its name in the protocol.
    var text: String {
        switch self {
        case .status(let status): status.isSuccess ? "\(status)" : status.named
        case .credential: "credential"
        case .refusal(let refusal): refusal.rawValue
        }
    }
}
