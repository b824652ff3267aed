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
