internal import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

/// Bitwarden's unencrypted export: items, of which logins may have passkeys.
///
/// It has keys of ES256 alone, and no place for the secrets of prf, large blobs and credProtect. The texts of keys that
/// are made on the way are not wiped.
///
/// Source: bitwarden/clients, libs/common/src/models/export and platform/services/fido2.
package enum Bitwarden {
    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = CXF.maxByteCount

    static let limits = CXF.limits
    /// The number of an item that is a login.
    static let loginType: Int64 = 1

    enum Name {
        static let encrypted = "encrypted"
        static let folders = "folders"
        static let items = "items"
        static let id = "id"
        static let type = "type"
        static let name = "name"
        static let login = "login"
        static let username = "username"
        static let uris = "uris"
        static let uri = "uri"
        static let credentials = "fido2Credentials"
        static let credentialID = "credentialId"
        static let keyType = "keyType"
        static let keyAlgorithm = "keyAlgorithm"
        static let keyCurve = "keyCurve"
        static let keyValue = "keyValue"
        static let rpID = "rpId"
        static let rpName = "rpName"
        static let userHandle = "userHandle"
        static let userName = "userName"
        static let userDisplayName = "userDisplayName"
        static let counter = "counter"
        static let discoverable = "discoverable"
        static let creationDate = "creationDate"
    }

    enum Value {
        static let publicKey = "public-key"
        static let ecdsa = "ECDSA"
        static let p256 = "P-256"
        static let zero = "0"
        static let yes = "true"
        static let no = "false"
    }
}

extension Bitwarden {
    /// Reads the passkeys of an export.
    ///
    /// - Parameters:
    ///   - bytes: the file, in JSON, of at most ``maxByteCount`` bytes and ``PasskeyFileCounts/maxItems`` items.
    ///   - take: as in ``CXF/read(_:_:)``.
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large`, `encrypted` or `library-failure`.
    package static func read(
        _ bytes: Span<UInt8>, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        var counts = PasskeyFileCounts()
        let export = try JSONValue.reading(bytes, limits, itemsAt: [Name.items]) {
            (item) throws(PasskeyFormatError) in
            try counts.count()
            let isLogin = item[Name.type]?.integer == loginType
            let passkeys = isLogin ? item[Name.login]?[Name.credentials]?.arrayValue ?? [] : []
            if passkeys.isEmpty { counts.withoutPasskey += 1 }
            for passkey in passkeys {
                var parts = parts(passkey)
                take(try parts.record())
            }
        }
        guard export[Name.encrypted] != true else {
            throw PasskeyFormatError(.encrypted, reason: "the file is encrypted for Bitwarden alone")
        }
        guard export[Name.items]?.arrayValue != nil else {
            throw PasskeyFormatError(.malformed, reason: "the file has no items")
        }
        return counts
    }

    private static func parts(_ passkey: JSONValue) -> PasskeyParts {
        var parts = PasskeyParts()
        parts.id = passkey[Name.credentialID]?.stringValue.flatMap(credentialID)
        parts.rpID = passkey[Name.rpID]?.stringValue
        parts.rpName = passkey[Name.rpName]?.stringValue?.nonEmpty
        parts.userHandle = passkey[Name.userHandle]?.base64URL
        parts.userName = passkey[Name.userName]?.stringValue?.nonEmpty
        parts.userDisplayName = passkey[Name.userDisplayName]?.stringValue?.nonEmpty
        parts.pkcs8 = SecretArray(passkey[Name.keyValue]?.base64URL ?? [])
        parts.isDiscoverable = passkey[Name.discoverable]?.stringValue == Value.yes
        parts.created = passkey[Name.creationDate]?.stringValue.flatMap(UTCTime.seconds)
        if passkey[Name.counter]?.stringValue != Value.zero { parts.obstacle = .counterNotZero }
        let isOfKnownKind =
            passkey[Name.keyType]?.stringValue == Value.publicKey
            && passkey[Name.keyAlgorithm]?.stringValue == Value.ecdsa
            && passkey[Name.keyCurve]?.stringValue == Value.p256
        if !isOfKnownKind { parts.obstacle = .unsupportedAlgorithm }
        if passkey.objectValue == nil { parts.obstacle = .malformed }
        return parts
    }

    /// The bytes of a credential ID: `b64.` and base64url, or 16 bytes in the form of a UUID.
    private static func credentialID(_ text: String) -> [UInt8]? {
        if text.hasPrefix(base64Prefix) { return Base64URL.decode(text.dropFirst(base64Prefix.count)) }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == uuidGroups else { return nil }
        return Hexadecimal.decode(parts.joined())
    }

    static let base64Prefix = "b64."
    /// The numbers of digits between a UUID's hyphens (RFC 9562 section 4).
    static let uuidGroups = [8, 4, 4, 4, 12]
}

extension Bitwarden {
    private static let uuidByteCount = 16

    /// An export with passkeys, each of a login of its own. Those that are not of ES256 are left out.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - time: the time of the export, in seconds since 1970: for passkeys of which no time of creation is known.
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    package static func encode(
        _ credentials: [Credential], at time: Int64
    ) throws(PasskeyFormatError) -> PasskeyExport {
        var (items, records): ([JSONValue], [PasskeyRecord]) = ([], [])
        do throws(CryptographyError) {
            for credential in credentials {
                if !credential.isBackupEligible {
                    records.append(PasskeyRecord(credential, leftOut: .notBackupEligible))
                } else if credential.key.algorithm != .es256 {
                    records.append(PasskeyRecord(credential, leftOut: .unsupportedAlgorithm))
                } else {
                    items.append(try item(credential, at: time))
                    var losses = credential.losses.filter { $0 != .nonDiscoverable }
                    if credential.prf != nil { losses.append(.prf) }
                    records.append(PasskeyRecord(written: credential, losses))
                }
            }
        } catch {
            throw PasskeyFormatError(error)
        }
        let export: JSONValue = [Name.encrypted: false, Name.folders: [], Name.items: .array(items)]
        return PasskeyExport(bytes: Array(export.text.utf8), records: records)
    }

    private static func item(_ credential: Credential, at time: Int64) throws(CryptographyError) -> JSONValue {
        let hash = SHA256.hash(credential.id.span)
        return [
            Name.id: .string(uuid(hash.prefix(uuidByteCount))), "folderId": .null, "organizationId": .null,
            "collectionIds": .null, Name.type: .integer(loginType), "reprompt": 0,
            Name.name: .string(credential.rpName ?? credential.rpID), "notes": .null, "favorite": false,
            Name.login: [
                Name.uris: [["match": .null, Name.uri: .string("https://" + credential.rpID)]],
                Name.username: .string(credential.anyName), "password": .null, "totp": .null,
                Name.credentials: [try passkey(credential, at: time)],
            ],
        ]
    }

    private static func passkey(_ credential: Credential, at time: Int64) throws(CryptographyError) -> JSONValue {
        let id =
            credential.id.count == uuidByteCount
            ? uuid(credential.id) : base64Prefix + Base64URL.encode(credential.id)
        let key = try credential.key.pkcs8()
        let keyText = key.span.withUnsafeBufferPointer { Base64URL.encode($0) }
        return [
            Name.credentialID: .string(id), Name.keyType: .string(Value.publicKey),
            Name.keyAlgorithm: .string(Value.ecdsa), Name.keyCurve: .string(Value.p256),
            Name.keyValue: .string(keyText), Name.rpID: .string(credential.rpID),
            Name.userHandle: .string(Base64URL.encode(credential.userHandle)),
            Name.userName: credential.userName.map(JSONValue.string) ?? .null, Name.counter: .string(Value.zero),
            Name.rpName: credential.rpName.map(JSONValue.string) ?? .null,
            Name.userDisplayName: credential.userDisplayName.map(JSONValue.string) ?? .null,
            Name.discoverable: .string(credential.isDiscoverable ? Value.yes : Value.no),
            Name.creationDate: .string(UTCTime.text(credential.created ?? time)),
        ]
    }

    /// 16 bytes in the form of a UUID.
    private static func uuid(_ bytes: some Collection<UInt8>) -> String {
        var digits = Hexadecimal.encode(bytes)[...]
        return uuidGroups.map { count in
            defer { digits = digits.dropFirst(count) }
            return String(digits.prefix(count))
        }.joined(separator: "-")
    }
}
