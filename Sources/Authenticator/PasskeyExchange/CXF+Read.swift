internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

extension CXF {
    /// Reads the passkeys of a file. What is not known is passed over (section 3.1.1). A signature counter that a
    /// passkey had is not in the format, and zero here for ever (section 3.3.12).
    ///
    /// A file may also be one account alone, without a version, as Apple's interface hands it over
    /// (`ASImportableAccount`) and other providers' exports therefore have it. It is read as one of version 1.
    ///
    /// - Parameters:
    ///   - bytes: the file, in JSON, of at most ``maxByteCount`` bytes and ``PasskeyFileCounts/maxItems`` items.
    ///   - take: gets each passkey, and each that is left out. What it got counts only if nothing is thrown afterwards.
    /// - Throws: ``PasskeyFormatError`` `malformed`, `too-large`, `unknown-version` or `library-failure`.
    package static func read(
        _ bytes: Span<UInt8>, _ take: (PasskeyRecord) -> Void
    ) throws(PasskeyFormatError) -> PasskeyFileCounts {
        var counts = PasskeyFileCounts()
        let isAccount = !OutermostNames(bytes).contains(Name.accounts)
        let path = isAccount ? [Name.items] : [Name.accounts, nil, Name.items]
        let header = try JSONValue.reading(bytes, limits, itemsAt: path) {
            (item) throws(PasskeyFormatError) in
            try counts.count()
            let credentials = item[Name.credentials]?.arrayValue
            let passkeys = credentials?.filter { $0[Name.type]?.stringValue == Name.passkey } ?? []
            if passkeys.isEmpty { counts.withoutPasskey += 1 }
            for passkey in passkeys {
                var parts = try parts(passkey, of: item)
                take(try parts.record())
            }
        }
        if isAccount {
            guard header[Name.version] == nil, header[Name.items]?.arrayValue != nil else {
                throw PasskeyFormatError(.malformed, reason: "the file has neither accounts, nor the items of one")
            }
            return counts
        }
        guard let version = header[Name.version], let major = version[Name.major]?.integer,
            version[Name.minor]?.integer != nil, let accounts = header[Name.accounts]?.arrayValue,
            accounts.allSatisfy({ $0[Name.items]?.arrayValue != nil })
        else { throw PasskeyFormatError(.malformed, reason: "the file has no version, or accounts without items") }
        guard major == Self.version.major else {
            throw PasskeyFormatError(.unknownVersion, reason: "the file has version \(major) of the format")
        }
        return counts
    }

    private static func parts(_ passkey: JSONValue, of item: JSONValue) throws(PasskeyFormatError) -> PasskeyParts {
        var parts = PasskeyParts()
        parts.id = passkey[Name.credentialID]?.base64URL
        parts.rpID = passkey[Name.rpID]?.stringValue
        parts.rpName = item[Name.title]?.stringValue?.nonEmpty
        parts.userHandle = passkey[Name.userHandle]?.base64URL
        parts.userName = passkey[Name.username]?.stringValue?.nonEmpty
        parts.userDisplayName = passkey[Name.userDisplayName]?.stringValue?.nonEmpty
        parts.pkcs8 = passkey[Name.key]?.base64URL ?? []
        parts.created = item[Name.creationAt]?.integer
        guard let extensions = passkey[Name.extensions] else { return parts }
        if let credentials = extensions[Name.hmacCredentials] { parts.prf = try prf(credentials) }
        if parts.prf == nil, extensions[Name.hmacCredentials] != nil || extensions[Name.draftHMACSecret] != nil {
            parts.losses.append(.prf)
        }
        if let blob = extensions[Name.largeBlob] {
            parts.largeBlob = largeBlob(blob)
            if parts.largeBlob == nil { parts.losses.append(.largeBlob) }
        }
        if extensions[Name.credBlob] != nil { parts.losses.append(.credBlob) }
        if extensions[Name.payments] == true { parts.losses.append(.payments) }
        return parts
    }

    /// The two secrets, as they are; nil for another algorithm (section 3.3.12.3), or secrets that are not of 32 bytes.
    private static func prf(_ credentials: JSONValue) throws(PasskeyFormatError) -> PRFSecret? {
        guard credentials[Name.algorithm]?.stringValue == hmacAlgorithm,
            var with = credentials[Name.withUV]?.base64URL, var without = credentials[Name.withoutUV]?.base64URL
        else { return nil }
        defer {
            wipe(&with)
            wipe(&without)
        }
        return try? PRFSecret(copying: with.span, withoutVerification: without.span)
    }

    private static func largeBlob(_ blob: JSONValue) -> LargeBlob? {
        guard let data = blob[Name.data]?.base64URL, let size = blob[Name.uncompressedSize]?.integer,
            let size = UInt64(exactly: size)
        else { return nil }
        return LargeBlob(compressed: data, originalByteCount: size)
    }
}
