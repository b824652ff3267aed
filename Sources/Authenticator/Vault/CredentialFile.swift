internal import CBOR
internal import CTAP
internal import Cryptography
internal import PasskeyAuthenticator

/// The contents of a credential store's file, unencrypted.
///
/// First one canonical CBOR map `{"format", "version", "credentials"}` with everything that is not secret, then the
/// secrets, for each credential in the same order its private key and then its prf secret, then the SHA-256 of all
/// that, against damage. The secrets stand outside the CBOR so that they are in one buffer only, which is wiped.
///
/// Version 3 adds `"replaced"`, the same for the credentials that newer ones have taken the place of, whose secrets
/// come next, and `"sealing key"`, true if 32 bytes of a key for other files come last. Version 4 adds a second prf
/// secret behind the first one, which imported credentials may have. A file is written as the lowest version from 2 on
/// that suffices, since older programs refuse newer ones. Version 1 had only ES256 keys, each a scalar of 32 bytes, and
/// no prf secrets. It is still read.
enum CredentialFile {
    /// What is in a file.
    struct Contents {
        var list = CredentialList()
        /// A key for files that belong with the credentials; nil if there is none yet.
        var sealingKey: HeldSecret?
    }

    /// The largest file that is read: 8 MiB, more than the largest that is written.
    static let maxByteCount = 1 << 23

    private static let format: CBORValue = "hybrid credential store"
    /// The newest version, those that suffice with and without replaced credentials, and the oldest that is read.
    private static let version: UInt64 = 4
    private static let replacedVersion: UInt64 = 3
    private static let plainVersion: UInt64 = 2
    private static let oldestVersion: UInt64 = 1
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 1 << 16, maxBytes: maxByteCount)

    private enum Key {
        static let format: CBORValue = "format"
        static let version: CBORValue = "version"
        static let credentials: CBORValue = "credentials"
        static let replaced: CBORValue = "replaced"
        static let sealingKey: CBORValue = "sealing key"
    }

    /// The file's bytes, in one allocation. The caller wipes them.
    ///
    /// - Throws: ``CredentialStoreError`` `input-output` if libcrypto fails.
    static func encode(_ contents: Contents) throws(CredentialStoreError) -> [UInt8] {
        let list = contents.list
        var bytes: [UInt8] = []
        do throws(CryptographyError) {
            var secretByteCount = contents.sealingKey?.count ?? 0
            var (entries, replaced): ([CBORValue], [CBORValue]) = ([], [])
            var version = list.replaced.isEmpty && contents.sealingKey == nil ? plainVersion : replacedVersion
            for credential in list.credentials {
                let entry = try CredentialFileEntry(credential)
                if entry.hasOtherPRF { version = self.version }
                secretByteCount += entry.secretByteCount
                entries.append(.map(entry.map))
            }
            for old in list.replaced {
                let entry = try CredentialFileEntry(old.credential, replaced: old.replaced)
                if entry.hasOtherPRF { version = self.version }
                secretByteCount += entry.secretByteCount
                replaced.append(.map(entry.map))
            }
            var header: CBORMap = [
                Key.format: format, Key.version: .unsigned(version),
                Key.credentials: .array(entries),
            ]
            if !replaced.isEmpty { header[Key.replaced] = .array(replaced) }
            if contents.sealingKey != nil { header[Key.sealingKey] = true }
            let encodedHeader = header.encoded()
            bytes.reserveCapacity(encodedHeader.count + secretByteCount + SHA256.byteCount)
            bytes += encodedHeader
            for credential in list.credentials + list.replaced.map(\.credential) {
                let privateKey = try credential.key.privateKey()
                append(privateKey, to: &bytes)
                guard let prf = credential.prf else { continue }
                append(prf.bytes(), to: &bytes)
                if prf.hasOther { append(try prf.withoutVerification(), to: &bytes) }
            }
            if let key = contents.sealingKey { append(key.clone(), to: &bytes) }
            bytes += try SHA256.hash(bytes.span)
        } catch {
            wipe(&bytes)
            throw CredentialStoreError(.inputOutput, reason: error.description)
        }
        return bytes
    }

    /// Reads a file's bytes.
    ///
    /// - Throws: ``CredentialStoreError`` `damaged` or `newer-version`; `input-output` if libcrypto fails.
    static func decode(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> Contents {
        let (header, headerByteCount) = try readHeader(bytes)
        guard let values = header[Key.credentials]?.arrayValue,
            let replacedValues = (header[Key.replaced] ?? []).arrayValue,
            let hasSealingKey = (header[Key.sealingKey] ?? false).boolValue
        else { throw damaged("it lists no credentials") }
        var entries: [CredentialFileEntry] = []
        var checkedByteCount = headerByteCount
        for value in values + replacedValues {
            guard let entry = CredentialFileEntry(value), entry.privateKeyByteCount < bytes.count else {
                throw damaged("a credential of it lacks a part")
            }
            entries.append(entry)
            checkedByteCount += entry.secretByteCount
        }
        if hasSealingKey { checkedByteCount += Vault.sealingKeyByteCount }
        guard bytes.count == checkedByteCount + SHA256.byteCount else {
            throw damaged("it has \(bytes.count) bytes where \(checkedByteCount + SHA256.byteCount) belong")
        }
        let digest: [UInt8]
        do throws(CryptographyError) {
            digest = try SHA256.hash(bytes.extracting(first: checkedByteCount))
        } catch {
            throw CredentialStoreError(.inputOutput, reason: error.description)
        }
        guard constantTimeEquals(digest.span, bytes.extracting(last: SHA256.byteCount)) else {
            throw damaged("its checksum does not match")
        }
        var (credentials, replaced): ([Credential], [ReplacedCredential]) = ([], [])
        var start = headerByteCount
        for entry in entries {
            let secrets = bytes.extracting(start..<start + entry.secretByteCount)
            start += entry.secretByteCount
            guard let credential = try self.credential(entry, secrets) else {
                throw damaged("a credential of it lacks a part")
            }
            if credentials.count < values.count {
                credentials.append(credential)
            } else {
                guard let time = entry.replaced else { throw damaged("a replaced credential has no time") }
                replaced.append(ReplacedCredential(credential, at: time))
            }
        }
        let key = bytes.extracting(start..<checkedByteCount)
        return Contents(
            list: CredentialList(credentials, replaced: replaced),
            sealingKey: hasSealingKey ? HeldSecret(SecretBytes(copying: key)) : nil)
    }

    private static func credential(
        _ entry: CredentialFileEntry, _ secrets: Span<UInt8>
    ) throws(CredentialStoreError) -> Credential? {
        do throws(CryptographyError) {
            return try entry.credential(secrets)
        } catch {
            throw damaged("a private key of it is none")
        }
    }

    private static func append(_ secret: borrowing SecretBytes, to bytes: inout [UInt8]) {
        let span = secret.span
        for index in span.indices { bytes.append(span[index]) }
    }

    private static func readHeader(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> (CBORMap, Int) {
        let header: (value: CBORValue, byteCount: Int)
        do throws(CBORError) {
            header = try CBORValue.decodePrefix(bytes, limits: limits)
        } catch {
            throw damaged("its header does not read: \(error)")
        }
        guard let map = header.value.mapValue, map[Key.format] == format, let found = map[Key.version]?.unsignedValue,
            found >= oldestVersion
        else { throw damaged("it is not a credential store") }
        guard found <= version else {
            throw CredentialStoreError(
                .newerVersion,
                reason: "the file has version \(found), and this program knows versions up to \(version)")
        }
        return (map, header.byteCount)
    }

    private static func damaged(_ what: String) -> CredentialStoreError {
        CredentialStoreError(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}
