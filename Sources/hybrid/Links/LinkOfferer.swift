import Cryptography
import Edges
import HybridProtocol
import HybridTransport
import Links

/// Makes the link that an authenticator offers the client of its session, if the person agrees.
struct LinkOfferer: Sendable {
    let file: AuthenticatorLinkFile
    let service: TunnelURL.Service
    let opener: any TunnelOpener
    let log: CommandLog
    let reporter: Reporter
    /// What linked clients call this machine.
    let ownName: String
    /// What the person calls the client; nil if they have not said.
    let clientName: String?
    let isAsked: Bool

    private static let question = """

        The client would like to be linked: from then on it can ask this machine without a QR code, when it is near, and you
        decide each time. `hybrid authenticator listen` waits for it, `hybrid authenticator links revoke` ends it.

        link it?
        """

    /// What a ceremony is to do.
    var linking: AuthenticatorLinking {
        AuthenticatorLinking(isAsked ? .afterAnswer : .atOnce) { await offer() }
    }

    private func offer() async -> AuthenticatorLinking.Offer? {
        do {
            if isAsked {
                // Who has just refused the client has no use for a link with it.
                guard log.hasSucceeded, try TerminalQuestion.ask(Self.question) else { return nil }
            }
            return try await makeOffer()
        } catch is CancellationError {
            reporter.say("nobody answered in time, or the client has left: it was not linked")
        } catch let error as DataChannelError {
            warn("the tunnel service gave it no contact ID: \(error.reason)")
        } catch {
            warn(Failure(error).cause)
        }
        return nil
    }

    private func makeOffer() async throws -> AuthenticatorLinking.Offer {
        let contents = try file.contentsOrNew()
        guard contents.entries.count < AuthenticatorLinkFile.maxCount else {
            throw LinkFileError(.full, reason: "\(file.path) has \(contents.entries.count) links, and takes no more")
        }
        let linkID = try LinkID(randomBytes(count: LinkID.byteCount))
        let key = try contents.withRootSecret { root throws(HybridProtocolError) in try root.contactKey() }
        let contactID = try await ContactListener.register(linkID, key: key, service: service, opener: opener)
        let name = clientName ?? log.lastSite.map { "a client used for \($0)" } ?? "a client"
        let offer = try contents.withRootSecret { root throws(HybridProtocolError) in
            try LinkOffer(contactID: contactID, linkID: linkID, root: root, name: ownName)
        }
        // Kept before it is sent: a client that knows of a link must not be told that it is gone.
        try file.add(.init(linkID: linkID, contactID: contactID, name: name, created: LinkTime.now))
        return AuthenticatorLinking.Offer(offer) { wasSent in settle(linkID, name, wasSent) }
    }

    private func settle(_ linkID: LinkID, _ name: String, _ wasSent: Bool) {
        guard !wasSent else { return reporter.say("linked \(quoted(name)); see hybrid authenticator links list") }
        do throws(LinkFileError) { try file.revoke(linkID) } catch { warn(error.reason) }
        warn("it left too early")
    }

    private func warn(_ cause: String) {
        reporter.warn("not-linked", "the client was not linked: \(cause)", role: .authenticator)
    }
}
