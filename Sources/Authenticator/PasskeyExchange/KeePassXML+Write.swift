internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

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
    /// - Parameter stream: what protected values are encrypted with; nil if they are not.
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
        let key: String
        do throws(CryptographyError) {
            key = PEM.encode(try credential.key.pkcs8())
        } catch {
            throw PasskeyFormatError(error)
        }
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
