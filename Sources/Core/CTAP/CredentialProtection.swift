public import Encodings

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

/// The conditions for using a credential, or for learning that it exists: the extension credProtect.
///
/// Source: CTAP 2.2 section 12.1, whose numbers these are.
public enum CredentialProtection: UInt8, Sendable, Hashable, CaseIterable {
    /// The credential is used with and without user verification.
    case verificationOptional = 1
    /// Without user verification the credential is used only if the request names it.
    case verificationOptionalIfNamed = 2
    /// The credential is used with user verification only.
    case verificationRequired = 3

    /// Reads the input among a request's extensions, or the output among the signed ones; nil if it is not there.
    ///
    /// - Throws: ``CTAPError`` `unexpected-type`, or `invalid-parameter` for another number.
    public init?(_ extensions: CBORMap) throws(CTAPError) {
        guard let input = extensions[ExtensionIdentifier.credProtect] else { return nil }
        guard let level = input.unsignedValue else { throw Parameters.unexpectedType("extension credProtect") }
        guard let protection = UInt8(exactly: level).flatMap(Self.init) else {
            throw CTAPError(.invalidParameter, reason: "credProtect is not 1, 2 or 3")
        }
        self = protection
    }

    /// The input or the output as it is sent.
    public var value: CBORValue { .unsigned(UInt64(rawValue)) }

    /// True if a credential is used without user verification.
    ///
    /// - Parameter named: true if the request's allow list names it.
    public func allowsUseWithoutVerification(named: Bool) -> Bool {
        switch self {
        case .verificationOptional: true
        case .verificationOptionalIfNamed: named
        case .verificationRequired: false
        }
    }
}
