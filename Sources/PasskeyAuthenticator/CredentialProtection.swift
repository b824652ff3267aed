/// How much it takes to use a credential, or to learn that it exists: the extension credProtect.
///
/// Source: CTAP 2.2 section 12.1, whose numbers these are.
public enum CredentialProtection: UInt8, Sendable, Hashable {
    /// The credential is used with and without user verification.
    case verificationOptional = 1
    /// Without user verification the credential is used only if the request names it.
    case verificationOptionalIfNamed = 2
    /// The credential is used with user verification only.
    case verificationRequired = 3
}
