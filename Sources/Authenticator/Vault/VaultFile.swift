internal import Cryptography
internal import Encodings
internal import PasskeyAuthenticator

/// The bytes of a vault's file: the ``VaultHeader``, the passkeys sealed with AES-256-GCM under the vault key with the
/// header as additional data, and the SHA-256 of all that.
///
/// The digest is no protection: it tells a damaged file from a wrong passphrase. The passkeys are as ``CredentialFile``
/// encodes them.
enum VaultFile {
    /// The largest file that is read.
    static let maxByteCount = VaultHeader.maxByteCount + CredentialFile.maxByteCount + overheadByteCount

    private static let overheadByteCount = AES256GCM.tagByteCount + SHA256.byteCount

    /// A file, taken apart but not opened.
    struct Sealed {
        let header: VaultHeader
        let headerBytes: [UInt8]
        /// The passkeys and their tag.
        let contents: [UInt8]
    }

    /// Takes a file apart.
    ///
    /// - Throws: ``VaultError`` `damaged`, `newer-version` or `costly`.
    static func parse(_ file: [UInt8]) throws(VaultError) -> Sealed {
        // A newer version may have another end, so the header is read first.
        let (map, headerByteCount) = try VaultHeader.map(file.span)
        let contentsEnd = file.count - SHA256.byteCount
        guard contentsEnd - headerByteCount >= AES256GCM.tagByteCount else { throw .damaged("its end is missing") }
        let span = file.span
        let digest = SHA256.hash(span.extracting(first: contentsEnd))
        guard constantTimeEquals(digest.span, span.extracting(last: SHA256.byteCount)) else {
            throw .damaged("its checksum does not match")
        }
        // A damaged file is not reported as hostile.
        return Sealed(
            header: try VaultHeader(map), headerBytes: Array(file[..<headerByteCount]),
            contents: Array(file[headerByteCount..<contentsEnd]))
    }

    /// Decrypts a file's contents.
    ///
    /// - Throws: ``VaultError`` `damaged` or `newer-version`, if another program sealed something else;
    ///   `library-failure`.
    static func open(_ file: Sealed, _ key: HeldSecret) throws(VaultError) -> CredentialFile.Contents {
        let keyBytes = key.clone()
        var bytes = SecretArray(file.contents)
        do throws(CryptographyError) {
            var opener = try AES256GCM.Opener(key: keyBytes.span)
            try opener.open(
                &bytes.bytes, nonce: AES256GCM.Nonce(file.header.nonce), authenticatedData: file.headerBytes.span)
        } catch {
            guard error.code == .authenticationFailed else { throw VaultError(error) }
            throw .damaged("its contents do not belong to its header")
        }
        return try CredentialStoreError.rethrown(CredentialFile.decode(bytes.span), as: VaultError.init)
    }

    /// Encrypts contents under a new nonce.
    ///
    /// - Returns: the file's bytes.
    /// - Throws: ``VaultError`` `library-failure` or `input-output`.
    static func seal(
        _ contents: CredentialFile.Contents, id: [UInt8], _ wrappings: [KeyWrapping], _ key: HeldSecret
    ) throws(VaultError) -> [UInt8] {
        let nonce = randomBytes(count: AES256GCM.nonceByteCount)
        let header = VaultHeader(id: id, wrappings: wrappings, nonce: nonce).encoded
        let keyBytes = key.clone()
        let bytes = try CredentialStoreError.rethrown(CredentialFile.encode(contents), as: VaultError.init)
        var file = SecretArray(capacity: header.count + bytes.count + overheadByteCount)
        file.bytes += header
        file.append(bytes.span)
        file.bytes += [UInt8](repeating: 0, count: AES256GCM.tagByteCount)
        do throws(CryptographyError) {
            var sealer = try AES256GCM.Sealer(key: keyBytes.span)
            var whole = file.bytes.mutableSpan
            var part = whole._mutatingExtracting(droppingFirst: header.count)
            try sealer.seal(&part, nonce: AES256GCM.Nonce(nonce), authenticatedData: header.span)
        } catch {
            throw VaultError(error)
        }
        file.bytes += SHA256.hash(file.span)
        return file.take()
    }
}

/// The front of a vault's file, which is authenticated but not secret: one canonical CBOR map
/// `{"format", "version", "id", "locks", "nonce"}`.
struct VaultHeader: Hashable {
    /// The longest header: 4 KiB, several times the longest that is written.
    static let maxByteCount = 1 << 12
    /// The length of a vault's ID: 16 bytes, random.
    static let idByteCount = 16

    /// The name of the vault's key in the keyring.
    let id: [UInt8]
    /// The ways to open the vault, at least one.
    let wrappings: [KeyWrapping]
    /// The nonce of the contents, new with each writing.
    let nonce: [UInt8]

    private static let format: CBORValue = "hybrid passkey vault"
    private static let version: UInt64 = 1
    private static let maxLockCount = 2
    private static let limits = CBORLimits(maxDepth: 3, maxItems: 64, maxBytes: maxByteCount)

    private enum Key {
        static let format: CBORValue = "format"
        static let version: CBORValue = "version"
        static let id: CBORValue = "id"
        static let locks: CBORValue = "locks"
        static let nonce: CBORValue = "nonce"
    }

    init(id: [UInt8], wrappings: [KeyWrapping], nonce: [UInt8]) {
        self.id = id
        self.wrappings = wrappings
        self.nonce = nonce
    }

    /// Representation in the file.
    var encoded: [UInt8] {
        let value: CBORValue = [
            Key.format: Self.format, Key.version: .unsigned(Self.version), Key.id: .bytes(id),
            Key.locks: .array(wrappings.map(\.value)), Key.nonce: .bytes(nonce),
        ]
        return value.encoded()
    }

    /// Reads the map at the front of a file, if it is one of this version.
    ///
    /// - Returns: the map, and how many bytes it has.
    /// - Throws: ``VaultError`` `damaged` or `newer-version`.
    static func map(_ file: Span<UInt8>) throws(VaultError) -> (map: CBORMap, byteCount: Int) {
        let front: (value: CBORValue, byteCount: Int)
        do throws(CBORError) {
            front = try CBORValue.decodePrefix(file.extracting(first: min(file.count, maxByteCount)), limits: limits)
        } catch {
            throw .damaged("its header cannot be read")
        }
        guard let map = front.value.mapValue, map[Key.format] == format, let found = map[Key.version]?.unsignedValue
        else { throw .damaged("it is not a vault") }
        guard found <= version else {
            throw VaultError(
                .newerVersion, reason: "the file has version \(found), and this program knows versions up to \(version)"
            )
        }
        guard found == version else { throw .damaged("it has version \(found)") }
        return (map, front.byteCount)
    }

    /// Takes the map's parts.
    ///
    /// - Throws: ``VaultError`` `damaged` or `costly`.
    init(_ map: CBORMap) throws(VaultError) {
        guard let id = map[Key.id]?.bytesValue, id.count == Self.idByteCount,
            let nonce = map[Key.nonce]?.bytesValue, nonce.count == AES256GCM.nonceByteCount,
            let locks = map[Key.locks]?.arrayValue, (1...Self.maxLockCount).contains(locks.count)
        else { throw .damaged("its header lacks a part") }
        var wrappings: [KeyWrapping] = []
        for lock in locks { wrappings.append(try KeyWrapping(lock)) }
        self.init(id: id, wrappings: wrappings, nonce: nonce)
    }
}
