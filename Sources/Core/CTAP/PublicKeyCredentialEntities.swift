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
