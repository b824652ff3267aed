import HybridProtocol
import HybridTransport
import Links

/// Keeps the client's file of links as its ceremonies want it, and tells the person.
struct ClientLinkKeeper: Sendable {
    /// Where they are.
    let file: ClientLinkFile
    private let reporter: Reporter

    init(_ file: ClientLinkFile, _ reporter: Reporter) {
        self.file = file
        self.reporter = reporter
    }

    /// Takes note of what became of a link.
    func note(_ event: ClientLinking.Event) {
        switch event {
        case .linked(let link):
            keep { () throws(LinkFileError) in try file.add(link, at: LinkTime.now) }
            reporter.say("linked with \(quoted(link.link.name)): from now on it is asked without a QR code")
        case .refused(let error):
            warn(
                "link-refused", "the other device wanted to be linked in a way that cannot be trusted: \(error.reason)")
        case .gone(let link):
            keep { () throws(LinkFileError) in try file.forget(link.id, onlyIf: link.link.linkID) }
            warn(
                "link-gone", "\(quoted(link.link.name)) has ended its link with this machine; it was forgotten here too"
            )
        case .unreachable(let link, let error):
            warn("link-unreachable", "\(quoted(link.link.name)) was not reached: \(error.cause)")
        }
    }

    /// Takes note of a session to which a link has led.
    func noteUse(of link: SharedLink) {
        keep { () throws(LinkFileError) in try file.markUsed(link.id, at: LinkTime.now) }
    }

    private func keep(_ change: () throws(LinkFileError) -> Void) {
        do throws(LinkFileError) {
            try change()
        } catch {
            warn("link-not-kept", "the file of links could not be changed: \(error.reason)")
        }
    }

    private func warn(_ code: String, _ text: String) { reporter.warn(code, text, role: .client) }
}
