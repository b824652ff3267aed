/// What an answer proves about the authenticator that made a credential. Source: WebAuthn Level 3 section 6.5.3.
public enum Attestation: Sendable, Hashable, CustomStringConvertible {
    /// Nothing: there was no statement.
    case none
    /// That it has the credential's private key, and no more: the statement is signed with it.
    case selfSigned
    /// That it has the key of a certificate that fits the statement. **Nobody looked who issued the certificate:** there
    /// are no trust anchors here.
    case certificateOfUnverifiedChain
    /// Nothing: the statement is of a format or an algorithm that cannot be verified here, and was not asked for.
    case unverified(format: String)

    /// A word for machines, or two for `unverified`.
    public var description: String {
        switch self {
        case .none: "none"
        case .selfSigned: "self-signed"
        case .certificateOfUnverifiedChain: "certificate-of-unverified-chain"
        case .unverified(let format): "unverified \(format)"
        }
    }
}
