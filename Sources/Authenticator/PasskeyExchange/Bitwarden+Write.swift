internal import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

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
