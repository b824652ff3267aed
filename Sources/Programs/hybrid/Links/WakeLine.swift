import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport

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
