internal import Cryptography
internal import Encodings

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
            throw .damaged("its header does not read")
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
