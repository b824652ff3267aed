import CommandLine
import FoundationEssentials
import HybridProtocol
import HybridTransport
import LinuxSupport

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
        case .linked(let link): keep { () throws(LinkFileError) in try file.add(link, at: LinkTime.now) }
        case .gone(let link):
            keep { () throws(LinkFileError) in try file.forget(link.id, onlyIf: link.link.linkID) }
        case .refused, .unreachable: break
        }
        reporter.report(event, as: .client)
    }

    /// Notes a session over a link.
    func noteUse(of link: SharedLink) {
        keep { () throws(LinkFileError) in try file.markUsed(link.id, at: LinkTime.now) }
    }

    private func keep(_ change: () throws(LinkFileError) -> Void) {
        do throws(LinkFileError) {
            try change()
        } catch {
            warn("link-not-kept", "the file of links could not be changed: \(reason: error.reason)")
        }
    }

    private func warn(_ code: String, _ text: Sentence) { reporter.warn(code, text, role: .client) }
}

/// The times that are kept with links.
enum LinkTime {
    /// Now, in seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
