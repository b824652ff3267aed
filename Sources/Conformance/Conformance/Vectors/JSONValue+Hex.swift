package import Encodings

// JSON as vectors use it: byte strings are lower-case hexadecimal digits, numbers are integers.

extension JSONValue {
    /// A byte string.
    package static func hex(_ bytes: [UInt8]) -> Self { .string(Hexadecimal.encode(bytes)) }

    /// A byte string, or null.
    static func hex(_ bytes: [UInt8]?) -> Self { bytes.map { hex($0) } ?? .null }

    /// Byte strings.
    package static func hexes(_ strings: [[UInt8]]) -> Self { .array(strings.map { .hex($0) }) }

    /// The integer; nil for anything else, and for a number out of range.
    func integer<Integer: FixedWidthInteger>() -> Integer? {
        guard case .number(let number) = self else { return nil }
        return Integer(number.text)
    }

    /// True if both values say the same: the order of an object's members has no meaning.
    func matches(_ other: Self) -> Bool {
        switch (self, other) {
        case (.array(let ours), .array(let theirs)):
            ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.matches($1) }
        case (.object(let ours), .object(let theirs)):
            ours.count == theirs.count && ours.allSatisfy { other[$0.name]?.matches($0.value) ?? false }
        default: self == other
        }
    }

    /// The value as JSON, cut where it is long: for messages about a case.
    var summary: String {
        switch self {
        case .string(let text) where text.utf8.count > Self.longestText: "\"\(text.prefix(Self.longestText))…\""
        case .array(let values): "[\(values.map(\.summary).joined(separator: ", "))]"
        case .object(let members): "{\(members.map { "\($0.name): \($0.value.summary)" }.joined(separator: ", "))}"
        default: text
        }
    }

    /// The length to which a text is cut: enough for a key or a point in hexadecimal digits.
    private static let longestText = 160
}
