public import Encodings

/// The parameters of authenticatorMakeCredential. Source: CTAP 2.2 section 6.1.
public struct MakeCredentialRequest: Sendable, Hashable {
    /// The length of a client data hash: 32 bytes.
    public static let clientDataHashByteCount = 32

    /// The SHA-256 of the client data, 32 bytes.
    public var clientDataHash: [UInt8]
    /// The relying party.
    public var rp: PublicKeyCredentialRpEntity
    /// The account.
    public var user: PublicKeyCredentialUserEntity
    /// The kinds of credential that the relying party takes, the most wanted first.
    public var parameters: [PublicKeyCredentialParameters]
    /// Credentials of which none may be on the authenticator already.
    public var excludeList: [PublicKeyCredentialDescriptor]
    /// The extensions' inputs by name, as they stand.
    public var extensions: CBORMap
    /// The options.
    public var options: RequestOptions
    /// Proof of a PIN or user verification; hybrid clients never send it (HT-CTAP-10).
    public var pinUvAuthParam: [UInt8]?
    /// The protocol of ``pinUvAuthParam``.
    public var pinUvAuthProtocol: UInt64?
    /// The kind of enterprise attestation that is wanted: 1 vendor-facilitated, 2 platform-managed.
    public var enterpriseAttestation: UInt64?
    /// The attestation formats that are wanted, the most wanted first.
    public var attestationFormatsPreference: [String]

    private enum Key {
        static let clientDataHash: CBORValue = 0x01
        static let rp: CBORValue = 0x02
        static let user: CBORValue = 0x03
        static let parameters: CBORValue = 0x04
        static let excludeList: CBORValue = 0x05
        static let extensions: CBORValue = 0x06
        static let options: CBORValue = 0x07
        static let pinUvAuthParam: CBORValue = 0x08
        static let pinUvAuthProtocol: CBORValue = 0x09
        static let enterpriseAttestation: CBORValue = 0x0a
        static let attestationFormatsPreference: CBORValue = 0x0b
    }

    /// Makes a request for an ES256 credential without the parameters that hybrid has no use for.
    public init(
        clientDataHash: [UInt8], rp: PublicKeyCredentialRpEntity, user: PublicKeyCredentialUserEntity,
        parameters: [PublicKeyCredentialParameters] = [.init(algorithm: .es256)],
        excludeList: [PublicKeyCredentialDescriptor] = [], extensions: CBORMap = [:],
        options: RequestOptions = RequestOptions(), attestationFormatsPreference: [String] = []
    ) {
        self.clientDataHash = clientDataHash
        self.rp = rp
        self.user = user
        self.parameters = parameters
        self.excludeList = excludeList
        self.extensions = extensions
        self.options = options
        self.attestationFormatsPreference = attestationFormatsPreference
    }

    init(decoding input: Span<UInt8>, limits: CBORLimits) throws(CTAPError) {
        let parameters = try Parameters(request: input, keys: 0x01...0x0b, limits: limits)
        clientDataHash = try parameters.clientDataHash(Key.clientDataHash)
        rp = try PublicKeyCredentialRpEntity(parameters.required(Key.rp, "rp", \.self), .strict)
        user = try PublicKeyCredentialUserEntity(parameters.required(Key.user, "user", \.self), .strict)
        _ = try parameters.required(Key.parameters, "pubKeyCredParams", \.arrayValue)
        self.parameters = try parameters.list(Key.parameters, "pubKeyCredParams") { value throws(CTAPError) in
            try PublicKeyCredentialParameters(value, .strict)
        }.compactMap(\.self)
        excludeList = try parameters.descriptors(Key.excludeList, "excludeList")
        extensions = try parameters.extensions(Key.extensions)
        options = try RequestOptions(parameters.map[Key.options] ?? [:], .strict)
        pinUvAuthParam = try parameters.optional(Key.pinUvAuthParam, "pinUvAuthParam", \.bytesValue)
        pinUvAuthProtocol = try parameters.optional(Key.pinUvAuthProtocol, "pinUvAuthProtocol", \.unsignedValue)
        enterpriseAttestation = try parameters.optional(
            Key.enterpriseAttestation, "enterpriseAttestation", \.unsignedValue)
        attestationFormatsPreference = try parameters.texts(
            Key.attestationFormatsPreference, "attestationFormatsPreference")
    }

    var map: CBORMap {
        var map: CBORMap = [
            Key.clientDataHash: .bytes(clientDataHash), Key.rp: .map(rp.map), Key.user: .map(user.map),
            Key.parameters: .array(parameters.map(\.value)),
        ]
        map.set(Key.excludeList, .array(excludeList.map(\.value)))
        map.set(Key.extensions, .map(extensions))
        map.set(Key.options, .map(options.map))
        map.set(Key.pinUvAuthParam, pinUvAuthParam.map(CBORValue.bytes))
        map.set(Key.pinUvAuthProtocol, pinUvAuthProtocol.map(CBORValue.unsigned))
        map.set(Key.enterpriseAttestation, enterpriseAttestation.map(CBORValue.unsigned))
        map.set(Key.attestationFormatsPreference, .array(attestationFormatsPreference.map(CBORValue.text)))
        return map
    }
}

extension Parameters {
    /// The SHA-256 of the client data, which is required and has 32 bytes.
    func clientDataHash(_ key: CBORValue) throws(CTAPError) -> [UInt8] {
        let hash = try required(key, "clientDataHash", \.bytesValue)
        guard hash.count == MakeCredentialRequest.clientDataHashByteCount else {
            throw CTAPError(.invalidLength, reason: "clientDataHash has \(hash.count) bytes")
        }
        return hash
    }

    /// A list of credentials that may be absent.
    func descriptors(_ key: CBORValue, _ name: String) throws(CTAPError) -> [PublicKeyCredentialDescriptor] {
        let reading = reading
        return try list(key, name) { value throws(CTAPError) in try PublicKeyCredentialDescriptor(value, reading) }
    }

    /// The extensions' inputs: a map with names for keys.
    func extensions(_ key: CBORValue) throws(CTAPError) -> CBORMap {
        let extensions = try optional(key, "extensions", \.mapValue) ?? [:]
        guard extensions.entries.allSatisfy({ $0.key.textValue != nil }) else {
            throw Self.unexpectedType("the name of an extension")
        }
        return extensions
    }
}
