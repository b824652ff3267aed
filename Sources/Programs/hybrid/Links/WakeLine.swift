import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport

/// A linked client that asked, and the decision about it.
struct WakeLine: Encodable {
    let event = "wake"
    let link: String?
    let name: String?
    /// `ga` or `mc`.
    let hint: String?
    let outcome: String

    init(_ request: WakeRequest?, _ outcome: WakeOutcome) {
        link = request?.link.linkID.hex
        name = request?.link.name
        hint = request?.hint.rawValue
        self.outcome = outcome.rawValue
    }

    /// The client and its request.
    var summary: String {
        guard let name, let hint = hint.flatMap(RequestHint.init) else { return "a linked client asks" }
        return "\(quoted(name)) asks \(hint.purpose)"
    }
}

extension WakeRequest {
    /// The lines of the question whether the wake is answered.
    var details: [String] {
        ["\(link.name), linked on \(LocalTime.day(link.created))", hint.purpose]
    }
}

extension RequestHint {
    /// The purpose of the request, in words.
    var purpose: String {
        switch self {
        case .getAssertion: "to sign in"
        case .makeCredential: "to make a passkey"
        case .digitalCredentialPresentation: "to be shown a digital credential"
        case .digitalCredentialIssuance: "to give you a digital credential"
        }
    }
}

extension WakeOutcome {
    /// The decision in words.
    var text: String {
        switch self {
        case .approved: "it is answered"
        case .declined: "declined"
        case .timedOut: "nobody answered in time"
        case .invalid: "what it sent makes no sense"
        case .unknownLink: "its link was revoked"
        case .replayed: "its request has been here before"
        case .tooMany: "too many failed requests; blocked for some minutes"
        }
    }
}

/// State of the connection over which linked clients reach this machine.
struct ContactLine: Encodable {
    let event = "contact"
    let state: String
    /// The number of registered links.
    let links: Int?
    let cause: String?
    /// Seconds until the next attempt.
    let retryAfter: Double?

    init(_ count: Int) {
        (state, links, cause, retryAfter) = ("registered", count, nil, nil)
    }

    init(reconnectingIn wait: Duration, _ reason: String) {
        (state, links, cause, retryAfter) = ("reconnecting", nil, reason, wait / .seconds(1))
    }
}
