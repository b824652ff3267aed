import ContactProtocol
import NIOCore

/// What the contact side of a running service consists of.
struct ContactDesk: Sendable {
    /// Issues contact IDs, and knows them again.
    let issuer: ContactTicketIssuer
    /// Who is connected, and who waits.
    let registry = ContactRegistry()

    private let contacts: TokenBuckets<ContactTicket>
    private let authenticators: TokenBuckets<AuthenticatorID>
    private let addresses: TokenBuckets<AddressKey>

    /// The contact side of a service that has just started.
    init(issuer: ContactTicketIssuer, limits: TunnelService.Limits) {
        self.issuer = issuer
        contacts = TokenBuckets(limits.wakesPerContact)
        authenticators = TokenBuckets(limits.wakesPerAuthenticator)
        addresses = TokenBuckets(limits.contactsPerAddress)
    }

    /// Whether the bearer of a contact ID may wake its authenticator now.
    ///
    /// Who asks for a contact that is unknown or revoked uses up nobody's share but that of their own address.
    ///
    /// - Throws: ``Refusal`` with status 410 for a contact ID that is unknown or revoked, 429 if it was used too often.
    func admit(_ contactID: [UInt8], from address: AddressKey) throws(Refusal) -> ContactTicket {
        let now = NIODeadline.now()
        if let wait = addresses.take(address, at: now) { throw .tooManyContacts(wait) }
        guard let ticket = try ticket(contactID), registry.standing(of: ticket) != .revoked else { throw .gone }
        if let wait = contacts.take(ticket, at: now) { throw .tooManyWakes(wait) }
        if let wait = authenticators.take(ticket.authenticator, at: now) { throw .tooManyWakes(wait) }
        return ticket
    }

    private func ticket(_ contactID: [UInt8]) throws(Refusal) -> ContactTicket? {
        do throws(ContactProtocolError) {
            return try issuer.ticket(contactID)
        } catch {
            throw .broken
        }
    }
}
