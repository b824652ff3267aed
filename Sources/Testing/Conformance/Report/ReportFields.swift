internal import JSON

/// The members of an object in a report's JSON, each taken once; what nobody takes is refused.
struct ReportFields {
    private var members: [String: JSONValue] = [:]
    private let name: String

    private static let textLimit = 1 << 20
    private static let wordLimit = 1_000

    init(_ value: JSONValue, _ name: String) throws(RunnerError) {
        guard let list = value.objectValue else { throw Self.invalid("\(name) is no object") }
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
            throw Self.invalid("\(member) of \(name) is no string of at most \(Self.textLimit) bytes")
        }
        return text
    }

    mutating func text(_ member: String) throws(RunnerError) -> String {
        guard let text = try optionalText(member) else { throw Self.invalid("\(name) has no \(member)") }
        return text
    }

    mutating func texts(_ member: String, isOptional: Bool = false) throws(RunnerError) -> [String] {
        try values(member, limit: Self.wordLimit, isOptional: isOptional) { (value) throws(RunnerError) in
            guard let text = value.stringValue else { throw Self.invalid("\(member) is no list of strings") }
            return text
        }
    }

    mutating func values<Value>(
        _ member: String, limit: Int, isOptional: Bool = false, _ read: (JSONValue) throws(RunnerError) -> Value
    ) throws(RunnerError) -> [Value] {
        if isOptional, members[member] == nil { return [] }
        guard let list = try value(member).arrayValue, list.count <= limit else {
            throw Self.invalid("\(member) of \(name) is no array of at most \(limit)")
        }
        var values: [Value] = []
        for element in list { values.append(try read(element)) }
        return values
    }

    mutating func count(_ member: String) throws(RunnerError) -> Int {
        guard case .number(let number) = try value(member), let count = Int(number.text), count >= 0 else {
            throw Self.invalid("\(member) of \(name) is no number from 0 on")
        }
        return count
    }

    mutating func word<Word: RawRepresentable<String>>(_ member: String) throws(RunnerError) -> Word {
        guard let word = Word(rawValue: try text(member)) else {
            throw Self.invalid("\(member) of \(name) is not known")
        }
        return word
    }

    mutating func ruleID(_ member: String) throws(RunnerError) -> String {
        let text = try text(member)
        guard text.wholeMatch(of: /HT-[A-Z]{1,12}-[0-9]{1,4}/) != nil else {
            throw Self.invalid("\(member) of \(name) is no rule's ID")
        }
        return text
    }

    mutating func caseID(_ member: String) throws(RunnerError) -> String {
        let text = try text(member)
        guard text.wholeMatch(of: /[a-z0-9][a-z0-9.\/-]{1,120}/) != nil else {
            throw Self.invalid("\(member) of \(name) is no case's ID")
        }
        return text
    }

    /// Refuses what nobody has taken.
    func end() throws(RunnerError) {
        guard let stranger = members.keys.min() else { return }
        throw Self.invalid("\(name) has an unknown member: \(String(stranger.prefix(40)))")
    }
}
