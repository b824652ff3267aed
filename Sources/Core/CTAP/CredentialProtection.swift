public import Encodings

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
