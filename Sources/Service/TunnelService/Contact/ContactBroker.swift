import HybridProtocol
import NIOConcurrencyHelpers
import NIOCore

/// The contact side of a running service: contact IDs, the connected authenticators and the rates of wakes.
struct ContactBroker: Sendable {
    /// The connected authenticators and the waiting clients.
    let registry: ContactRegistry

    private let currentIssuer: NIOLockedValueBox<ContactTokenIssuer>
    private let contacts: TokenBuckets<ContactToken>
    private let authenticators: TokenBuckets<AuthenticatorID>
    private let addresses: TokenBuckets<AddressKey>?
    private let renewals = TokenBuckets<ContactToken>(Self.renewalRate)

    /// The rate of new registrations that one contact may cause: 3 times, then once more every 10 minutes.
    private static let renewalRate = TunnelService.Rate(burst: 3, interval: .seconds(600))

    /// Makes the contact side of a service that has just started.
    ///
    /// - Parameters:
    ///   - knowsAddresses: false if requests cannot be told apart by addresses.
    ///   - isNode: true if the service has other nodes.
    init(
        issuer: ContactTokenIssuer, limits: TunnelService.Limits, knowsAddresses: Bool = true, isNode: Bool = false
    ) {
        registry = ContactRegistry(isNode: isNode)
        currentIssuer = NIOLockedValueBox(issuer)
        contacts = TokenBuckets(limits.wakesPerContact)
        authenticators = TokenBuckets(limits.wakesPerAuthenticator)
        addresses = knowsAddresses ? TokenBuckets(limits.contactsPerAddress) : nil
    }

    /// Issues contact IDs, and recognises them.
    var issuer: ContactTokenIssuer { currentIssuer.withLockedValue { $0 } }

    /// Takes another issuer from now on.
    func replaceIssuer(by issuer: ContactTokenIssuer) { currentIssuer.withLockedValue { $0 = issuer } }

    /// Checks that the bearer of a contact ID may wake its authenticator now.
    ///
    /// A request for a contact that is unknown, revoked or not listed counts against the address alone.
    ///
    /// - Throws: ``HTTPRefusal`` with status 410 for a contact ID that is unknown or revoked, 429 if it was used too
    ///   often.
    func admit(_ contactID: [UInt8], from address: AddressKey) throws(HTTPRefusal) -> ContactToken {
        let now = NIODeadline.now()
        if let wait = addresses?.take(address, at: now) { throw .tooManyContacts(wait) }
        guard let token = issuer.token(contactID) else { throw .gone }
        switch registry.standing(of: token) {
        case .revoked: throw .gone
        case .unlisted: break
        case .reachable, .unreachable: try limit(token, at: now)
        }
        return token
    }

    /// Announces a client to its authenticator. One that is connected, and whose label this node does not know, has to
    /// register again: its list is certain then (TS-CON-53).
    ///
    /// - Returns: true if it is announced.
    /// - Throws: ``HTTPRefusal`` with status 410 if the token is revoked.
    func call(_ call: ContactCall) throws(HTTPRefusal) -> Bool {
        switch registry.call(call) {
        case .reachable: return true
        case .revoked: throw .gone
        case .unlisted(let end):
            // A node that does not tell when its client asked would ask again and again.
            if call.asked != nil, renewals.take(call.token, at: .now()) == nil { end.yield(isReplaced: false) }
            return false
        case .unreachable: return false
        }
    }

    /// Counts a wake of this node's, or of another one's, whose authenticator waits here.
    ///
    /// - Throws: ``HTTPRefusal`` with status 429 if there were too many.
    func limit(_ token: ContactToken, at now: NIODeadline = .now()) throws(HTTPRefusal) {
        if let wait = contacts.take(token, at: now) { throw .tooManyWakes(wait) }
        if let wait = authenticators.take(token.authenticator, at: now) { throw .tooManyWakes(wait) }
    }
}
