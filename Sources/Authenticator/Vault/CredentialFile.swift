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
/// Version 1 had only ES256 keys, each a scalar of 32 bytes, and no prf secrets. It is still read.
enum CredentialFile {
    /// The largest file that is read: 8 MiB, more than the largest that is written.
    static let maxByteCount = 1 << 23

    private static let format: CBORValue = "hybrid credential store"
    /// The version that is written, and the oldest that is read.
    private static let version: UInt64 = 2
    private static let oldestVersion: UInt64 = 1
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 1 << 16, maxBytes: maxByteCount)

    private enum Key {
        static let format: CBORValue = "format"
        static let version: CBORValue = "version"
        static let credentials: CBORValue = "credentials"
    }

    /// The file's bytes, in one allocation. The caller wipes them.
    ///
    /// - Throws: ``CredentialStoreError`` `input-output` if libcrypto fails.
    static func encode(_ list: CredentialList) throws(CredentialStoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(CryptographyError) {
            var secretByteCount = 0
            var entries: [CBORValue] = []
            for credential in list.credentials {
                let entry = try CredentialFileEntry(credential)
                secretByteCount += entry.secretByteCount
                entries.append(.map(entry.map))
            }
            let header: CBORValue = [
                Key.format: format, Key.version: .unsigned(version), Key.credentials: .array(entries),
            ]
            let encodedHeader = header.encoded()
            bytes.reserveCapacity(encodedHeader.count + secretByteCount + SHA256.byteCount)
            bytes += encodedHeader
            for credential in list.credentials {
                let privateKey = try credential.key.privateKey()
                append(privateKey, to: &bytes)
                if let prf = credential.prf { append(prf.bytes(), to: &bytes) }
            }
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
    static func decode(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> CredentialList {
        let (header, headerByteCount) = try readHeader(bytes)
        guard let values = header[Key.credentials]?.arrayValue else { throw damaged("it lists no credentials") }
        var entries: [CredentialFileEntry] = []
        var checkedByteCount = headerByteCount
        for value in values {
            guard let entry = CredentialFileEntry(value), entry.privateKeyByteCount < bytes.count else {
                throw damaged("a credential of it lacks a part")
            }
            entries.append(entry)
            checkedByteCount += entry.secretByteCount
        }
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
        var credentials: [Credential] = []
        var start = headerByteCount
        for entry in entries {
            let secrets = bytes.extracting(start..<start + entry.secretByteCount)
            start += entry.secretByteCount
            guard let credential = try self.credential(entry, secrets) else {
                throw damaged("a credential of it lacks a part")
            }
            credentials.append(credential)
        }
        return CredentialList(credentials)
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
