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

extension JSONValue {
    /// The value as JSON text: members in their order, no white space.
    ///
    /// Strings are written as WebAuthn Level 3 section 5.8.1.2 ("CCDToString") prescribes for the client data, which is
    /// valid JSON everywhere else too.
    public var text: String {
        var output: [UInt8] = []
        write(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let bool): output += (bool ? "true" : "false").utf8
        case .number(let number): output += number.text.utf8
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(quote)
        for byte in string.utf8 {
            switch byte {
            case quote, backslash: output += [backslash, byte]
            case 0..<firstPrintable: output += escape(byte).utf8
            default: output.append(byte)
            }
        }
        output.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let firstPrintable = UInt8(ascii: " ")

    private static func escape(_ value: UInt8) -> String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
