public import Cryptography
public import HybridProtocol

extension ContactListener {
    /// Has the service give a link its contact ID, without being woken here. For the moment in which a link is made.
    ///
    /// A listener of the same key that runs elsewhere is not disturbed, and the service lets the new link wake it at
    /// once.
    ///
    /// - Parameters:
    ///   - linkID: the ID of the new link.
    ///   - key: the contact key.
    ///   - limits: the time limits of the answers.
    ///   - service: the address of the tunnel service.
    ///   - opener: connects to it.
    /// - Returns: the contact ID: the same one for the same link, key and service, always.
    /// - Throws: `DataChannelError`.
    public static func register(
        _ linkID: LinkID,
        key: borrowing P256.PrivateKey,
        service: TunnelURL.Service,
        opener: any TunnelOpener,
        limits: Limits = .standard
    ) async throws(DataChannelError) -> ContactID {
        let key = try ContactKey(copying: key)
        let channel = try await opener.open(.listen(at: service)).channel
        let outcome: Result<ContactID, DataChannelError>
        do throws(DataChannelError) {
            let challenge = try await channel.receiveChallenge(within: limits)
            let registration = try key.registration(
                of: [linkID], listens: false, host: service.contactHost, challenge: challenge)
            try await channel.send(AuthenticatorMessage.register(registration).encoded())
            let (contactIDs, _) = try await channel.receiveRegistered(count: 1, within: limits)
            guard let contactID = contactIDs.first else { throw .contactViolation("a contact ID is missing") }
            outcome = .success(contactID)
        } catch {
            outcome = .failure(error)
        }
        await channel.close()
        return try outcome.get()
    }
}
