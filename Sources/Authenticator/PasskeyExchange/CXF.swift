internal import CTAP
internal import Cryptography
internal import Encodings
package import PasskeyAuthenticator

/// Credential Exchange Format 1.0: accounts with items, of which each has credentials, some of them passkeys.
///
/// Only passkeys are read and written; items that hold none are counted. The texts of keys that are made on the way,
/// as JSON has them, are not wiped.
///
/// Source: FIDO Alliance, Credential Exchange Format, Proposed Standard of 2025-08-14 with the errata of 2026-03-09.
package enum CXF {
    /// The version that is written. Files of the same major version are read (section 3.1.1).
    static let version: (major: Int, minor: Int) = (1, 0)
    /// The only algorithm of hmac-secret that there is (section 3.3.12.4).
    static let hmacAlgorithm = "hmac-sha256"

    /// The largest file that is read: 256 MiB.
    package static let maxByteCount = 1 << 28

    static let limits = JSONLimits(byteCount: maxByteCount, depth: 64, valueCount: 1 << 20)

    enum Name {
        static let version = "version"
        static let major = "major"
        static let minor = "minor"
        static let exporterRPID = "exporterRpId"
        static let exporterDisplayName = "exporterDisplayName"
        static let timestamp = "timestamp"
        static let accounts = "accounts"
        static let email = "email"
        static let collections = "collections"
        static let items = "items"
        static let id = "id"
        static let creationAt = "creationAt"
        static let title = "title"
        static let scope = "scope"
        static let urls = "urls"
        static let androidApps = "androidApps"
        static let credentials = "credentials"
        static let type = "type"
        static let passkey = "passkey"
        static let credentialID = "credentialId"
        static let rpID = "rpId"
        static let username = "username"
        static let userDisplayName = "userDisplayName"
        static let userHandle = "userHandle"
        static let key = "key"
        static let extensions = "fido2Extensions"
        static let hmacCredentials = "hmacCredentials"
        /// The name in drafts, and still in the example of the specification's appendix A: one secret.
        static let draftHMACSecret = "hmacSecret"
        static let algorithm = "algorithm"
        static let withUV = "credWithUV"
        static let withoutUV = "credWithoutUV"
        static let credBlob = "credBlob"
        static let largeBlob = "largeBlob"
        static let uncompressedSize = "uncompressedSize"
        static let data = "data"
        static let payments = "payments"
    }
}

extension CXF {
    /// Reads the passkeys of a file. Unknown members are passed over (section 3.1.1). A signature counter that a
    /// passkey had is not in the format, and zero here for ever (section 3.3.12).
    ///
    /// A file may also be one account alone, without a version, as Apple's interface hands it over
    /// (`ASImportableAccount`) and other providers' exports therefore have it. It is read as one of version 1.
    ///
    /// - Parameters:
    ///   - bytes: the file, in JSON, of at most ``maxByteCount`` bytes and ``PasskeyFileCounts/maxItems`` items.
    ///   - take: gets each passkey, and each that is left out. They count only if nothing is thrown afterwards.
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
        parts.pkcs8 = SecretArray(passkey[Name.key]?.base64URL ?? [])
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
            let with = SecretArray(credentials[Name.withUV]?.base64URL),
            let without = SecretArray(credentials[Name.withoutUV]?.base64URL)
        else { return nil }
        return try? PRFSecret(copying: with.span, withoutVerification: without.span)
    }

    private static func largeBlob(_ blob: JSONValue) -> LargeBlob? {
        guard let data = blob[Name.data]?.base64URL, let size = blob[Name.uncompressedSize]?.integer,
            let size = UInt64(exactly: size)
        else { return nil }
        return LargeBlob(compressed: data, originalByteCount: size)
    }
}

extension CXF {
    /// The exporting program, as a relying party identifier (section 3.1). It has no domain of its own, and this one is
    /// nobody's (RFC 6761).
    private static let exporterRPID = "hybrid.invalid"
    private static let exporterDisplayName = "hybrid"
    /// The length of the IDs of accounts and items: 16 bytes, of at most 64.
    private static let idByteCount = 16

    /// A file with passkeys, each an item of its own, of one account.
    ///
    /// Passkeys that are not eligible for backup are left out. Parts for which the format has no place are reported.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - time: the time of the export, in seconds since 1970.
    /// - Throws: ``PasskeyFormatError`` `library-failure`.
    package static func encode(
        _ credentials: [Credential], at time: Int64
    ) throws(PasskeyFormatError) -> PasskeyExport {
        var (items, records): ([JSONValue], [PasskeyRecord]) = ([], [])
        do throws(CryptographyError) {
            for credential in credentials {
                guard credential.isBackupEligible else {
                    records.append(PasskeyRecord(credential, leftOut: .notBackupEligible))
                    continue
                }
                items.append(try item(credential))
                records.append(PasskeyRecord(written: credential, losses(credential)))
            }
            let account: JSONValue = [
                Name.id: .string(Base64URL.encode(randomBytes(count: idByteCount))), Name.username: "",
                Name.email: "", Name.collections: [], Name.items: .array(items),
            ]
            let header: JSONValue = [
                Name.version: [Name.major: .integer(version.major), Name.minor: .integer(version.minor)],
                Name.exporterRPID: .string(exporterRPID), Name.exporterDisplayName: .string(exporterDisplayName),
                Name.timestamp: .integer(max(time, 0)), Name.accounts: [account],
            ]
            return PasskeyExport(bytes: Array(header.text.utf8), records: records)
        } catch {
            throw PasskeyFormatError(error)
        }
    }

    static func losses(_ credential: Credential) -> [PasskeyLoss] {
        var losses: [PasskeyLoss] = []
        if credential.protection != .verificationOptional { losses.append(.protection) }
        if !credential.isDiscoverable { losses.append(.nonDiscoverable) }
        return losses
    }

    private static func item(_ credential: Credential) throws(CryptographyError) -> JSONValue {
        var members: [JSONValue.Member] = [
            // Always the same, so that two exports can be told to have the same passkey.
            .init(Name.id, .string(Base64URL.encode(SHA256.hash(credential.id.span).prefix(idByteCount))))
        ]
        if let created = credential.created, created >= 0 { members.append(.init(Name.creationAt, .integer(created))) }
        members += [
            .init(Name.title, .string(credential.rpName ?? credential.rpID)),
            .init(Name.scope, [Name.urls: [.string("https://" + credential.rpID)], Name.androidApps: []]),
            .init(Name.credentials, [try passkey(credential)]),
        ]
        return .object(members)
    }

    private static func passkey(_ credential: Credential) throws(CryptographyError) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init(Name.type, .string(Name.passkey)),
            .init(Name.credentialID, .string(Base64URL.encode(credential.id))),
            .init(Name.rpID, .string(credential.rpID)), .init(Name.username, .string(credential.userName ?? "")),
            .init(Name.userDisplayName, .string(credential.userDisplayName ?? "")),
            .init(Name.userHandle, .string(Base64URL.encode(credential.userHandle))),
            .init(Name.key, .string(text(try credential.key.pkcs8()))),
        ]
        var extensions: [JSONValue.Member] = []
        if let prf = credential.prf {
            extensions.append(
                .init(
                    Name.hmacCredentials,
                    [
                        Name.algorithm: .string(hmacAlgorithm), Name.withUV: .string(text(prf.bytes())),
                        Name.withoutUV: .string(text(prf.withoutVerification())),
                    ]))
        }
        if let blob = credential.largeBlob {
            extensions.append(
                .init(
                    Name.largeBlob,
                    [
                        Name.uncompressedSize: .integer(blob.originalByteCount),
                        Name.data: .string(Base64URL.encode(blob.compressed)),
                    ]))
        }
        if !extensions.isEmpty { members.append(.init(Name.extensions, .object(extensions))) }
        return .object(members)
    }

    private static func text(_ secret: borrowing SecretBytes) -> String {
        secret.span.withUnsafeBufferPointer { Base64URL.encode($0) }
    }
}
