internal import Encodings

/// A message as the map that it travels as: key 0 says which message it is, the others are its fields.
///
/// Keys that a message does not have are passed over, so that a later version can add some.
struct MessageMap {
    /// The kinds of messages, by their numbers on the wire.
    enum Kind: UInt64 {
        case hello = 1
        case register = 2
        case registered = 3
        case wake = 4
        case acknowledge = 5
        case decline = 6
    }

    /// The key of the message's kind.
    private static let kindKey = 0
    /// A map of arrays of strings; 64 labels or contact IDs, and fields that are passed over.
    private static let maximumDepth = 8
    private static let maximumItems = 256

    private var map: CBORMap

    /// Begins a message.
    init(_ kind: Kind) { map = [.unsigned(UInt64(Self.kindKey)): .unsigned(kind.rawValue)] }

    /// Reads a message.
    ///
    /// - Throws: `malformed`, `missing-field`.
    init(decoding bytes: [UInt8], maximumByteCount: Int) throws(TunnelProtocolError) {
        let limits = CBORLimits(maxDepth: Self.maximumDepth, maxItems: Self.maximumItems, maxBytes: maximumByteCount)
        let value = try CBORError.rethrown(CBORValue.decode(bytes.span, limits: limits), as: TunnelProtocolError.init)
        guard let map = value.mapValue else {
            throw TunnelProtocolError(.malformed, reason: "the message is not a map")
        }
        self.map = map
    }

    /// The kind of the message; nil for one that this version does not have.
    var kind: Kind? {
        get throws(TunnelProtocolError) { Kind(rawValue: try field(Self.kindKey, \.unsignedValue)) }
    }

    /// The message in canonical CBOR.
    var encoded: [UInt8] { CBORValue.map(map).encoded() }

    subscript(_ key: Int) -> CBORValue? {
        get { map[key] }
        set { map[key] = newValue }
    }

    /// A byte string of a length that is allowed.
    ///
    /// - Throws: `missing-field`, `wrong-length`.
    func bytes(_ key: Int, _ lengths: ClosedRange<Int>) throws(TunnelProtocolError) -> [UInt8] {
        let bytes = try field(key, \.bytesValue)
        guard lengths.contains(bytes.count) else { throw .wrongLength("a field") }
        return bytes
    }

    /// A byte string of the only length that is allowed.
    ///
    /// - Throws: `missing-field`, `wrong-length`.
    func bytes(_ key: Int, _ length: Int) throws(TunnelProtocolError) -> [UInt8] { try bytes(key, length...length) }

    /// Byte strings, of lengths that are allowed and not too many.
    ///
    /// - Throws: `missing-field`, `wrong-length`.
    func strings(_ key: Int, maximumCount: Int, _ lengths: ClosedRange<Int>) throws(TunnelProtocolError) -> [[UInt8]] {
        let list = try field(key, \.arrayValue)
        guard list.count <= maximumCount else { throw .wrongLength("a list") }
        let strings = list.compactMap(\.bytesValue)
        guard strings.count == list.count else {
            throw TunnelProtocolError(.missingField, reason: "not a byte string")
        }
        guard strings.allSatisfy({ lengths.contains($0.count) }) else { throw .wrongLength("an element of a list") }
        return strings
    }

    /// A field of one type.
    ///
    /// - Throws: `missing-field`.
    func field<Value>(_ key: Int, _ value: (CBORValue) -> Value?) throws(TunnelProtocolError) -> Value {
        guard let value = map[key].flatMap(value) else {
            throw TunnelProtocolError(.missingField, reason: "the field \(key) is missing or of another type")
        }
        return value
    }
}
