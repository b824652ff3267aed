public import Encodings

/// The extension hmac-secret: a pseudo-random function whose salts and values are encrypted between client and
/// authenticator, as security keys have it. Source: CTAP 2.2 section 12.7.
public enum HMACSecretExtension {
    /// True if makeCredential asks for the function.
    ///
    /// - Throws: ``CTAPError`` `unexpected-type` if the input is not a truth value.
    public static func isWanted(_ extensions: CBORMap) throws(CTAPError) -> Bool {
        guard let input = extensions[ExtensionIdentifier.hmacSecret] else { return false }
        guard let isWanted = input.boolValue else { throw Parameters.unexpectedType("extension hmac-secret") }
        return isWanted
    }

    /// The input in getAssertion.
    public struct Input: Sendable, Hashable {
        /// The client's public key: `04`, X, Y: 65 bytes, not checked to be on the curve.
        public let keyAgreement: [UInt8]
        /// One or two salts, encrypted.
        public let saltEnc: [UInt8]
        /// The authentication code of ``saltEnc``.
        public let saltAuth: [UInt8]
        /// The PIN/UV auth protocol; 1 if the client does not say.
        public let pinUvAuthProtocol: UInt64

        private enum Key {
            static let keyAgreement: CBORValue = 0x01
            static let saltEnc: CBORValue = 0x02
            static let saltAuth: CBORValue = 0x03
            static let pinUvAuthProtocol: CBORValue = 0x04
        }

        /// Makes an input.
        ///
        /// - Parameters:
        ///   - keyAgreement: the client's public key, 65 bytes.
        ///   - saltEnc: one or two salts, encrypted.
        ///   - saltAuth: the authentication code of `saltEnc`.
        ///   - pinUvAuthProtocol: the PIN/UV auth protocol.
        /// - Throws: ``CTAPError`` `invalid-length` for a key of another length.
        public init(
            keyAgreement: [UInt8], saltEnc: [UInt8], saltAuth: [UInt8], pinUvAuthProtocol: UInt64
        ) throws(CTAPError) {
            _ = try COSEKey(keyAgreement: keyAgreement.span)
            self.keyAgreement = keyAgreement
            self.saltEnc = saltEnc
            self.saltAuth = saltAuth
            self.pinUvAuthProtocol = pinUvAuthProtocol
        }

        /// The input as it stands among a request's extensions.
        ///
        /// - Throws: ``CTAPError``, never for an input that was made or read here.
        public func value() throws(CTAPError) -> CBORValue {
            [
                Key.keyAgreement: .map(try COSEKey(keyAgreement: keyAgreement.span).parameters),
                Key.saltEnc: .bytes(saltEnc), Key.saltAuth: .bytes(saltAuth),
                Key.pinUvAuthProtocol: .unsigned(pinUvAuthProtocol),
            ]
        }

        /// Reads the input among a request's extensions, strictly; nil if it is not there.
        ///
        /// - Throws: ``CTAPError`` `unexpected-type`, `missing-parameter`, or `invalid-parameter` for a key of another
        ///   kind.
        public init?(_ extensions: CBORMap) throws(CTAPError) {
            guard let input = extensions[ExtensionIdentifier.hmacSecret] else { return nil }
            let members = try Parameters(input, "extension hmac-secret", .strict)
            let key = try COSEKey(members.required(Key.keyAgreement, "keyAgreement", \.mapValue))
            guard let point = key.keyAgreementPoint else {
                throw CTAPError(.invalidParameter, reason: "keyAgreement is not a key on P-256 for key agreement")
            }
            keyAgreement = point
            saltEnc = try members.required(Key.saltEnc, "saltEnc", \.bytesValue)
            saltAuth = try members.required(Key.saltAuth, "saltAuth", \.bytesValue)
            pinUvAuthProtocol =
                try members.optional(Key.pinUvAuthProtocol, "hmac-secret's pinUvAuthProtocol", \.unsignedValue) ?? 1
        }
    }
}
