import CTAP
import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import SecurityKey

// The words for the events of a security key: the requests of programs, and the answers, a line each. Questions about
// the key itself are left out.

extension PasskeyAuthenticatorEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .storeFailed(let error):
            .warning(error.code.rawValue, "the passkeys cannot be used: \(reason: error.reason)", role)
        case .useNotKept(let error):
            .warning("use-not-kept", "signed in, but the store could not record it: \(reason: error.reason)", role)
        case .answeredSilently(let site):
            .line(.key("look", site: site), "a program looked for passkeys of \(quoted(site)), and found one")
        case .approved(_, let site, _):
            site.isEmpty ? .nothing : .line(.key("approved", site: site), "approved for \(quoted(site))")
        case .answered(let request): .keyAnswer(request)
        }
    }
}

extension PhoneKeyEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .extensionsDropped(let names):
            let list = names.map(quoted).joined(separator: ", ")
            return .warning(
                "extensions-dropped", "the program wants extensions that phones do not have: \(list)", nil)
        case .labelled(let label, let site):
            return .line(
                .key("labelled", site: site),
                "the passkey for \(quoted(site)) is on the phone as \(quoted(label))")
        case .answeredProbe(let site):
            return .line(
                .key("look", site: site),
                "a program looked for passkeys of \(quoted(site)); it was answered without the phone")
        case .answeredFromProbe(let site):
            return .line(
                .key("repeated", site: site),
                "the program gets the phone's recent signature for \(quoted(site))")
        case .noLinkAnswered(let reason):
            return .warning(
                "no-link-answered", "no linked phone answered, so a QR code is shown: \(reason)", .client)
        case .listFailed(let reason):
            return .warning("list-failed", "passkeys cannot be remembered: \(reason)", nil)
        case .answered(let request): return .keyAnswer(request)
        }
    }
}

extension EventReport {
    fileprivate static func keyAnswer(_ request: AnsweredRequest) -> Self {
        switch request.command {
        case .makeCredential, .getAssertion, .selection, nil: break
        case .getInfo, .getNextAssertion, .clientPIN: return .nothing
        }
        let status = request.status
        let cause = status.isSuccess ? nil : request.reason
        let words = RequestWords(request)
        return .line(
            Line("answer", ["command": request.commandName, "status": "\(status)", "reason": cause]),
            status.isSuccess
                ? words.done
                : cause.map { "\(words.refused): \(reason: $0); the program was answered \(status.named)" }
                    ?? "\(words.refused); the program was answered \(status.named)")
    }
}

extension Line {
    fileprivate static func key(_ command: String, site: String) -> Self {
        Self("answer", ["command": command, "site": site])
    }
}
