internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

/// The XML of a KeePass 2 database, as it is in KDBX files and as programs write it by itself; passkeys are in
/// attributes of KeePassXC's (`KPEX_PASSKEY_…`), and KeePassDX's for the secret of prf.
///
/// The texts of keys that are made on the way are not wiped.
///
/// Source: KeePassXC, src/core/EntryAttributes.cpp and src/browser/PasskeyUtils.cpp; KeePassDX, PasskeyEntryFields.
package enum KeePassXML {
    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = KDBX.maxContentByteCount

    enum Element {
        static let root = "KeePassFile"
        static let meta = "Meta"
        static let recycleBin = "RecycleBinUUID"
        static let group = "Group"
        static let entry = "Entry"
        static let history = "History"
        static let uuid = "UUID"
        static let times = "Times"
        static let creationTime = "CreationTime"
        static let string = "String"
        static let key = "Key"
        static let value = "Value"
        static let protected = "Protected"
        static let isTrue = "True"
    }

    enum Attribute {
        static let title = "Title"
        static let userName = "UserName"
        static let url = "URL"
        static let credentialID = "KPEX_PASSKEY_CREDENTIAL_ID"
        /// An older name of the same, which comes first where both are there.
        static let generatedUserID = "KPEX_PASSKEY_GENERATED_USER_ID"
        static let privateKey = "KPEX_PASSKEY_PRIVATE_KEY_PEM"
        static let relyingParty = "KPEX_PASSKEY_RELYING_PARTY"
        static let passkeyUserName = "KPEX_PASSKEY_USERNAME"
        static let strongboxUserName = "KPXC_PASSKEY_USERNAME"
        static let userHandle = "KPEX_PASSKEY_USER_HANDLE"
        static let backupEligible = "KPEX_PASSKEY_FLAG_BE"
        static let backupState = "KPEX_PASSKEY_FLAG_BS"
        static let prf = "KPEX_PASSKEY_PRF"

        static let all: Set<String> = [
            title, credentialID, generatedUserID, privateKey, relyingParty, passkeyUserName, strongboxUserName,
            userHandle, backupEligible, prf,
        ]
    }

    /// The seconds from the first day of year 1, from which KDBX 4 counts, to that of 1970.
    static let epoch: Int64 = 62_135_596_800

    /// The stream that protected values are encrypted with, one after the other.
    final class ProtectedStream {
        private var stream: ChaCha20

        /// Makes a stream of an inner header's key.
        ///
        /// - Throws: `CryptographyError`.
        init(key: [UInt8]) throws(CryptographyError) {
            let hash = SHA512.hash(key.span)
            let (keyEnd, nonceEnd) = (ChaCha20.keyByteCount, ChaCha20.keyByteCount + ChaCha20.nonceByteCount)
            stream = try ChaCha20(
                key: hash.span.extracting(0..<keyEnd), nonce: hash.span.extracting(keyEnd..<nonceEnd))
        }

        /// Encrypts or decrypts the next value.
        ///
        /// - Throws: ``PasskeyFormatError`` `library-failure`.
        func apply(to bytes: inout [UInt8]) throws(PasskeyFormatError) {
            try CryptographyError.rethrown(stream.apply(to: &bytes), as: PasskeyFormatError.init)
        }
    }
}

extension KeePassXML {
    private static let uuidByteCount = 16

    /// An unencrypted file with passkeys, each in an entry of its own.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - time: the time of the export, in seconds since 1970.
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    package static func encode(
        _ credentials: [Credential], at time: Int64
    ) throws(PasskeyFormatError) -> PasskeyExport {
        try encode(credentials, at: time, nil)
    }

    /// The XML.
    ///
    /// - Parameter stream: the key stream of protected values; nil if they are not encrypted.
    static func encode(
        _ credentials: [Credential], at time: Int64, _ stream: ProtectedStream?
    ) throws(PasskeyFormatError) -> PasskeyExport {
        var records: [PasskeyRecord] = []
        let group = randomBytes(count: uuidByteCount)
        var text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <KeePassFile><Meta><Generator>hybrid</Generator><DatabaseName>Passkeys</DatabaseName></Meta>\
            <Root><Group><UUID>\(Base64.encode(group))</UUID><Name>Passkeys</Name>

            """
        for credential in credentials {
            guard credential.isBackupEligible else {
                records.append(PasskeyRecord(credential, leftOut: .notBackupEligible))
                continue
            }
            text += try entry(credential, at: time, stream)
            var losses = credential.losses
            if credential.prf?.hasOther == true { losses.append(.prfWithoutVerification) }
            if credential.userDisplayName != nil { losses.append(.names) }
            records.append(PasskeyRecord(written: credential, losses))
        }
        text += "</Group></Root></KeePassFile>\n"
        return PasskeyExport(bytes: Array(text.utf8), records: records)
    }

    private static func entry(
        _ credential: Credential, at time: Int64, _ stream: ProtectedStream?
    ) throws(PasskeyFormatError) -> String {
        let id = Base64.encode(SHA256.hash(credential.id.span).prefix(uuidByteCount))
        let key = try CryptographyError.rethrown(PEM.encode(credential.key.pkcs8()), as: PasskeyFormatError.init)
        let created = credential.created ?? time
        let moment =
            stream == nil
            ? "\(UTCTime.text(created).prefix(19))Z" : Base64.encode(KDBX.bytes(max(created, 0) + epoch))
        var text = "<Entry><UUID>\(id)</UUID><Tags>Passkey</Tags>"
        text += "<Times><CreationTime>\(moment)</CreationTime></Times>\n"
        let plain: [(String, String)] = [
            (Attribute.title, credential.rpName ?? credential.rpID), (Attribute.userName, credential.anyName),
            (Attribute.url, "https://" + credential.rpID), (Attribute.relyingParty, credential.rpID),
            (Attribute.passkeyUserName, credential.userName ?? ""), (Attribute.backupEligible, "1"),
            (Attribute.backupState, "1"),
        ]
        var secret: [(String, String)] = [
            (Attribute.credentialID, Base64URL.encode(credential.id)),
            (Attribute.userHandle, Base64URL.encode(credential.userHandle)), (Attribute.privateKey, key),
        ]
        if let prf = credential.prf {
            let bytes = prf.bytes()
            secret.append((Attribute.prf, bytes.span.withUnsafeBufferPointer { Base64.encode($0) }))
        }
        for (name, value) in plain { text += string(name, "<Value>\(escaped(value))</Value>") }
        for (name, value) in secret { text += string(name, try protected(value, stream)) }
        return text + "</Entry>\n"
    }

    private static func string(_ name: String, _ value: String) -> String {
        "<String><Key>\(name)</Key>\(value)</String>\n"
    }

    private static func protected(_ value: String, _ stream: ProtectedStream?) throws(PasskeyFormatError) -> String {
        guard let stream else { return "<Value ProtectInMemory=\"True\">\(escaped(value))</Value>" }
        var bytes = Array(value.utf8)
        try stream.apply(to: &bytes)
        return "<Value Protected=\"True\">\(Base64.encode(bytes))</Value>"
    }

    /// A text as XML has it; characters that it cannot have are replaced.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "&": output += "&amp;"
            case "\"": output += "&quot;"
            case "\r": output += "&#13;"
            case "\t", "\n": output.unicodeScalars.append(scalar)
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": output += "\u{FFFD}"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
