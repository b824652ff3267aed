public import Cryptography
internal import Synchronization

/// A contact ID of this service: which authenticator it wakes, under which label, and that the service has said so.
///
/// | bytes | |
/// |---|---|
/// | 1 | version, `01` |
/// | 16 | the authenticator's ID |
/// | 8 | the label |
/// | 16 | the first half of HMAC-SHA-256 of the 25 bytes before, under the service's contact secret |
public struct ContactTicket: Sendable, Hashable {
    /// How many bytes a ticket has: 41.
    public static let byteCount = contentByteCount + codeByteCount

    /// Whom it wakes.
    public let authenticator: AuthenticatorID
    /// What the authenticator calls it.
    public let label: ContactLabel

    static let version: UInt8 = 1
    static let contentByteCount = 1 + AuthenticatorID.byteCount + ContactLabel.byteCount
    static let codeByteCount = 16

    /// Names a contact.
    public init(authenticator: AuthenticatorID, label: ContactLabel) {
        self.authenticator = authenticator
        self.label = label
    }

    /// What the code covers: 25 bytes.
    var content: [UInt8] { [Self.version] + authenticator.bytes + label.bytes }
}

/// Issues contact tickets and knows its own again. All that it keeps is one secret, so that a service which restarts with the
/// same one has forgotten nothing, and one that starts with another has forgotten every link.
public final class ContactTicketIssuer: Sendable {
    /// How many bytes the contact secret has: 32.
    public static let secretByteCount = 32

    private let code: Mutex<HMACSHA256>

    /// Makes an issuer.
    ///
    /// - Parameter secret: 32 random bytes that nobody else knows.
    /// - Throws: `wrong-length`, `cryptography-failed`.
    public init(secret: borrowing SecretBytes) throws(ContactProtocolError) {
        guard secret.count == Self.secretByteCount else { throw .wrongLength("the contact secret") }
        do throws(CryptographyError) {
            let keyed = try HMACSHA256(key: secret.span)
            code = Mutex(keyed)
        } catch {
            throw ContactProtocolError(error)
        }
    }

    /// The contact ID of a ticket. The same ticket has the same contact ID always.
    ///
    /// - Returns: 41 bytes.
    /// - Throws: `cryptography-failed`.
    public func contactID(of ticket: ContactTicket) throws(ContactProtocolError) -> [UInt8] {
        let content = ticket.content
        let whole = try withCode { (code) throws(CryptographyError) in
            try code.authenticationCode(for: content.span)
        }
        return content + whole.prefix(ContactTicket.codeByteCount)
    }

    /// The ticket of a contact ID that this issuer has issued, compared in constant time.
    ///
    /// - Parameter contactID: any bytes.
    /// - Returns: nil for anything that it has not issued.
    /// - Throws: `cryptography-failed`.
    public func ticket(_ contactID: [UInt8]) throws(ContactProtocolError) -> ContactTicket? {
        guard contactID.count == ContactTicket.byteCount, contactID.first == ContactTicket.version else { return nil }
        let content = Array(contactID.prefix(ContactTicket.contentByteCount))
        let tag = Array(contactID.suffix(ContactTicket.codeByteCount))
        let isOurs = try withCode { (code) throws(CryptographyError) in
            try code.isValid(tag.span, for: content.span)
        }
        guard isOurs, let label = ContactLabel(content.suffix(ContactLabel.byteCount)) else { return nil }
        let authenticator = content.dropFirst().prefix(AuthenticatorID.byteCount)
        return ContactTicket(authenticator: AuthenticatorID(checked: authenticator), label: label)
    }

    private func withCode<Result: Sendable>(
        _ body: (inout HMACSHA256) throws(CryptographyError) -> Result
    ) throws(ContactProtocolError) -> Result {
        do throws(CryptographyError) {
            return try code.withLock { (code) throws(CryptographyError) in try body(&code) }
        } catch {
            throw ContactProtocolError(error)
        }
    }
}
