internal import CTAP
internal import LinuxSupport
package import PasskeyAuthenticator
package import Vault

/// Description of a passkey: everything but its secrets.
package struct PasskeyMetadata: Sendable, Equatable {
    package var id: [UInt8]
    package var rpID: String
    package var rpName: String?
    package var userHandle: [UInt8]
    package var userName: String?
    package var userDisplayName: String?
    package var isDiscoverable: Bool
    /// The COSE algorithm.
    package var algorithm: Int32
    /// The level of credProtect: 1 to 3.
    package var protection: UInt8
    package var hasPRF: Bool
    package var largeBlobByteCount: UInt32?
    /// Seconds since 1970, here and below; nil if it is not known.
    package var created: Int64?
    package var lastUsed: Int64?
    /// The time at which a newer passkey has taken its place; nil if it is in use.
    package var replaced: Int64?
    /// The time up to which it can be restored, if it was replaced or handed over.
    package var keptUntil: Int64?
    /// The time at which it was handed over, while it is not known whether it has arrived; nil if it is here.
    package var inTransit: Int64?
    /// The time at which another device said that it has it, and it was kept aside here; nil if it is here or in
    /// transit.
    package var handedOver: Int64?
    /// The name of the device that it was handed over to, which is that device's text.
    package var receiver: String?

    /// Tells of a passkey that is in use.
    package init(_ credential: Credential) { self.init(credential, nil) }

    /// Tells of a passkey that a newer one has replaced.
    package init(_ replaced: ReplacedCredential) { self.init(replaced.credential, replaced) }

    /// Tells of a passkey that was handed over, and may have arrived.
    package init(_ sent: CredentialInTransit) {
        self.init(sent.credential, nil)
        inTransit = sent.since
        receiver = sent.receiver.name
    }

    /// Tells of a passkey that another vault has said it has.
    package init(_ kept: HandedOverCredential) {
        self.init(kept.credential, nil)
        handedOver = kept.arrived
        keptUntil = kept.keptUntil
        receiver = kept.receiver.name
    }

    private init(_ credential: Credential, _ replaced: ReplacedCredential?) {
        id = credential.id
        rpID = credential.rpID
        rpName = credential.rpName
        userHandle = credential.userHandle
        userName = credential.userName
        userDisplayName = credential.userDisplayName
        isDiscoverable = credential.isDiscoverable
        algorithm = Int32(clamping: credential.key.algorithm.rawValue)
        protection = credential.protection.rawValue
        hasPRF = credential.prf != nil
        largeBlobByteCount = credential.largeBlob.map { UInt32(clamping: $0.compressed.count) }
        created = credential.created
        lastUsed = credential.lastUsed
        self.replaced = replaced?.replaced
        keptUntil = replaced?.keptUntil
    }

    /// Reads it from the bus; nil if it does not have the agent's form.
    init?(_ value: DBusValue) {
        guard let values = value.dictionaryValue, let id = values["id"]?.bytesValue,
            let rpID = values["rp-id"]?.stringValue, let userHandle = values["user-id"]?.bytesValue,
            let isDiscoverable = values["discoverable"]?.boolValue, let algorithm = values["algorithm"]?.int32Value,
            let protection = values["protection"]?.byteValue, let hasPRF = values["prf"]?.boolValue
        else { return nil }
        self.id = id
        self.rpID = rpID
        rpName = values["rp-name"]?.stringValue
        self.userHandle = userHandle
        userName = values["user-name"]?.stringValue
        userDisplayName = values["user-display-name"]?.stringValue
        self.isDiscoverable = isDiscoverable
        self.algorithm = algorithm
        self.protection = protection
        self.hasPRF = hasPRF
        largeBlobByteCount = values["large-blob-bytes"]?.uint32Value
        created = Self.time(values["created"])
        lastUsed = Self.time(values["last-used"])
        replaced = Self.time(values["replaced"])
        keptUntil = Self.time(values["kept-until"])
        inTransit = Self.time(values["in-transit"])
        handedOver = Self.time(values["handed-over"])
        receiver = values["receiver"]?.stringValue
    }

    /// The values for the bus; unknown ones are left out.
    var value: DBusValue {
        let values: [String: DBusValue?] = [
            "id": .bytes(id), "rp-id": .string(rpID), "rp-name": rpName.map(DBusValue.string),
            "user-id": .bytes(userHandle), "user-name": userName.map(DBusValue.string),
            "user-display-name": userDisplayName.map(DBusValue.string), "discoverable": .bool(isDiscoverable),
            "algorithm": .int32(algorithm), "protection": .byte(protection), "prf": .bool(hasPRF),
            "large-blob-bytes": largeBlobByteCount.map(DBusValue.uint32), "created": Self.value(created),
            "last-used": Self.value(lastUsed), "replaced": Self.value(replaced), "kept-until": Self.value(keptUntil),
            "in-transit": Self.value(inTransit), "handed-over": Self.value(handedOver),
            "receiver": receiver.map(DBusValue.string),
        ]
        return .dictionary(values.compactMapValues(\.self))
    }

    /// All passkeys of a vault, those in use first.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    package static func all(of vault: isolated Vault) throws(CredentialStoreError) -> [Self] {
        try vault.credentials().map(Self.init) + vault.replaced().map(Self.init) + vault.inTransit().map(Self.init)
            + vault.handedOver().map(Self.init)
    }

    private static func value(_ time: Int64?) -> DBusValue? {
        time.flatMap(UInt64.init(exactly:)).map(DBusValue.uint64)
    }

    private static func time(_ value: DBusValue?) -> Int64? { value?.uint64Value.flatMap(Int64.init(exactly:)) }
}
