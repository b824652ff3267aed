package import Conformance
package import Encodings

/// The cases of one file, in order, as they are made.
///
/// A case is written down as its input and whether it must succeed. Its certainty is that of its rule. Its outcome is
/// that of this implementation; where that is a success instead of a refusal, or the other way round, or a refusal for
/// another reason, nothing is made.
package struct LayerCases {
    /// The layer, and with `.json` the file.
    package let name: String
    /// The subject of the file.
    package let about: String
    /// The cases as they stand in the file.
    package private(set) var cases: [JSONValue] = []
    /// The number of cases that must succeed.
    package private(set) var validCount = 0
    private let prefix: String
    private var identifiers: Set<String> = []

    /// Makes a layer without cases.
    ///
    /// - Parameters:
    ///   - name: the layer.
    ///   - prefix: the beginning of its cases' identifiers.
    ///   - about: the subject of the cases.
    package init(_ name: String, prefix: String, about: String) {
        self.name = name
        self.prefix = prefix
        self.about = about
    }

    /// Adds a case that must succeed.
    ///
    /// - Parameters:
    ///   - slug: the identifier behind the layer's prefix: lower-case words with hyphens.
    ///   - comment: the subject of the case.
    ///   - rule: the ID of the rule that the case is about.
    ///   - operation: the name of the operation.
    ///   - input: the operation's input.
    ///   - expecting: the names of the outputs that are required, in the order of the file; nil for all.
    ///   - published: the required outputs, which stand in the file as they were published; nil for those made here.
    ///   - flags: further properties of the case.
    ///   - source: where the number was published or recorded; nil for one that is made here.
    /// - Returns: all outputs, also those that the case does not ask for: other cases can be made from them.
    /// - Throws: `unexpectedOutcome` for a refusal; `unknownOperation`; `malformedCase` if the input does not fit the
    ///   operation, or the identifier is not one, or is there already.
    @discardableResult
    package mutating func valid(
        _ slug: String, _ comment: String, rule: String, operation: String, input: CaseFields,
        expecting names: [String]? = nil, published: CaseFields? = nil, flags: [CaseFlag] = [],
        source: String? = nil
    ) throws(VectorError) -> CaseFields {
        let head = try head(
            slug, comment, rule: rule, operation: operation, flags: flags, source: source)
        let found = try outcome(of: operation, input)
        var wanted = if let names { try found.only(names) } else { found }
        for field in published?.members ?? [] {
            let value = found[field.name] ?? .null
            guard VectorCase.matches(value, field.value, named: field.name, of: operation) else {
                throw unexpected(slug, "\(field.name) is not \(field.value.text)")
            }
            wanted[field.name] = field.value
        }
        let tail: CaseFields = [
            "input": .object(input.members), "result": "valid", "expected": .object(wanted.members),
        ]
        cases.append(.object(head.with(tail).members))
        validCount += 1
        return found
    }

    /// Adds a case that must be refused.
    ///
    /// - Parameters:
    ///   - slug: the identifier behind the layer's prefix: lower-case words with hyphens.
    ///   - comment: the subject of the case.
    ///   - rule: the ID of the rule that the case is about.
    ///   - operation: the name of the operation.
    ///   - input: the operation's input.
    ///   - failure: the kind of refusal.
    ///   - flags: further properties of the case.
    ///   - source: where the number was published or recorded; nil for one that is made here.
    /// - Throws: `unexpectedOutcome` for a success, or another failure; `unknownOperation`; `malformedCase` if the
    ///   input does not fit the operation, or the identifier is not one, or is there already.
    package mutating func invalid(
        _ slug: String, _ comment: String, rule: String, operation: String, input: CaseFields, failure: String,
        flags: [CaseFlag] = [], source: String? = nil
    ) throws(VectorError) {
        let head = try head(
            slug, comment, rule: rule, operation: operation, flags: flags, source: source)
        let place = identifier(slug)
        switch try OperationOutcome(of: operation, in: name, input: input, place: place) {
        case .refusal(let refusal) where refusal.code.rawValue == failure: break
        case .refusal(let refusal):
            throw unexpected(slug, "refused as \(refusal.code.rawValue) (\(refusal.reason)) instead of \(failure)")
        case .fields: throw unexpected(slug, "not refused as \(failure)")
        }
        let tail: CaseFields = [
            "input": .object(input.members), "result": "invalid", "failure": .string(failure),
        ]
        cases.append(.object(head.with(tail).members))
    }

    /// Outcome of an operation of this layer, without a case of it: for inputs of other cases.
    ///
    /// - Throws: `unexpectedOutcome` for a refusal; `unknownOperation`; `malformedCase` if the input does not fit.
    package func outcome(of operation: String, _ input: CaseFields) throws(VectorError) -> CaseFields {
        try Self.outcome(of: operation, in: name, input)
    }

    /// Outcome of an operation of any layer.
    ///
    /// - Throws: `unexpectedOutcome` for a refusal; `unknownOperation`; `malformedCase` if the input does not fit.
    package static func outcome(
        of operation: String, in layer: String, _ input: CaseFields
    ) throws(VectorError) -> CaseFields {
        switch try OperationOutcome(of: operation, in: layer, input: input, place: operation) {
        case .fields(let fields): return fields
        case .refusal(let refusal):
            throw VectorError(
                .unexpectedOutcome, reason: "\(operation): refused as \(refusal.code.rawValue) (\(refusal.reason))")
        }
    }

    /// True if there is a case of this identifier already.
    package func has(_ slug: String) -> Bool { identifiers.contains(identifier(slug)) }

    private func identifier(_ slug: String) -> String { "\(prefix)-\(slug)" }

    private func unexpected(_ slug: String, _ what: String) -> VectorError {
        VectorError(.unexpectedOutcome, reason: "\(identifier(slug)): \(what)")
    }

    /// The first members of a case.
    private mutating func head(
        _ slug: String, _ comment: String, rule: String, operation: String, flags: [CaseFlag], source: String?
    ) throws(VectorError) -> CaseFields {
        let identifier = identifier(slug)
        guard identifier == CaseSlug(identifier).text else {
            throw VectorError(.malformedCase, reason: "\(identifier) is no identifier")
        }
        guard identifiers.insert(identifier).inserted else {
            throw VectorError(.malformedCase, reason: "\(identifier) is there already")
        }
        guard let certainty = Rule.find(rule)?.certainty else {
            throw VectorError(.malformedCase, reason: "\(identifier): \(rule) is not a rule")
        }
        var head: CaseFields = [
            "id": .string(identifier), "comment": .string(comment), "operation": .string(operation),
            "rule": .string(rule), "certainty": .string(certainty.rawValue),
        ]
        head["source"] = source.map { .string($0) }
        // Nobody has to do something that a rule allows.
        let isAllowed = Rule.find(rule)?.strength == .may && !flags.contains(.optional)
        let flags = isAllowed ? flags + [.optional] : flags
        if !flags.isEmpty { head["flags"] = .array(flags.map { .string($0.rawValue) }) }
        return head
    }
}
