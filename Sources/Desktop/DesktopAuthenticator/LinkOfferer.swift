internal import Cryptography
internal import HybridProtocol
package import HybridTransport
package import PasskeyAuthenticator

/// Makes the link that an authenticator offers the client of its session.
package struct LinkOfferer: Sendable {
    /// Names of the two ends of a link.
    package struct Names: Sendable {
        let device: String
        let client: @Sendable (_ site: String?) -> String

        /// Chooses names.
        ///
        /// - Parameters:
        ///   - device: the name of this machine for linked clients.
        ///   - client: the name of the client in the list of links, given the site that was approved last.
        package init(device: String, client: @escaping @Sendable (_ site: String?) -> String) {
            self.device = device
            self.client = client
        }
    }

    private let file: AuthenticatorLinkFile
    private let parts: CeremonyParts
    private let names: Names
    private let ask: (@Sendable () async throws -> Bool)?
    private let log: SessionLog
    private let observe: EventListener

    /// Makes one.
    ///
    /// - Parameters:
    ///   - file: the place of the links.
    ///   - parts: the tunnel service that assigns the contact ID, and how it is connected to.
    ///   - names: the names of the two ends.
    ///   - log: the session's answers: a client that was given nothing is not linked.
    ///   - observe: is told the outcome.
    ///   - ask: asks the user, once an operation has succeeded; nil if the client is linked without a question then.
    package init(
        file: AuthenticatorLinkFile, parts: CeremonyParts, names: Names, log: SessionLog,
        observe: @escaping EventListener, ask: (@Sendable () async throws -> Bool)?
    ) {
        self.file = file
        self.parts = parts
        self.names = names
        self.log = log
        self.observe = observe
        self.ask = ask
    }

    /// The offer, for a ceremony.
    ///
    /// - Parameter store: the passkeys, with which the links are opened.
    package func linking(with store: any CredentialStore) -> AuthenticatorLinking {
        AuthenticatorLinking(.afterAnswer) { await offer(with: store) }
    }

    func offer(with store: any CredentialStore) async -> AuthenticatorLinking.Offer? {
        do {
            guard log.hasCompletedOperation else { return nil }
            if let ask { guard try await ask() else { return nil } }
            return try await makeOffer(file.open(with: store))
        } catch is CancellationError {
            observe(LinkingEvent.undecided)
        } catch let error as DataChannelError {
            observe(LinkingEvent.noContactID(error))
        } catch {
            observe(LinkingEvent.failed(error))
        }
        return nil
    }

    private func makeOffer(_ links: OpenLinks) async throws -> AuthenticatorLinking.Offer {
        let count = links.contents.entries.count
        guard count < AuthenticatorLinkFile.maxCount else {
            throw LinkFileError(.full, reason: "\(file.path) has \(count) links, and takes no more")
        }
        let root = try links.rootSecret()
        let linkID = try LinkID(randomBytes(count: LinkID.byteCount))
        let key = try links.contents.contactKey()
        let contactID = try await ContactListener.register(
            linkID, key: key, service: parts.tunnelService, opener: parts.opener)
        let name = names.client(log.lastSite)
        let offer = try LinkOffer(contactID: contactID, linkID: linkID, root: root, name: names.device)
        // Kept before it is sent: a client that knows of a link must not be told that it is gone.
        try file.add(.init(linkID: linkID, contactID: contactID, name: name, created: SystemClock.now))
        return AuthenticatorLinking.Offer(offer) { wasSent in settle(linkID, name, wasSent) }
    }

    private func settle(_ linkID: LinkID, _ name: String, _ wasSent: Bool) {
        guard !wasSent else { return observe(LinkingEvent.linked(name: name)) }
        do throws(LinkFileError) { try file.revoke(linkID) } catch { observe(LinkingEvent.failed(error)) }
        observe(LinkingEvent.clientLeft)
    }
}
