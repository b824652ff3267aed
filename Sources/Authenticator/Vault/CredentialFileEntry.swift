internal import CTAP
internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

/// The entry for one credential in a ``CredentialFile``'s header: everything but the secrets, and their lengths.
struct CredentialFileEntry {
    /// The entry's members.
    private(set) var map: CBORMap
    /// The length of the private key.
    let privateKeyByteCount: Int

    private let hasPRF: Bool
    /// True if the prf secret is followed by that for uses without a verification.
    let hasOtherPRF: Bool

    /// The members' names. Those from ``algorithm`` on came with version 2, ``replaced`` with version 3,
    /// ``hasOtherPRF`` with version 4, those behind it with version 5, and ``arrived`` with version 6.
    private enum Key {
        static let id: CBORValue = 1
        static let rpID: CBORValue = 2
        static let rpName: CBORValue = 3
        static let userHandle: CBORValue = 4
        static let userName: CBORValue = 5
        static let userDisplayName: CBORValue = 6
        static let isDiscoverable: CBORValue = 7
        static let algorithm: CBORValue = 8
        static let privateKeyByteCount: CBORValue = 9
        static let hasPRF: CBORValue = 10
        static let protection: CBORValue = 11
        static let created: CBORValue = 12
        static let lastUsed: CBORValue = 13
        static let largeBlob: CBORValue = 14
        static let largeBlobOriginalByteCount: CBORValue = 15
        static let isBackupEligible: CBORValue = 16
        static let isBackedUp: CBORValue = 17
        static let replaced: CBORValue = 18
        static let hasOtherPRF: CBORValue = 19
        static let inTransitSince: CBORValue = 20
        static let receiverID: CBORValue = 21
        static let receiverName: CBORValue = 22
        static let arrived: CBORValue = 23
    }

    /// The length of the secrets: the private key, and the prf secrets if there are any.
    var secretByteCount: Int { privateKeyByteCount + prfByteCount }

    private var prfByteCount: Int { (hasPRF ? PRFSecret.byteCount : 0) + (hasOtherPRF ? PRFSecret.byteCount : 0) }

    /// Time of replacement, in seconds since 1970; nil for a credential that is in use.
    var replaced: Int64? { map[Key.replaced]?.integerValue }

    /// The way of a credential in transit; nil for another one.
    var transit: (receiver: CredentialInTransit.Receiver, since: Int64)? { way(since: Key.inTransitSince) }

    /// The place of a credential that was handed over, and the time of its arrival; nil for another one.
    var arrival: (receiver: CredentialInTransit.Receiver, since: Int64)? { way(since: Key.arrived) }

    private func way(since key: CBORValue) -> (receiver: CredentialInTransit.Receiver, since: Int64)? {
        guard let since = map[key]?.integerValue, let id = map[Key.receiverID]?.bytesValue,
            let name = map[Key.receiverName]?.textValue
        else { return nil }
        return (CredentialInTransit.Receiver(id: id, name: name), since)
    }

    /// Describes a credential in transit.
    ///
    /// - Throws: ``CryptographyError``.
    init(_ credential: CredentialInTransit) throws(CryptographyError) {
        self = try Self(credential.credential)
        map[Key.inTransitSince] = CBORValue(credential.since)
        note(credential.receiver)
    }

    /// Describes a credential that was handed over.
    ///
    /// - Throws: ``CryptographyError``.
    init(_ credential: HandedOverCredential) throws(CryptographyError) {
        self = try Self(credential.credential)
        map[Key.arrived] = CBORValue(credential.arrived)
        note(credential.receiver)
    }

    private mutating func note(_ receiver: CredentialInTransit.Receiver) {
        map[Key.receiverID] = .bytes(receiver.id)
        map[Key.receiverName] = .text(receiver.name)
    }

    /// Describes a credential.
    ///
    /// - Throws: ``CryptographyError``.
    init(_ credential: Credential, replaced: Int64? = nil) throws(CryptographyError) {
        hasPRF = credential.prf != nil
        hasOtherPRF = credential.prf?.hasOther == true
        privateKeyByteCount = try credential.key.privateKey().count
        var map: CBORMap = [
            Key.id: .bytes(credential.id), Key.rpID: .text(credential.rpID),
            Key.userHandle: .bytes(credential.userHandle), Key.isDiscoverable: .bool(credential.isDiscoverable),
            Key.algorithm: CBORValue(credential.key.algorithm.rawValue),
            Key.privateKeyByteCount: .unsigned(UInt64(privateKeyByteCount)), Key.hasPRF: .bool(hasPRF),
            Key.protection: .unsigned(UInt64(credential.protection.rawValue)),
            Key.isBackupEligible: .bool(credential.isBackupEligible), Key.isBackedUp: .bool(credential.isBackedUp),
        ]
        map[Key.rpName] = credential.rpName.map(CBORValue.text)
        map[Key.userName] = credential.userName.map(CBORValue.text)
        map[Key.userDisplayName] = credential.userDisplayName.map(CBORValue.text)
        map[Key.created] = credential.created.map { CBORValue($0) }
        map[Key.lastUsed] = credential.lastUsed.map { CBORValue($0) }
        map[Key.replaced] = replaced.map { CBORValue($0) }
        if hasOtherPRF { map[Key.hasOtherPRF] = true }
        map[Key.largeBlob] = credential.largeBlob.map { .bytes($0.compressed) }
        map[Key.largeBlobOriginalByteCount] = credential.largeBlob.map { .unsigned($0.originalByteCount) }
        self.map = map
    }

    /// Takes an entry of either version; nil if it does not say how long the secrets are.
    init?(_ value: CBORValue) {
        guard let map = value.mapValue else { return nil }
        self.map = map
        if map[Key.algorithm] == nil {
            privateKeyByteCount = P256.scalarByteCount
            (hasPRF, hasOtherPRF) = (false, false)
        } else {
            guard let count = map[Key.privateKeyByteCount]?.unsignedValue, let count = Int(exactly: count),
                let hasPRF = map[Key.hasPRF]?.boolValue,
                let hasOtherPRF = (map[Key.hasOtherPRF] ?? false).boolValue, hasPRF || !hasOtherPRF
            else { return nil }
            privateKeyByteCount = count
            (self.hasPRF, self.hasOtherPRF) = (hasPRF, hasOtherPRF)
        }
    }

    /// The credential with its secrets; nil if a part of it is missing or cannot be.
    ///
    /// - Parameter secrets: ``secretByteCount`` bytes.
    /// - Throws: ``CryptographyError`` if the private key is none.
    func credential(_ secrets: Span<UInt8>) throws(CryptographyError) -> Credential? {
        guard let id = map[Key.id]?.bytesValue, let rpID = map[Key.rpID]?.textValue,
            let userHandle = map[Key.userHandle]?.bytesValue, let isDiscoverable = map[Key.isDiscoverable]?.boolValue,
            let protection
        else { return nil }
        let algorithm = map[Key.algorithm]?.integerValue.map(COSEAlgorithm.init) ?? .es256
        let key = try CredentialKey(algorithm, privateKey: secrets.extracting(first: privateKeyByteCount))
        let prfSecrets = secrets.extracting(last: prfByteCount)
        let prf: PRFSecret? =
            if hasOtherPRF {
                try PRFSecret(
                    copying: prfSecrets.extracting(first: PRFSecret.byteCount),
                    withoutVerification: prfSecrets.extracting(last: PRFSecret.byteCount))
            } else if hasPRF {
                try PRFSecret(copying: prfSecrets)
            } else {
                nil
            }
        return Credential(
            id: id, rpID: rpID, rpName: map[Key.rpName]?.textValue, userHandle: userHandle,
            userName: map[Key.userName]?.textValue, userDisplayName: map[Key.userDisplayName]?.textValue,
            isDiscoverable: isDiscoverable, key: key, protection: protection, prf: prf,
            isBackupEligible: map[Key.isBackupEligible]?.boolValue ?? false,
            isBackedUp: map[Key.isBackedUp]?.boolValue ?? false,
            created: map[Key.created]?.integerValue, lastUsed: map[Key.lastUsed]?.integerValue, largeBlob: largeBlob)
    }

    private var protection: CredentialProtection? {
        guard let level = map[Key.protection] else { return .verificationOptional }
        return level.unsignedValue.flatMap(UInt8.init(exactly:)).flatMap(CredentialProtection.init)
    }

    private var largeBlob: LargeBlob? {
        guard let compressed = map[Key.largeBlob]?.bytesValue,
            let originalByteCount = map[Key.largeBlobOriginalByteCount]?.unsignedValue
        else { return nil }
        return LargeBlob(compressed: compressed, originalByteCount: originalByteCount)
    }
}
