public import Cryptography
internal import Encodings

// The stored form of a link: a map of canonical CBOR with a version, of this project's own making.

extension Link {
    /// The version of the stored form.
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
        map[Key.secret] = .bytes([UInt8](repeating: 0, count: LinkSecret.byteCount))
        map[Key.publicKey] = .bytes(publicKey.uncompressed)
        map[Key.name] = .text(name)
        map[Key.domain] = .unsigned(UInt64(domain.number))
        var encoded = map.encoded(writing: secret.bytes.span, at: [Key.secret])
        defer { wipe(&encoded) }
        return SecretBytes(copying: encoded.span)
    }

    /// Reads a stored link.
    ///
    /// Strict, since only we write it: a link that was read is written to the same bytes.
    ///
    /// - Parameter stored: the result of ``encoded()``.
    /// - Throws: `invalidCBOR`, `notAMap`, `unsupportedVersion` for a later version, `missingField`, `wrongType`,
    ///   `wrongLength`, `invalidPoint`, `unassignedDomain`, `tooLong` for the name, `unknownField`.
    public init(decoding stored: Span<UInt8>) throws(HybridProtocolError) {
        var contents = try SecretMap(decoding: stored, secretKey: Key.secret, in: "the stored link")
        let map = contents.fields
        guard try Self.required(map, Key.version, \.unsignedValue) == Self.version else {
            throw HybridProtocolError(.unsupportedVersion, reason: "the stored link is of a later version")
        }
        let secret = try contents.takeSecret(Key.secret, in: "the stored link")
        let name = try Self.required(map, Key.name, \.textValue)
        guard name.utf8.count <= Self.maximumNameByteCount else {
            throw HybridProtocolError(.tooLong, reason: "the stored link's name is too long")
        }
        guard let number = UInt16(exactly: try Self.required(map, Key.domain, \.unsignedValue)) else {
            throw HybridProtocolError(.unassignedDomain, reason: "the stored link's domain is not a tunnel domain")
        }
        guard map.count <= Key.count else {
            throw HybridProtocolError(.unknownField, reason: "the stored link has a key too many")
        }
        let contact = try Self.required(map, Key.contactID, \.bytesValue)
        let contactID: ContactID
        do { contactID = try ContactID(contact) } catch { throw HybridProtocolError(error) }
        try self.init(
            contactID: contactID,
            linkID: LinkID(Self.required(map, Key.linkID, \.bytesValue)),
            publicKey: P256.PublicKey(linked: Self.required(map, Key.publicKey, \.bytesValue)), name: name,
            domain: TunnelDomain(number), secret: LinkSecret(secret))
    }

    private static func required<Value>(
        _ map: CBORMap,
        _ key: Int,
        _ read: (CBORValue) -> Value?
    ) throws(HybridProtocolError) -> Value {
        try map.required(key, in: "the stored link", read)
    }
}
