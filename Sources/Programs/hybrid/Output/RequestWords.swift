import CTAP
import CommandLine
import DesktopAuthenticator
import HybridProtocol
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
    var done: String {
        switch command {
        case "\(CTAPCommand.makeCredential)": "made a passkey\(site("for"))\(owner)"
        case "\(CTAPCommand.getAssertion)": "signed in\(site("to"))\(owner)"
        case "\(CTAPCommand.selection)": "chosen as the authenticator to use"
        case DigitalCredentialRequest.Kind.presentation.rawValue: "showed a digital credential\(site("to"))"
        case DigitalCredentialRequest.Kind.issuance.rawValue: "took a digital credential\(site("from"))"
        default: "answered \(command)"
        }
    }

    /// The refusal: `not signed in to "example.com"`.
    var refused: String {
        switch command {
        case "\(CTAPCommand.makeCredential)": "no passkey was made\(site("for"))"
        case "\(CTAPCommand.getAssertion)": "not signed in\(site("to"))"
        case "\(CTAPCommand.selection)": "not chosen as the authenticator to use"
        case DigitalCredentialRequest.Kind.presentation.rawValue: "no digital credential was shown\(site("to"))"
        case DigitalCredentialRequest.Kind.issuance.rawValue: "no digital credential was taken\(site("from"))"
        default: "\(command) was refused"
        }
    }

    private var owner: String { account.map { " as \(quoted($0))" } ?? "" }

    private func site(_ preposition: String) -> String {
        site.flatMap { $0.isEmpty ? nil : " \(preposition) \(quoted($0))" } ?? ""
    }
}

extension [SessionLog.Answer] {
    /// The outcome of a session without a refusal, in a sentence.
    var sentence: String {
        if let last = last(where: { !$0.isSilent }) { return RequestWords(last).done }
        guard let last else { return "the client asked for nothing" }
        return "told the client that there is a passkey here"
            + (last.site.map { " for \(quoted($0))" } ?? "") + ", without asking you"
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
