/// One CBOR data item (RFC 8949), with whatever it contains.
///
/// Values that CTAP2 uses come from either decoder. ``undefined``, ``simple(_:)``, ``float(_:)`` and ``tagged(_:_:)``
/// come from the lenient decoder only. Equality and hashing go by the encoded bytes: two texts are equal if their UTF-8
/// is, not if Swift holds them canonically equivalent, and a NaN equals itself.
public enum CBORValue: Sendable {
    /// A non-negative integer, 0…2^64 − 1 (major type 0).
    case unsigned(UInt64)
    /// The negative integer −1 − n, −2^64…−1 (major type 1).
    case negative(UInt64)
    /// A byte string (major type 2).
    case bytes([UInt8])
    /// A text string (major type 3).
    case text(String)
    /// An array (major type 4).
    case array([CBORValue])
    /// A map (major type 5).
    case map(CBORMap)
    /// A tag number and the item that it tags (major type 6). Never in CTAP2.
    indirect case tagged(UInt64, CBORValue)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// `undefined`. Never in CTAP2.
    case undefined
    /// An unassigned simple value. Never in CTAP2.
    case simple(CBORSimple)
    /// A floating-point number; half and single precision are widened without loss. Never in CTAP2.
    case float(Double)
}

extension CBORValue {
    /// The integer as CBOR holds it.
    public init(_ integer: Int64) {
        // −1 − n = integer means n = ~integer.
        self = integer >= 0 ? .unsigned(UInt64(integer)) : .negative(UInt64(~integer))
    }

    /// The value, if this is a non-negative integer.
    public var unsignedValue: UInt64? {
        if case .unsigned(let value) = self { value } else { nil }
    }

    /// True if this is an integer of either sign, however large.
    public var isInteger: Bool {
        switch self {
        case .unsigned, .negative: true
        default: false
        }
    }

    /// The value, if this is an integer of either sign that fits 64 bits.
    public var integerValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { ~$0 }
        default: nil
        }
    }

    /// The bytes, if this is a byte string.
    public var bytesValue: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The text, if this is a text string.
    public var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [CBORValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The map, if this is one.
    public var mapValue: CBORMap? {
        if case .map(let value) = self { value } else { nil }
    }

    /// The truth value, if this is one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
}

/// A simple value (RFC 8949 section 3.3) that has no meaning of its own: 0…19 or 32…255.
public struct CBORSimple: RawRepresentable, Sendable, Hashable {
    /// The number: 0…19 or 32…255.
    public let rawValue: UInt8

    /// The numbers that are `false`, `true`, `null` and `undefined`, and those that cannot be encoded.
    private static let assignedOrReserved: ClosedRange<UInt8> = 20...31

    /// Makes a simple value; nil for 20…31, which are `false`, `true`, `null`, `undefined` or not encodable.
    public init?(rawValue: UInt8) {
        guard !Self.assignedOrReserved.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}

// Literals, so that maps can be written down: `[1: "public-key", 2: true]`.

extension CBORValue: ExpressibleByIntegerLiteral {
    /// An integer of either sign.
    public init(integerLiteral value: Int64) { self.init(value) }
}

extension CBORValue: ExpressibleByStringLiteral {
    /// A text string.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension CBORValue: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension CBORValue: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
}

extension CBORValue: ExpressibleByDictionaryLiteral {
    /// A map; of equal keys the first counts.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        self = .map(CBORMap(elements.map { CBORMap.Entry(key: $0.0, value: $0.1) }))
    }
}

// A secret byte string, read and written without a copy of it in a `CBORValue`, which nothing wipes.

extension CBORValue {
    /// Reads as ``decode(_:limits:)`` does, but leaves the byte string at one place in the input.
    ///
    /// - Parameters:
    ///   - input: one item in CTAP2 canonical CBOR.
    ///   - path: the integer keys that lead to the byte string, the outermost map's first.
    ///   - limits: the bounds of the input.
    /// - Returns: the item, with an empty byte string at that place; and where in the input the bytes are, nil if there
    ///   is not a byte string at that place.
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>,
        withholding path: [Int],
        limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, withheld: Range<Int>?) {
        var decoder = try CBORDecoder(input, mode: .strict, limits: limits, withholding: path)
        let value = try decoder.item(depth: 0)
        try checkEnd(decoder.reader.offset, of: input)
        return (value, decoder.withheld)
    }
}

extension CBORMap {
    /// Encodes the map with a secret in the place of the byte string of the same length that stands there, a
    /// placeholder.
    ///
    /// - Parameters:
    ///   - secret: any number of bytes.
    ///   - path: the integer keys that lead to the placeholder, this map's first.
    /// - Returns: CTAP2 canonical CBOR, for the caller to wipe; without the secret if there is no such placeholder.
    public func encoded(writing secret: Span<UInt8>, at path: [Int]) -> [UInt8] {
        var encoded = encoded()
        if let place = place(ofBytesAt: path[...]), place.count == secret.count {
            for index in secret.indices { encoded[place.lowerBound + index] = secret[index] }
        }
        return encoded
    }

    /// The place of a byte string's contents in the encoded map.
    private func place(ofBytesAt path: ArraySlice<Int>) -> Range<Int>? {
        var offset = CBORValue.headByteCount(UInt64(count))
        for entry in entries {
            offset += entry.key.encodedByteCount
            if let key = path.first, entry.key == CBORValue(Int64(key)) {
                let inside: Range<Int>?
                switch entry.value {
                case .bytes(let bytes) where path.count == 1:
                    let head = CBORValue.headByteCount(UInt64(bytes.count))
                    inside = head..<head + bytes.count
                case .map(let map): inside = map.place(ofBytesAt: path.dropFirst())
                default: inside = nil
                }
                return inside.map { offset + $0.lowerBound..<offset + $0.upperBound }
            }
            offset += entry.value.encodedByteCount
        }
        return nil
    }
}

// The four ways in: strict or lenient, whole input or a prefix of it.

extension CBORValue {
    /// Reads one item in CTAP2 canonical CBOR that takes up the whole input.
    ///
    /// Strict: shortest integers and lengths, definite lengths, maps with keys that are integers or strings in
    /// canonical order and each once, text that is UTF-8, no tags, floats, `undefined` or unassigned simple values.
    /// Accepted input encodes to the same bytes again (HT-CBOR-21). Source: CTAP 2.2 section 8; the article
    /// CanonicalCBOR of HybridProtocol.
    ///
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        try whole(input, mode: .strict, limits: limits)
    }

    /// Reads as ``decode(_:limits:)`` does, but takes floating-point numbers where their reader ignores them.
    ///
    /// CTAP's canonical form leaves them as they are, and a receiver ignores parameters that it does not know
    /// (HT-CBOR-22).
    ///
    /// - Parameters:
    ///   - input: a map in CTAP2 canonical CBOR.
    ///   - keys: the keys of the map that the reader knows: inside their values, floating-point numbers are refused.
    ///   - limits: the bounds of the input.
    /// - Throws: ``CBORError``; any of its codes.
    public static func decode(
        _ input: Span<UInt8>, takingFloatsOutside keys: ClosedRange<UInt64>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        var decoder = try CBORDecoder(input, mode: .strict, limits: limits, takingFloatsOutside: keys)
        let value = try decoder.item(depth: 0)
        try checkEnd(decoder.reader.offset, of: input)
        return value
    }

    /// Reads one item in CTAP2 canonical CBOR from the front of the input, and says how many bytes it took.
    ///
    /// - Throws: ``CBORError``; any of its codes but `trailing-bytes`.
    public static func decodePrefix(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        try prefix(input, mode: .strict, limits: limits)
    }

    /// Reads one item of any well-formed CBOR that takes up the whole input.
    ///
    /// This is the reading that a phone's getInfo needs (HT-CTAP-19): also indefinite lengths, tags, floats,
    /// `undefined`, simple values, numbers not in their shortest form, and keys of any kind in any order. Of equal keys
    /// the first counts, as it does for a reader that stops at the first match. Text that is not UTF-8 is repaired with
    /// U+FFFD. Sizes are bounded as in strict mode.
    ///
    /// - Throws: ``CBORError``: `truncated`, `trailing-bytes`, `malformed`, `too-deep`, `too-large` or
    ///   `too-many-items`.
    public static func decodeLenient(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> CBORValue {
        try whole(input, mode: .lenient, limits: limits)
    }

    /// Reads one item of any well-formed CBOR from the front of the input, and says how many bytes it took.
    ///
    /// - Throws: ``CBORError``, as ``decodeLenient(_:limits:)`` but for `trailing-bytes`.
    public static func decodeLenientPrefix(
        _ input: Span<UInt8>, limits: CBORLimits = .standard
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        try prefix(input, mode: .lenient, limits: limits)
    }

    private static func whole(
        _ input: Span<UInt8>, mode: CBORDecoder.Mode, limits: CBORLimits
    ) throws(CBORError) -> CBORValue {
        let (value, byteCount) = try prefix(input, mode: mode, limits: limits)
        try checkEnd(byteCount, of: input)
        return value
    }

    static func checkEnd(_ byteCount: Int, of input: Span<UInt8>) throws(CBORError) {
        guard byteCount == input.count else {
            throw CBORError(.trailingBytes, reason: "\(input.count - byteCount) bytes after the item")
        }
    }

    private static func prefix(
        _ input: Span<UInt8>, mode: CBORDecoder.Mode, limits: CBORLimits
    ) throws(CBORError) -> (value: CBORValue, byteCount: Int) {
        var decoder = try CBORDecoder(input, mode: mode, limits: limits)
        let value = try decoder.item(depth: 0)
        return (value, decoder.reader.offset)
    }
}
