internal import CBOR
internal import CTAP
internal import Cryptography

/// The contents of a credential store's file, unencrypted.
///
/// First one canonical CBOR map `{"format", "version", "credentials"}` with everything that is not secret, then the
/// private scalars, 32 bytes for each credential in the same order, then the SHA-256 of all that, against damage. The
/// scalars stand outside the CBOR so that they are in one buffer only, which is wiped.
enum CredentialFile {
    /// The largest file that is read: 4 MiB, far more than the largest that is written.
    static let maxByteCount = 1 << 22

    private static let format: CBORValue = "hybrid credential store"
    private static let version: UInt64 = 1
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 1 << 15, maxBytes: maxByteCount)

    private enum Key {
        static let format: CBORValue = "format"
        static let version: CBORValue = "version"
        static let credentials: CBORValue = "credentials"
        static let id: CBORValue = 1
        static let rpID: CBORValue = 2
        static let rpName: CBORValue = 3
        static let userHandle: CBORValue = 4
        static let userName: CBORValue = 5
        static let userDisplayName: CBORValue = 6
        static let isDiscoverable: CBORValue = 7
    }

    /// The file's bytes, in one allocation. The caller wipes them.
    static func encode(_ list: CredentialList) throws(CredentialStoreError) -> [UInt8] {
        let header: CBORValue = [
            Key.format: format, Key.version: .unsigned(version),
            Key.credentials: .array(list.credentials.map { .map(description(of: $0)) }),
        ]
        let encodedHeader = header.encoded()
        let secretByteCount = list.credentials.count * P256.scalarByteCount
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encodedHeader.count + secretByteCount + SHA256.byteCount)
        bytes += encodedHeader
        do throws(CryptographyError) {
            for credential in list.credentials {
                let scalar = try credential.key.scalar()
                let span = scalar.span
                for index in span.indices { bytes.append(span[index]) }
            }
            bytes += try SHA256.hash(bytes.span)
        } catch {
            wipe(&bytes)
            throw CredentialStoreError(.inputOutput, reason: error.description)
        }
        return bytes
    }

    /// Reads a file's bytes.
    static func decode(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> CredentialList {
        let (header, headerByteCount) = try readHeader(bytes)
        guard let entries = header[Key.credentials]?.arrayValue else { throw damaged("it lists no credentials") }
        let secretByteCount = entries.count * P256.scalarByteCount
        let checkedByteCount = headerByteCount + secretByteCount
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
        for (index, entry) in entries.enumerated() {
            let start = headerByteCount + index * P256.scalarByteCount
            let scalar = bytes.extracting(start..<start + P256.scalarByteCount)
            credentials.append(try credential(entry, scalar: scalar))
        }
        return CredentialList(credentials)
    }

    private static func readHeader(_ bytes: Span<UInt8>) throws(CredentialStoreError) -> (CBORMap, Int) {
        let header: (value: CBORValue, byteCount: Int)
        do throws(CBORError) {
            header = try CBORValue.decodePrefix(bytes, limits: limits)
        } catch {
            throw damaged("its header does not read: \(error)")
        }
        guard let map = header.value.mapValue, map[Key.format] == format, let found = map[Key.version]?.unsignedValue
        else { throw damaged("it is not a credential store") }
        guard found == version else {
            throw CredentialStoreError(
                .newerVersion, reason: "the file has version \(found), and this program knows version \(version)")
        }
        return (map, header.byteCount)
    }

    private static func description(of credential: Credential) -> CBORMap {
        var map: CBORMap = [
            Key.id: .bytes(credential.id), Key.rpID: .text(credential.rpID),
            Key.userHandle: .bytes(credential.userHandle), Key.isDiscoverable: .bool(credential.isDiscoverable),
        ]
        map[Key.rpName] = credential.rpName.map(CBORValue.text)
        map[Key.userName] = credential.userName.map(CBORValue.text)
        map[Key.userDisplayName] = credential.userDisplayName.map(CBORValue.text)
        return map
    }

    private static func credential(
        _ entry: CBORValue, scalar: Span<UInt8>
    ) throws(CredentialStoreError) -> Credential {
        guard let map = entry.mapValue, let id = map[Key.id]?.bytesValue, let rpID = map[Key.rpID]?.textValue,
            let userHandle = map[Key.userHandle]?.bytesValue, let isDiscoverable = map[Key.isDiscoverable]?.boolValue
        else { throw damaged("a credential of it lacks a part") }
        do throws(CryptographyError) {
            return Credential(
                id: id, rpID: rpID, rpName: map[Key.rpName]?.textValue, userHandle: userHandle,
                userName: map[Key.userName]?.textValue, userDisplayName: map[Key.userDisplayName]?.textValue,
                isDiscoverable: isDiscoverable, key: try CredentialKey(scalar: scalar))
        } catch {
            throw damaged("a private key of it is none")
        }
    }

    private static func damaged(_ what: String) -> CredentialStoreError {
        CredentialStoreError(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}
