/// The names of the extensions that are known here, as requests, answers and getInfo have them.
///
/// hmac-secret is not among them: it needs a PIN protocol, which there is not in hybrid (the article
/// CTAPInside of HybridProtocol).
public enum ExtensionIdentifier {
    /// The conditions for using a credential (CTAP 2.2 section 12.1). Its output is signed.
    public static let credProtect = "credProtect"
    /// A pseudo-random function of the credential's (HT-CTAP-28). Its output is not signed.
    public static let prf = "prf"
    /// A text of the relying party's beside the credential. Its output is not signed.
    public static let largeBlob = "largeBlob"
}
