internal import Encodings

/// The relying party of a new credential. Source: WebAuthn Level 3 section 5.4.2; CTAP 2.2 section 6.1.
public struct PublicKeyCredentialRpEntity: Sendable, Hashable {
    /// The relying party's identifier, a domain.
    public var id: String
    /// The name that is shown. Phones refuse a request without it (HT-CTAP-22).
    public var name: String?

    /// Makes an entity.
    public init(id: String, name: String?) {
        self.id = id
        self.name = name
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "rp", reading)
        id = try members.required("id", "rp.id", \.textValue)
        name = try members.optional("name", "rp.name", \.textValue)
    }

    var map: CBORMap {
        var map: CBORMap = ["id": .text(id)]
        map.set("name", name.map(CBORValue.text))
        return map
    }
}

/// The user account of a credential. Source: WebAuthn Level 3 section 5.4.3; CTAP 2.2 section 6.1.
public struct PublicKeyCredentialUserEntity: Sendable, Hashable {
    /// The longest user handle: 64 bytes (WebAuthn Level 3 section 5.4.3).
    public static let maxIDByteCount = 64

    /// The user handle, 1…64 bytes.
    public var id: [UInt8]
    /// The account's name, such as a login. Phones refuse a request without it (HT-CTAP-22).
    public var name: String?
    /// The user's name. Phones refuse a request without it (HT-CTAP-22).
    public var displayName: String?

    /// Makes an entity.
    public init(id: [UInt8], name: String?, displayName: String?) {
        self.id = id
        self.name = name
        self.displayName = displayName
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "user", reading)
        id = try members.required("id", "user.id", \.bytesValue)
        name = try members.optional("name", "user.name", \.textValue)
        displayName = try members.optional("displayName", "user.displayName", \.textValue)
        guard reading == .generous || (1...Self.maxIDByteCount).contains(id.count) else {
            throw CTAPError(.invalidLength, reason: "user.id has \(id.count) bytes")
        }
    }

    var map: CBORMap {
        var map: CBORMap = ["id": .bytes(id)]
        map.set("name", name.map(CBORValue.text))
        map.set("displayName", displayName.map(CBORValue.text))
        return map
    }
}

/// A credential, named. Source: WebAuthn Level 3 section 5.8.3.
public struct PublicKeyCredentialDescriptor: Sendable, Hashable {
    /// The one type of credential that there is: `public-key`.
    public static let publicKey = "public-key"

    /// The credential ID.
    public var id: [UInt8]
    /// The type; descriptors of other types than ``publicKey`` name no credential.
    public var type: String
    /// The transports that were given for the credential. Kept when read, never sent: an iPhone finds no passkey when
    /// it gets `usb` (HT-CTAP-24).
    public var transports: [String]

    /// Makes a descriptor.
    public init(id: [UInt8], type: String = Self.publicKey, transports: [String] = []) {
        self.id = id
        self.type = type
        self.transports = transports
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "a credential descriptor", reading)
        id = try members.required("id", "a descriptor's id", \.bytesValue)
        type = try members.required("type", "a descriptor's type", \.textValue)
        transports = try members.texts("transports", "a descriptor's transports")
    }

    /// The descriptor as it is sent, without ``transports``.
    var value: CBORValue { ["id": .bytes(id), "type": .text(type)] }
}

/// An algorithm by its COSE number. Source: IANA "COSE Algorithms".
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: Int64

    /// Makes an algorithm from its number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// ECDSA on P-256 with SHA-256: −7.
    public static let es256 = Self(rawValue: -7)
    /// RSASSA-PKCS1-v1_5 with SHA-256: −257.
    public static let rs256 = Self(rawValue: -257)
    /// Key agreement on P-256, as CTAP marks it: −25.
    public static let ecdhESHKDF256 = Self(rawValue: -25)
    /// EdDSA, in WebAuthn with Ed25519: −8.
    public static let edDSA = Self(rawValue: -8)
}

/// A kind of credential that a relying party takes. Source: WebAuthn Level 3 section 5.3.
public struct PublicKeyCredentialParameters: Sendable, Hashable {
    /// The algorithm.
    public var algorithm: COSEAlgorithm
    /// The type; other types than ``PublicKeyCredentialDescriptor/publicKey`` must be ignored.
    public var type: String

    /// Makes parameters.
    public init(algorithm: COSEAlgorithm, type: String = PublicKeyCredentialDescriptor.publicKey) {
        self.algorithm = algorithm
        self.type = type
    }

    /// Reads parameters; nil if the algorithm's number is beyond 64 bits, where no algorithm is.
    init?(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "a public key parameter", reading)
        type = try members.required("type", "a public key parameter's type", \.textValue)
        let number = try members.required("alg", "a public key parameter's alg") { $0.isInteger ? $0 : nil }
        guard let number = number.integerValue else { return nil }
        algorithm = COSEAlgorithm(rawValue: number)
    }

    var value: CBORValue { ["alg": CBORValue(algorithm.rawValue), "type": .text(type)] }
}

/// The options of makeCredential and getAssertion; nil where the request does not say. Source: CTAP 2.2 sections 6.1
/// and 6.2.
public struct RequestOptions: Sendable, Hashable {
    /// `rk`: make a discoverable credential. In makeCredential only; false if absent.
    public var residentKey: Bool?
    /// `up`: require the user's presence. True if absent.
    public var userPresence: Bool?
    /// `uv`: verify the user. False if absent.
    public var userVerification: Bool?

    /// Makes options.
    public init(residentKey: Bool? = nil, userPresence: Bool? = nil, userVerification: Bool? = nil) {
        self.residentKey = residentKey
        self.userPresence = userPresence
        self.userVerification = userVerification
    }

    init(_ value: CBORValue, _ reading: Parameters.Reading) throws(CTAPError) {
        let members = try Parameters(value, "options", reading)
        residentKey = try members.optional("rk", "option rk", \.boolValue)
        userPresence = try members.optional("up", "option up", \.boolValue)
        userVerification = try members.optional("uv", "option uv", \.boolValue)
    }

    var map: CBORMap {
        var map = CBORMap()
        map.set("rk", residentKey.map(CBORValue.bool))
        map.set("up", userPresence.map(CBORValue.bool))
        map.set("uv", userVerification.map(CBORValue.bool))
        return map
    }
}
