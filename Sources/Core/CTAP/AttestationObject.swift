public import Encodings

/// An attestation as it reaches a relying party. Source: WebAuthn Level 3 section 6.5.4.
public struct AttestationObject: Sendable, Hashable {
    /// The format of the attestation statement.
    public var format: String
    /// The attestation statement.
    public var attestationStatement: CBORMap
    /// The authenticator data exactly as it was signed; see ``AuthenticatorData``.
    public var authenticatorData: [UInt8]

    /// The format without a statement (WebAuthn Level 3 section 8.7).
    public static let noneFormat = "none"
    /// The format with a signature over authenticator data and client data hash (WebAuthn Level 3 section 8.2).
    public static let packedFormat = "packed"

    private enum Key {
        static let format: CBORValue = "fmt"
        static let attestationStatement: CBORValue = "attStmt"
        static let authenticatorData: CBORValue = "authData"
    }

    /// Makes an attestation object.
    public init(format: String, attestationStatement: CBORMap, authenticatorData: [UInt8]) {
        self.format = format
        self.attestationStatement = attestationStatement
        self.authenticatorData = authenticatorData
    }

    /// Reads an attestation object in any CBOR.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, `unexpected-type` or `missing-parameter`.
    public init(decoding input: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        let fields = try Parameters(response: input, limits: limits)
        format = try fields.required(Key.format, "fmt", \.textValue)
        attestationStatement = try fields.required(Key.attestationStatement, "attStmt", \.mapValue)
        authenticatorData = try fields.required(Key.authenticatorData, "authData", \.bytesValue)
    }

    /// The same credential without its attestation, as a relying party gets it that asked for none.
    public var withoutAttestation: AttestationObject {
        AttestationObject(format: Self.noneFormat, attestationStatement: [:], authenticatorData: authenticatorData)
    }

    /// The object in canonical CBOR.
    public func encoded() -> [UInt8] {
        let map: CBORMap = [
            Key.format: .text(format), Key.attestationStatement: .map(attestationStatement),
            Key.authenticatorData: .bytes(authenticatorData),
        ]
        return map.encoded()
    }
}
