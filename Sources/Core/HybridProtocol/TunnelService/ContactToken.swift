public import Cryptography

/// The contents of a contact ID of this project's service: the authenticator that it wakes and the label, authenticated
/// by the service (TS-CON-12, TS-CON-40).
///
/// | bytes | |
/// |---|---|
/// | 1 | version, `01` |
/// | 16 | the authenticator's ID |
/// | 8 | the label |
/// | 16 | the first half of HMAC-SHA-256 of the 25 bytes before, under the service's contact secret |
public struct ContactToken: Sendable, Hashable {
    /// The length of a token: 41 bytes.
    public static let byteCount = contentByteCount + codeByteCount

    /// The authenticator that it wakes.
    public let authenticator: AuthenticatorID
    /// The authenticator's label for it.
    public let label: ContactLabel

    static let version: UInt8 = 1
    static let contentByteCount = 1 + AuthenticatorID.byteCount + ContactLabel.byteCount
    static let codeByteCount = 16

    /// Names a contact.
    public init(authenticator: AuthenticatorID, label: ContactLabel) {
        self.authenticator = authenticator
        self.label = label
    }

    /// The bytes that the code covers: 25.
    var content: [UInt8] { [Self.version] + authenticator.bytes + label.bytes }
}

/// Issues contact tokens and recognises its own.
///
/// It keeps its secret and nothing else: a service that restarts with the same one recognises every token, and one that
/// starts with another none. A secret that others may know is replaced by a new one that knows it as the previous one:
/// then tokens of both are recognised, and new ones are issued under the new one alone.
public final class ContactTokenIssuer: Sendable {
    /// The length of the contact secret: 32 bytes.
    public static let secretByteCount = 32

    /// The secret itself: libcrypto's HMAC would keep its key in ordinary memory for as long as it lives.
    private let secret: SecretBytes
    /// The key of the codes between the nodes of a service (TS-CON-54).
    let nodeKey: SecretBytes
    let previous: ContactTokenIssuer?

    /// Makes an issuer.
    ///
    /// - Parameters:
    ///   - secret: 32 random bytes, known to the service only.
    ///   - previous: an issuer whose tokens are recognised too; `nil` for none.
    /// - Throws: `wrong-length`.
    public init(
        secret: borrowing SecretBytes, previous: ContactTokenIssuer? = nil
    ) throws(TunnelProtocolError) {
        self.previous = previous
        guard secret.count == Self.secretByteCount else { throw .wrongLength("the contact secret") }
        self.secret = SecretBytes(copying: secret.span)
        nodeKey = Self.nodeKey(from: secret)
    }

    /// The contact ID of a token. The same token always has the same contact ID.
    ///
    /// - Returns: 41 bytes.
    public func contactID(of token: ContactToken) -> [UInt8] {
        let content = token.content
        var function = codeFunction()
        return content + function.authenticationCode(for: content.span).prefix(ContactToken.codeByteCount)
    }

    /// The token of a contact ID that this issuer, or the previous one, has issued, compared in constant time.
    ///
    /// - Parameter contactID: any bytes.
    /// - Returns: nil for anything that it has not issued.
    public func token(_ contactID: [UInt8]) -> ContactToken? {
        guard contactID.count == ContactToken.byteCount, contactID.first == ContactToken.version else { return nil }
        let content = Array(contactID.prefix(ContactToken.contentByteCount))
        let tag = Array(contactID.suffix(ContactToken.codeByteCount))
        var function = codeFunction()
        guard function.isValid(tag.span, for: content.span) else { return previous?.token(contactID) }
        guard let label = ContactLabel(content.suffix(ContactLabel.byteCount)) else { return nil }
        let authenticator = content.dropFirst().prefix(AuthenticatorID.byteCount)
        return ContactToken(authenticator: AuthenticatorID(checked: authenticator), label: label)
    }

    private func codeFunction() -> HMACSHA256 {
        let key = secret.clone()
        return HMACSHA256(key: key.span)
    }
}
