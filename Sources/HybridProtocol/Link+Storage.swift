internal import CBOR
public import Cryptography

// How a link is kept: a map of canonical CBOR with a version, of this project's own making.

extension Link {
    /// The edition of the stored form.
    static let version: UInt64 = 1

    private enum Key {
        static let version = 0
        static let contactID = 1
        static let linkID = 2
        static let secret = 3
        static let publicKey = 4
        static let name = 5
        static let domain = 6
        static let count = 7
    }

    /// The link as it is stored: canonical CBOR, up to 4.4 KB. It holds the secret.
    public func encoded() -> SecretBytes {
        var map = CBORMap()
        map[Key.version] = .unsigned(Self.version)
        map[Key.contactID] = .bytes(contactID.bytes)
        map[Key.linkID] = .bytes(linkID.bytes)
        map[Key.secret] = .bytes(secret.bytes.span.withUnsafeBufferPointer { Array($0) })
        map[Key.publicKey] = .bytes(publicKey.uncompressed)
        map[Key.name] = .text(name)
        map[Key.domain] = .unsigned(UInt64(domain.number))
        var encoded = map.encoded()
        defer { wipe(&encoded) }
        return SecretBytes(copying: encoded.span)
    }

    /// Reads a stored link.
    ///
    /// Strict, since nobody but us writes it: what is read is written again to the same bytes.
    ///
    /// - Parameter stored: what ``encoded()`` gave.
    /// - Throws: `invalidCBOR`, `notAMap`, `unsupportedVersion` for a later edition, `missingField`, `wrongType`,
    ///   `wrongLength`, `invalidPoint`, `unassignedDomain`, `tooLong` for the name, `unknownField`.
    public init(decoding stored: Span<UInt8>) throws(HybridProtocolError) {
        let value: CBORValue
        do { value = try .decode(stored) } catch { throw HybridProtocolError(error, in: "the stored link") }
        guard let map = value.mapValue else { throw HybridProtocolError(.notAMap, reason: "the stored link is no map") }
        guard try Self.required(map, Key.version, \.unsignedValue) == Self.version else {
            throw HybridProtocolError(.unsupportedVersion, reason: "the stored link is of a later edition")
        }
        let secretBytes = try Self.required(map, Key.secret, \.bytesValue)
        let name = try Self.required(map, Key.name, \.textValue)
        guard name.utf8.count <= Self.maximumNameByteCount else {
            throw HybridProtocolError(.tooLong, reason: "the stored link's name is too long")
        }
        guard let number = UInt16(exactly: try Self.required(map, Key.domain, \.unsignedValue)) else {
            throw HybridProtocolError(.unassignedDomain, reason: "the stored link's domain is no tunnel domain")
        }
        guard map.count <= Key.count else {
            throw HybridProtocolError(.unknownField, reason: "the stored link has a key too many")
        }
        try self.init(
            contactID: ContactID(Self.required(map, Key.contactID, \.bytesValue)),
            linkID: LinkID(Self.required(map, Key.linkID, \.bytesValue)),
            publicKey: P256.PublicKey(linked: Self.required(map, Key.publicKey, \.bytesValue)), name: name,
            domain: TunnelDomain(number), secret: LinkSecret(SecretBytes(copying: secretBytes.span)))
    }

    private static func required<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        try map.required(key, in: "the stored link", read)
    }
}
