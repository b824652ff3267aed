internal import Encodings

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
        parts.pkcs8 = passkey[Name.keyValue]?.base64URL ?? []
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
