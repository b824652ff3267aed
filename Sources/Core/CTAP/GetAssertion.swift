public import Encodings

/// The parameters of authenticatorGetAssertion. Source: CTAP 2.2 section 6.2.
public struct GetAssertionRequest: Sendable, Hashable {
    /// The relying party's identifier, a domain.
    public var rpID: String
    /// The SHA-256 of the client data, 32 bytes.
    public var clientDataHash: [UInt8]
    /// The credentials to sign in with; empty for any discoverable one.
    public var allowList: [PublicKeyCredentialDescriptor]
    /// The extensions' inputs by name, as they stand.
    public var extensions: CBORMap
    /// The options.
    public var options: RequestOptions
    /// Proof of a PIN or user verification; hybrid clients never send it (HT-CTAP-10).
    public var pinUvAuthParam: [UInt8]?
    /// The protocol of ``pinUvAuthParam``.
    public var pinUvAuthProtocol: UInt64?

    private enum Key {
        static let rpID: CBORValue = 0x01
        static let clientDataHash: CBORValue = 0x02
        static let allowList: CBORValue = 0x03
        static let extensions: CBORValue = 0x04
        static let options: CBORValue = 0x05
        static let pinUvAuthParam: CBORValue = 0x06
        static let pinUvAuthProtocol: CBORValue = 0x07
    }

    /// Makes a request without the parameters that hybrid has no use for.
    public init(
        rpID: String, clientDataHash: [UInt8], allowList: [PublicKeyCredentialDescriptor] = [],
        extensions: CBORMap = [:], options: RequestOptions = RequestOptions()
    ) {
        self.rpID = rpID
        self.clientDataHash = clientDataHash
        self.allowList = allowList
        self.extensions = extensions
        self.options = options
    }

    init(decoding input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let parameters = try Parameters(request: input, keys: 0x01...0x07, limits: limits)
        rpID = try parameters.required(Key.rpID, "rpId", \.textValue)
        clientDataHash = try parameters.clientDataHash(Key.clientDataHash)
        allowList = try parameters.descriptors(Key.allowList, "allowList")
        extensions = try parameters.extensions(Key.extensions)
        options = try RequestOptions(parameters.map[Key.options] ?? [:], .strict)
        pinUvAuthParam = try parameters.optional(Key.pinUvAuthParam, "pinUvAuthParam", \.bytesValue)
        pinUvAuthProtocol = try parameters.optional(Key.pinUvAuthProtocol, "pinUvAuthProtocol", \.unsignedValue)
    }

    var map: CBORMap {
        var map: CBORMap = [Key.rpID: .text(rpID), Key.clientDataHash: .bytes(clientDataHash)]
        map.set(Key.allowList, .array(allowList.map(\.value)))
        map.set(Key.extensions, .map(extensions))
        map.set(Key.options, .map(options.map))
        map.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
        map.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.unsigned))
        return map
    }
}

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
