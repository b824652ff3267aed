public import Encodings

/// The response to authenticatorMakeCredential. Source: CTAP 2.2 section 6.1.2.
public struct MakeCredentialResponse: Sendable, Hashable {
    /// The format of the attestation statement, such as `packed` or `none`.
    public var format: String
    /// The authenticator data exactly as it was signed; see ``AuthenticatorData``.
    public var authenticatorData: [UInt8]
    /// The attestation statement.
    public var attestationStatement: CBORMap
    /// True if an enterprise attestation was given.
    public var enterpriseAttestation: Bool?
    /// The key of the credential's large blob, 32 bytes.
    public var largeBlobKey: [UInt8]?
    /// The extensions' outputs that are not signed, by name; `prf` is one.
    public var unsignedExtensionOutputs: CBORMap

    private enum Key {
        static let format: CBORValue = 0x01
        static let authenticatorData: CBORValue = 0x02
        static let attestationStatement: CBORValue = 0x03
        static let enterpriseAttestation: CBORValue = 0x04
        static let largeBlobKey: CBORValue = 0x05
        static let unsignedExtensionOutputs: CBORValue = 0x06
    }

    /// Makes a response.
    public init(
        format: String, authenticatorData: [UInt8], attestationStatement: CBORMap,
        unsignedExtensionOutputs: CBORMap = [:]
    ) {
        self.format = format
        self.authenticatorData = authenticatorData
        self.attestationStatement = attestationStatement
        self.unsignedExtensionOutputs = unsignedExtensionOutputs
    }

    /// Reads a response's payload leniently: any CBOR, unknown keys and optional fields of a wrong type passed over. A
    /// missing attestation statement, which format `none` allows, reads as an empty one.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, `unexpected-type` or `missing-parameter`.
    public init(decoding payload: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        let fields = try Parameters(response: payload, limits: limits)
        format = try fields.required(Key.format, "fmt", \.textValue)
        authenticatorData = try fields.required(Key.authenticatorData, "authData", \.bytesValue)
        attestationStatement = try fields.optional(Key.attestationStatement, "attStmt", \.mapValue) ?? [:]
        enterpriseAttestation = try fields.optional(Key.enterpriseAttestation, "epAtt", \.boolValue)
        largeBlobKey = try fields.optional(Key.largeBlobKey, "largeBlobKey", \.bytesValue)
        unsignedExtensionOutputs =
            try fields.optional(Key.unsignedExtensionOutputs, "unsignedExtensionOutputs", \.mapValue) ?? [:]
    }

    /// The payload in canonical CBOR.
    public func encoded() -> [UInt8] {
        var map: CBORMap = [
            Key.format: .text(format), Key.authenticatorData: .bytes(authenticatorData),
            Key.attestationStatement: .map(attestationStatement),
        ]
        map.set(Key.enterpriseAttestation, enterpriseAttestation.map(CBORValue.bool))
        map.set(Key.largeBlobKey, largeBlobKey.map(CBORValue.bytes))
        map.set(Key.unsignedExtensionOutputs, .map(unsignedExtensionOutputs))
        return map.encoded()
    }

    /// The attestation as WebAuthn hands it to the relying party.
    public var attestationObject: AttestationObject {
        AttestationObject(
            format: format, attestationStatement: attestationStatement, authenticatorData: authenticatorData)
    }
}
