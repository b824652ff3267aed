/// The attestation type of a new credential: the facts about the authenticator that its attestation proves. Source:
/// WebAuthn Level 3 section 6.5.3.
public enum AttestationType: Sendable, Hashable, CustomStringConvertible {
    /// Nothing: there was no statement.
    case none
    /// Self attestation: the statement is signed with the credential's private key, and proves no more than that.
    case selfSigned
    /// The statement is signed with the key of a certificate that fits it. **The certificate's issuer is not
    /// verified:** there are no trust anchors here.
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
