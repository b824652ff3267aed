/// A JSON value (RFC 8259): members in the order in which they stand, numbers as they are written.
///
/// Reading and writing a value changes nothing: no number is rounded, no member is lost.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, by its text.
    case number(Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object: its members, no two of the same name.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: JSONValue

        /// Makes a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// A number, of any size and precision.
    public struct Number: Sendable, Hashable {
        /// The number as JSON writes it.
        public let text: String

        /// Takes a text that the parser has found to be a number.
        init(checked text: String) { self.text = text }

        /// Makes an integer.
        public init(_ integer: some FixedWidthInteger) { text = String(integer) }
    }

    /// Makes an integer.
    public static func integer(_ integer: some FixedWidthInteger) -> JSONValue { .number(Number(integer)) }

    /// The value of an object's member; nil without it, or if this is not an object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        // By bytes: Swift's comparison of texts is by canonical equivalence.
        return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The text of a string; nil for anything else.
    public var stringValue: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements of an array; nil for anything else.
    public var arrayValue: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object; nil for anything else.
    public var objectValue: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Makes a string.
    public init(stringLiteral text: String) { self = .string(text) }

    /// Makes an integer.
    public init(integerLiteral integer: Int64) { self = .integer(integer) }

    /// Makes `true` or `false`.
    public init(booleanLiteral bool: Bool) { self = .bool(bool) }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object: the members stay in the order in which they are written.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member($0, $1) })
    }
}
