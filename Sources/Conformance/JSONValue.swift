/// A JSON value, as far as vectors use JSON: numbers are integers.
public enum JSONValue: Sendable, Hashable, Decodable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// An integer of 64 bits.
    case integer(Int64)
    /// A text; byte strings are texts of hexadecimal digits.
    case text(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])

    /// Reads whichever kind of value there is.
    ///
    /// - Throws: `DecodingError` for a number that is no integer of 64 bits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let object = try? container.decode([String: JSONValue].self) {
            self = .object(object)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else if let boolean = try? container.decode(Bool.self) {
            self = .boolean(boolean)
        } else {
            self = .integer(try container.decode(Int64.self))
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON, cut where it is long: for messages about a case.
    public var description: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .text(let value):
            value.utf8.count > Self.longestText ? "\"\(value.prefix(Self.longestText))…\"" : "\"\(value)\""
        case .array(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        case .object(let fields):
            "{\(fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        }
    }

    /// How much of a text is shown: enough for a key or a point in hexadecimal digits.
    private static let longestText = 160
}

extension JSONValue {
    /// A byte string.
    static func hex(_ bytes: [UInt8]) -> Self { .text(hexDigits(bytes)) }

    /// A byte string, or null.
    static func hex(_ bytes: [UInt8]?) -> Self { bytes.map { hex($0) } ?? .null }
}

/// Lower-case hexadecimal digits, two for each byte.
package func hexDigits(_ bytes: [UInt8]) -> String {
    let alphabet = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of lower-case hexadecimal digits; nil for anything else.
package func bytes(hexDigits text: String) -> [UInt8]? {
    var digits: [UInt8] = []
    digits.reserveCapacity(text.utf8.count)
    for character in text.utf8 {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(character - UInt8(ascii: "a") + 10)
        default: return nil
        }
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
