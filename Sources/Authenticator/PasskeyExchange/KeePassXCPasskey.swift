internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

/// The file that KeePassXC writes for one passkey (`.passkey`, since 2.7.7): a JSON object of texts.
///
/// It has no place for the secrets of prf, large blobs, credProtect, names for display and the time of creation. The
/// texts of keys that are made on the way are not wiped.
///
/// Source: KeePassXC, src/gui/passkeys/PasskeyExporter.cpp and PasskeyImporter.cpp.
package enum KeePassXCPasskey {
    /// The largest file that is read: 64 KiB.
    package static let maxByteCount = 1 << 16

    private static let limits = JSONLimits(byteCount: maxByteCount, depth: 8, valueCount: 1 << 10)

    enum Name {
        static let relyingParty = "relyingParty"
        static let url = "url"
        static let username = "username"
        static let credentialID = "credentialId"
        static let userHandle = "userHandle"
        static let privateKey = "privateKey"
    }

    /// Reads the passkey of a file.
    ///
    /// - Parameters:
    ///   - bytes: the file, at most ``maxByteCount`` bytes.
    ///   - take: gets the passkey, also if it is left out.
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large` or `library-failure`.
    package static func read(
        _ bytes: Span<UInt8>, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        let object = try JSONError.rethrown(JSONValue(parsing: bytes, limits: limits), as: PasskeyFormatError.init)
        guard let rpID = object[Name.relyingParty]?.stringValue, let key = object[Name.privateKey]?.stringValue else {
            throw PasskeyFormatError(.malformed, reason: "the file has no relyingParty, or no privateKey")
        }
        var parts = PasskeyParts()
        parts.rpID = rpID
        parts.id = object[Name.credentialID]?.base64URL
        parts.userHandle = object[Name.userHandle]?.base64URL
        parts.userName = object[Name.username]?.stringValue?.nonEmpty
        parts.pkcs8 = SecretArray(PEM.privateKey(key) ?? [])
        take(try parts.record())
        return PasskeyFileCounts(items: 1)
    }

    /// A file with one passkey: the first one that can be written.
    ///
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    package static func encode(_ credentials: [Credential]) throws(PasskeyFormatError) -> PasskeyExport {
        var bytes: [UInt8] = []
        var records: [PasskeyRecord] = []
        for credential in credentials {
            guard credential.isBackupEligible else {
                records.append(PasskeyRecord(credential, leftOut: .notBackupEligible))
                continue
            }
            guard bytes.isEmpty else {
                records.append(PasskeyRecord(credential, leftOut: .onePasskeyOnly))
                continue
            }
            let key = try CryptographyError.rethrown(PEM.encode(credential.key.pkcs8()), as: PasskeyFormatError.init)
            let object: JSONValue = [
                Name.relyingParty: .string(credential.rpID), Name.url: .string("https://" + credential.rpID),
                // KeePassXC takes no file without a name.
                Name.username: .string(credential.anyName),
                Name.credentialID: .string(Base64URL.encode(credential.id)),
                Name.userHandle: .string(Base64URL.encode(credential.userHandle)), Name.privateKey: .string(key),
            ]
            bytes = Array(object.text.utf8)
            var losses = credential.losses
            if credential.prf != nil { losses.append(.prf) }
            if credential.rpName != nil || credential.userDisplayName != nil { losses.append(.names) }
            records.append(PasskeyRecord(written: credential, losses))
        }
        return PasskeyExport(bytes: bytes, records: records)
    }
}

extension Credential {
    /// The account's name, or another text that stands for it.
    var anyName: String { [userName, userDisplayName].compactMap(\.self).first { !$0.isEmpty } ?? rpID }

    /// Losses in every format but CXF and this program's own: contents of large blobs, and data that CXF has no place
    /// for either.
    var losses: [PasskeyLoss] {
        var losses = CXF.losses(self)
        if largeBlob != nil { losses.append(.largeBlob) }
        return losses
    }
}
