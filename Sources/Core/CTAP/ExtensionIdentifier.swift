/// The names of the extensions that are known here, as requests, answers and getInfo have them.
public enum ExtensionIdentifier {
    /// The conditions for using a credential (CTAP 2.2 section 12.1). Its output is signed.
    public static let credProtect = "credProtect"
    /// A pseudo-random function of the credential's, whose salts and values are encrypted (CTAP 2.2 section 12.7). Its
    /// output is signed.
    public static let hmacSecret = "hmac-secret"
    /// A pseudo-random function of the credential's (HT-CTAP-28). Its output is not signed.
    public static let prf = "prf"
    /// A text of the relying party's beside the credential. Its output is not signed.
    public static let largeBlob = "largeBlob"
}
