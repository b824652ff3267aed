import CommandLine
import HybridProtocol
import HybridTransport

/// Keeps the client's file of links up to date, and tells the user.
struct ClientLinkKeeper: Sendable {
    /// The file of links.
    let file: ClientLinkFile
    private let reporter: Reporter

    init(_ file: ClientLinkFile, _ reporter: Reporter) {
        self.file = file
        self.reporter = reporter
    }

    /// Notes the outcome of a link.
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

    /// Notes a session over a link.
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
