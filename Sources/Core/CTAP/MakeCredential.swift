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

extension MakeCredentialRequest {
    /// Answer that all clients take for a touch: `CTAP2_ERR_PIN_NOT_SET`, the answer of a key without PIN to such a
    /// request in CTAP 2.0 (section 5.1, step 3).
    package static let touched = CTAPStatus.pinNotSet

    /// Relying parties of browsers' touch requests: of Chromium, and of Firefox (authenticator-rs).
    private static let touchRPIDs: Set = [".dummy", "make.me.blink"]

    /// True of a request for a credential that nobody wants. It only has the authenticator touched, where this does not
    /// say that it knows authenticatorSelection (FIDO_2_1).
    ///
    /// Clients send it to choose among several keys. Chromium also sends it, over any transport, to an authenticator
    /// that it cannot use: without user verification, or with none of the site's algorithms. The authenticator asks the
    /// user as for authenticatorSelection, makes nothing, and answers a yes with ``touched``.
    package var isTouchRequest: Bool {
        options.residentKey != true && (Self.touchRPIDs.contains(rp.id) || isOfLibfido2)
    }

    /// True of the request of libfido2 (fido_dev_get_touch_begin), which ssh uses.
    private var isOfLibfido2: Bool {
        rp.id == "localhost" && user.id == [1] && user.name == "dummy" && user.displayName == nil
    }
}

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
