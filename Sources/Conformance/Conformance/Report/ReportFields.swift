internal import Encodings

/// The members of an object in a report's JSON, each taken once; a member that nobody takes is refused.
struct ReportFields {
    private var members: [String: JSONValue] = [:]
    private let name: String

    private static let textLimit = 1 << 20
    private static let wordLimit = 1_000

    init(_ value: JSONValue, _ name: String) throws(RunnerError) {
        guard let list = value.objectValue else { throw Self.invalid("\(name) is not an object") }
        for member in list { members[member.name] = member.value }
        self.name = name
    }

    static func invalid(_ reason: String) -> RunnerError { RunnerError(.invalidReport, reason: reason) }

    mutating func optional(_ member: String) -> JSONValue? { members.removeValue(forKey: member) }

    mutating func value(_ member: String) throws(RunnerError) -> JSONValue {
        guard let value = optional(member) else { throw Self.invalid("\(name) has no \(member)") }
        return value
    }

    mutating func optionalText(_ member: String) throws(RunnerError) -> String? {
        guard let value = optional(member) else { return nil }
        guard let text = value.stringValue, text.utf8.count <= Self.textLimit else {
            throw Self.invalid("\(member) of \(name) is not a string of at most \(Self.textLimit) bytes")
        }
        return text
    }

    mutating func text(_ member: String) throws(RunnerError) -> String {
        guard let text = try optionalText(member) else { throw Self.invalid("\(name) has no \(member)") }
        return text
    }

    mutating func texts(_ member: String, isOptional: Bool = false) throws(RunnerError) -> [String] {
        try values(member, limit: Self.wordLimit, isOptional: isOptional) { (value) throws(RunnerError) in
            guard let text = value.stringValue else { throw Self.invalid("\(member) is not a list of strings") }
            return text
        }
    }

    mutating func values<Value>(
        _ member: String, limit: Int, isOptional: Bool = false, _ read: (JSONValue) throws(RunnerError) -> Value
    ) throws(RunnerError) -> [Value] {
        if isOptional, members[member] == nil { return [] }
        guard let list = try value(member).arrayValue, list.count <= limit else {
            throw Self.invalid("\(member) of \(name) is not an array of at most \(limit)")
        }
        var values: [Value] = []
        for element in list { values.append(try read(element)) }
        return values
    }

    mutating func count(_ member: String) throws(RunnerError) -> Int {
        guard case .number(let number) = try value(member), let count = Int(number.text), count >= 0 else {
            throw Self.invalid("\(member) of \(name) is not a non-negative number")
        }
        return count
    }

    mutating func optionalCount(_ member: String) throws(RunnerError) -> Int? {
        members[member] == nil ? nil : try count(member)
    }

    mutating func word<Word: RawRepresentable<String>>(_ member: String) throws(RunnerError) -> Word {
        guard let word = Word(rawValue: try text(member)) else {
            throw Self.invalid("\(member) of \(name) is not known")
        }
        return word
    }

    private static let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    private static let marks = Array("./-".utf8)

    /// An ID such as HT-ADV-3; for one of an older report, the ID that the rule has now.
    mutating func ruleID(_ member: String) throws(RunnerError) -> String {
        let text = try text(member)
        let words = text.split(separator: "-", omittingEmptySubsequences: false)
        let parts = words.map(\.utf8)
        guard parts.count == 3, Rule.modules[String(words[0])] != nil,
            (1...12).contains(parts[1].count), parts[1].allSatisfy(Self.capitals.contains),
            (1...4).contains(parts[2].count), parts[2].allSatisfy(Self.digits.contains)
        else {
            throw Self.invalid("\(member) of \(name) is not a rule's ID")
        }
        return Rule.find(text)?.id ?? text
    }

    /// An ID of 2 to 121 small letters, digits, dots, slashes and hyphens.
    mutating func caseID(_ member: String) throws(RunnerError) -> String {
        let text = try text(member)
        let isWord: (UInt8) -> Bool = { Self.letters.contains($0) || Self.digits.contains($0) }
        guard (2...121).contains(text.utf8.count), text.utf8.first.map(isWord) == true,
            text.utf8.allSatisfy({ isWord($0) || Self.marks.contains($0) })
        else {
            throw Self.invalid("\(member) of \(name) is not a case's ID")
        }
        return text
    }

    /// Refuses members that nobody has taken.
    func end() throws(RunnerError) {
        guard let unknown = members.keys.min() else { return }
        throw Self.invalid("\(name) has an unknown member: \(String(unknown.prefix(40)))")
    }
}
