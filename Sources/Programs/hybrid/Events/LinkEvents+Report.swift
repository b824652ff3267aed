import CommandLine
import DesktopAuthenticator
import HybridProtocol
import HybridTransport
import LinuxSupport

// The words for the events of links, at either end.

extension LinkingEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .linked(let name): .sentence("linked \(quoted(name)); see hybrid authenticator links list")
        case .undecided: .sentence("nobody answered in time, or the client has left: it was not linked")
        case .noContactID(let error):
            Self.notLinked("the tunnel service gave it no contact ID: \(reason: error.reason)", role)
        case .failed(let error): Self.notLinked(Failure(error).text, role)
        case .clientLeft: Self.notLinked("it left too early", role)
        }
    }

    private static func notLinked(_ cause: Sentence, _ role: Role?) -> EventReport {
        .warning("not-linked", "the client was not linked: \(cause)", role)
    }
}

extension ContactEvent: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .registered(let contactIDs):
            .line(
                Line("contact", ["state": "registered", "links": contactIDs.count]),
                Sentence(
                    count: contactIDs.count, one: "reachable for \(contactIDs.count) linked client",
                    other: "reachable for \(contactIDs.count) linked clients"))
        case .reconnecting(let wait, let cause):
            .line(
                // In seconds.
                Line(
                    "contact",
                    ["state": "reconnecting", "cause": cause.reason, "retry_after": wait / .seconds(1)]),
                "not reachable for linked clients, trying again: \(reason: cause.reason)")
        case .refused(.unknownLink):
            .warning("wake-refused", "a client whose link was revoked asked; it was turned away", role)
        case .refused(.tooMany):
            .warning("wake-refused", "too many clients asked lately; one was turned away", role)
        case .wake: .nothing
        }
    }
}

extension ClientLinking.Event: ReportedEvent {
    func report(as role: Role?) -> EventReport {
        switch self {
        case .linked(let link):
            .sentence("linked with \(quoted(link.link.name)): from now on it is asked without a QR code")
        case .refused(let error):
            .warning(
                "link-refused",
                "the other device wanted to be linked in a way that cannot be trusted: \(reason: error.reason)", role)
        case .gone(let link):
            .warning(
                "link-gone",
                "the link with \(quoted(link.link.name)) has ended: it was revoked there, or the tunnel service has "
                    + "another secret; it was forgotten here too", role)
        case .unreachable(let link, let error):
            .warning("link-unreachable", "\(quoted(link.link.name)) was not reached: \(reason: error.reason)", role)
        }
    }
}
