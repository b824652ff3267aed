import Encodings

/// One line of `hybrid`, as a JSON object whose members are taken one by one: each has to be there with its type,
/// and none may be left. This program cannot show a member that it does not know, and a member that is not shown
/// cannot be approved.
struct ContractObject {
    /// The most lines of a question, and the most accounts.
    static let mostTexts = 2_000
    /// An object, its array, and all texts and members beside it.
    private static let limits = JSONLimits(byteCount: LineReader.longestLine, depth: 2, valueCount: 2 * mostTexts + 100)

    private let value: JSONValue
    private var membersLeft: Int

    /// Reads a line.
    ///
    /// - Throws: ``ContractError`` if it is not a JSON object.
    init(parsing line: [UInt8]) throws(ContractError) {
        do throws(JSONError) {
            value = try JSONValue(parsing: line.span, limits: Self.limits)
        } catch {
            throw ContractError(.malformed, from: error)
        }
        guard let members = value.objectValue else { throw ContractError(.malformed, reason: "not a JSON object") }
        membersLeft = members.count
    }

    /// True if there is a member of this name.
    func has(_ name: String) -> Bool { value[name] != nil }

    /// Takes a text, in which `hybrid` has escaped invisible characters.
    mutating func text(_ name: String) throws(ContractError) -> String { try Self.text(try member(name), name) }

    /// Takes a text that may be missing.
    mutating func textIfThere(_ name: String) throws(ContractError) -> String? { has(name) ? try text(name) : nil }

    /// Takes an array of at most ``mostTexts`` texts.
    mutating func texts(_ name: String) throws(ContractError) -> [String] {
        guard let elements = try member(name).arrayValue, elements.count <= Self.mostTexts else {
            throw Self.malformed(name, "an array of at most \(Self.mostTexts) texts")
        }
        var texts: [String] = []
        for element in elements { texts.append(try Self.text(element, name)) }
        return texts
    }

    /// Takes a truth value.
    mutating func bool(_ name: String) throws(ContractError) -> Bool {
        guard case .bool(let bool) = try member(name) else { throw Self.malformed(name, "true or false") }
        return bool
    }

    /// Takes an integer in a range.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(ContractError) -> Int {
        guard case .number(let number) = try member(name), let integer = Int(number.text), range.contains(integer)
        else {
            throw Self.malformed(name, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Demands that every member has been taken.
    func requireNoMore() throws(ContractError) {
        guard membersLeft == 0 else {
            throw ContractError(.malformed, reason: "\(membersLeft) members that such a line does not have")
        }
    }

    private mutating func member(_ name: String) throws(ContractError) -> JSONValue {
        guard let member = value[name] else { throw ContractError(.malformed, reason: "no member \(name)") }
        membersLeft -= 1
        return member
    }

    private static func text(_ value: JSONValue, _ name: String) throws(ContractError) -> String {
        guard let text = value.stringValue else { throw malformed(name, "a text") }
        // A control that changes the direction of a text, or ends its line, would change its meaning.
        return text.unicodeScalars.reduce(into: "") { shown, scalar in
            if scalar.isControl {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
    }

    static func malformed(_ name: String, _ demand: String) -> ContractError {
        ContractError(.malformed, reason: "\(name) is not \(demand)")
    }
}

extension Unicode.Scalar {
    /// True for control and format characters, among them overrides of the direction, and separators of lines.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
