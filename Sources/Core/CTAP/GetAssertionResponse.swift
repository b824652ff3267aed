public import Encodings

/// The response to authenticatorGetAssertion and authenticatorGetNextAssertion. Source: CTAP 2.2 section 6.2.2.
public struct GetAssertionResponse: Sendable, Hashable {
    /// The credential; nil if the authenticator left it out, as it may when the allow list had one entry.
    public var credential: PublicKeyCredentialDescriptor?
    /// The authenticator data exactly as it was signed; see ``AuthenticatorData``.
    public var authenticatorData: [UInt8]
    /// The signature over authenticator data and client data hash.
    public var signature: [UInt8]
    /// The account, for a discoverable credential.
    public var user: PublicKeyCredentialUserEntity?
    /// Number of credentials that were found, if there are more to be fetched.
    public var numberOfCredentials: UInt64?
    /// True if the user chose the credential on the authenticator. Only where no allow list was sent.
    public var userSelected: Bool?
    /// The key of the credential's large blob, 32 bytes.
    public var largeBlobKey: [UInt8]?
    /// The extensions' outputs that are not signed, by name; `prf` is one.
    public var unsignedExtensionOutputs: CBORMap

    private enum Key {
        static let credential: CBORValue = 0x01
        static let authenticatorData: CBORValue = 0x02
        static let signature: CBORValue = 0x03
        static let user: CBORValue = 0x04
        static let numberOfCredentials: CBORValue = 0x05
        static let userSelected: CBORValue = 0x06
        static let largeBlobKey: CBORValue = 0x07
        static let unsignedExtensionOutputs: CBORValue = 0x08
    }

    /// Makes a response.
    public init(
        credential: PublicKeyCredentialDescriptor?, authenticatorData: [UInt8], signature: [UInt8],
        user: PublicKeyCredentialUserEntity? = nil, numberOfCredentials: UInt64? = nil, userSelected: Bool? = nil,
        unsignedExtensionOutputs: CBORMap = [:]
    ) {
        self.credential = credential
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.user = user
        self.numberOfCredentials = numberOfCredentials
        self.userSelected = userSelected
        self.unsignedExtensionOutputs = unsignedExtensionOutputs
    }

    /// Reads a response's payload leniently: any CBOR, unknown keys and optional fields of a wrong type passed over.
    ///
    /// - Throws: ``CTAPError`` `invalid-cbor`, `unexpected-type` or `missing-parameter`.
    public init(decoding payload: Span<UInt8>, limits: CBORLimits = .standard) throws(CTAPError) {
        let fields = try Parameters(response: payload, limits: limits)
        credential = fields.map[Key.credential].flatMap { try? PublicKeyCredentialDescriptor($0, .generous) }
        authenticatorData = try fields.required(Key.authenticatorData, "authData", \.bytesValue)
        signature = try fields.required(Key.signature, "signature", \.bytesValue)
        user = fields.map[Key.user].flatMap { try? PublicKeyCredentialUserEntity($0, .generous) }
        numberOfCredentials = try fields.optional(Key.numberOfCredentials, "numberOfCredentials", \.unsignedValue)
        userSelected = try fields.optional(Key.userSelected, "userSelected", \.boolValue)
        largeBlobKey = try fields.optional(Key.largeBlobKey, "largeBlobKey", \.bytesValue)
        unsignedExtensionOutputs =
            try fields.optional(Key.unsignedExtensionOutputs, "unsignedExtensionOutputs", \.mapValue) ?? [:]
    }

    /// The payload in canonical CBOR.
    public func encoded() -> [UInt8] {
        var map: CBORMap = [Key.authenticatorData: .bytes(authenticatorData), Key.signature: .bytes(signature)]
        map.set(Key.credential, credential?.value)
        map.set(Key.user, user.map { .map($0.map) })
        map.set(Key.numberOfCredentials, numberOfCredentials.map(CBORValue.unsigned))
        map.set(Key.userSelected, userSelected.map(CBORValue.bool))
        map.set(Key.largeBlobKey, largeBlobKey.map(CBORValue.bytes))
        map.set(Key.unsignedExtensionOutputs, .map(unsignedExtensionOutputs))
        return map.encoded()
    }
}
