internal import Cryptography
package import Encodings

/// Update from an authenticator beside its answers (HT-LNK-19): linking data, or only filler.
package struct Update: ~Copyable {
    /// The linking map, not yet verified; nil where the update is only filler.
    package let linking: SecretMap?

    /// True if there is linking data.
    package var hasLinking: Bool { isThere(linking) }

    private enum Key {
        static let filler = 0
        static let linking = 1
    }

    /// The length of an update with its type byte: 512 bytes, whether it says something or not (HT-LNK-17). A
    /// linking map that needs more, for a contact ID of about 200 bytes or more, makes it the next multiple.
    static let blockByteCount = 512

    /// The keys that lead to a link secret.
    static let secretPath = [Key.linking, LinkingMap.secretKey]

    /// Reads an update's payload.
    ///
    /// - Parameter payload: canonical CBOR: a map.
    /// - Throws: `invalidCBOR`, `notAMap`; `wrongType` for linking data that is not a map.
    package init(decoding payload: Span<UInt8>) throws(HybridProtocolError) {
        let value: CBORValue
        let place: Range<Int>?
        do { (value, place) = try CBORValue.decode(payload, withholding: Self.secretPath) } catch {
            throw HybridProtocolError(error, in: "the update")
        }
        guard let map = value.mapValue else { throw HybridProtocolError(.notAMap, reason: "the update is not a map") }
        guard let data = map[Key.linking] else {
            linking = nil
            return
        }
        guard let fields = data.mapValue else {
            throw HybridProtocolError(.wrongType, reason: "the update's linking data is not a map")
        }
        linking = SecretMap(fields, secretAt: place, in: payload)
    }

    /// Writes an update's payload, filled with zeros so that its length says nothing.
    ///
    /// - Parameter linking: the linking map; nil for an update that is only filler.
    /// - Returns: 511 bytes, or more by a multiple of 512. No filler makes up for a lack of 1, 26 or 259 bytes, since
    ///   the head of a byte string grows with it: there it is one byte more, which the padding of the frame swallows.
    package static func encoded(linking: CBORMap? = nil) -> [UInt8] { map(linking: linking).encoded() }

    static func map(linking: CBORMap?) -> CBORMap {
        var map = CBORMap()
        map[Key.linking] = linking.map { .map($0) }
        let byteCount = MessageType.byteCount + CBORValue.map(map).encodedByteCount
        let wanted = (byteCount + blockByteCount - 1) / blockByteCount * blockByteCount
        if let zeroCount = fillerByteCount(wanted - byteCount) {
            map[Key.filler] = .bytes([UInt8](repeating: 0, count: zeroCount))
        }
        return map
    }

    /// The length of a filler that takes, with its key and head, so many bytes or just one more; nil for no filler.
    private static func fillerByteCount(_ byteCount: Int) -> Int? {
        guard byteCount > 0 else { return nil }
        let keyByteCount = CBORValue(Int64(Key.filler)).encodedByteCount
        // A head takes at most 9 bytes: the shortest filler that is long enough is not far.
        return (max(0, byteCount - keyByteCount - 9)...byteCount).first {
            keyByteCount + CBORValue.bytes([UInt8](repeating: 0, count: $0)).encodedByteCount >= byteCount
        }
    }
}

/// Updates that an authenticator may send in a session (HT-LNK-1, HT-LNK-10, HT-STA-39).
enum UpdatePolicy: Sendable {
    /// None: the session is state-assisted.
    case none
    /// Only filler: the client's QR code did not offer linking.
    case filler
    /// A link too, to the client with this QR key.
    case linking(P256.PublicKey)
    /// Only filler: a link was offered already.
    case linked

    /// Checks that an update may be sent.
    ///
    /// - Throws: `unexpectedMessage`.
    func check() throws(HybridProtocolError) {
        if case .none = self {
            throw HybridProtocolError(.unexpectedMessage, reason: "an update in a state-assisted session")
        }
    }

    /// The client's QR key, if it may be offered a link.
    ///
    /// - Throws: `unexpectedMessage`, `linkingNotOffered`, `alreadyLinked`.
    func clientKey() throws(HybridProtocolError) -> P256.PublicKey {
        try check()
        switch self {
        case .linking(let clientKey): return clientKey
        case .linked: throw HybridProtocolError(.alreadyLinked, reason: "a second link in one session")
        case .none, .filler:
            throw HybridProtocolError(.linkingNotOffered, reason: "the client's QR code did not offer linking")
        }
    }
}
