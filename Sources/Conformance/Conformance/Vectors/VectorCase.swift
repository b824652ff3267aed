package import Encodings

/// One case of a file of vectors: an operation, its input, and the expected outcome (`Vectors/README.md`).
package struct VectorCase: Sendable {
    /// The name, unique over all files of a directory.
    package let id: String
    /// The behaviour that the case shows.
    package let comment: String
    /// The operation, for instance `advert.open`.
    package let operation: String
    /// The ID of the rule that the case is about: `HT-ADV-3`; nil if its file does not say.
    package let rule: String?
    /// True for a case of a feature that an implementation may lack.
    package let isOptional: Bool
    /// The operation's inputs.
    package let input: CaseFields
    /// The outcome that the case asks for.
    package let expectation: Expectation

    /// The outcome that a case asks for.
    package enum Expectation: Sendable, Equatable {
        /// The operation succeeds with these fields.
        case fields(CaseFields)
        /// The operation fails, and for this reason: the code of the error.
        case failure(String)
    }

    /// Makes a case.
    package init(
        id: String,
        comment: String = "",
        operation: String,
        rule: String? = nil,
        isOptional: Bool = false,
        input: CaseFields,
        expectation: Expectation
    ) {
        self.id = id
        self.comment = comment
        self.operation = operation
        self.rule = rule
        self.isOptional = isOptional
        self.input = input
        self.expectation = expectation
    }

    /// Outcome of a case.
    package enum Outcome: Sendable, Equatable {
        /// It holds.
        case passed
        /// It does not hold; the reason, for people.
        case failed(String)
        /// It is optional, and this implementation does not have the feature.
        case notOffered
    }

    /// Runs the case against this implementation.
    ///
    /// A refusal passes only with the very code that the case names.
    ///
    /// - Throws: `unknownOperation`; `malformedCase` if the input does not fit the operation.
    package func run() throws(VectorError) -> Outcome {
        guard let outcome = try outcome() else { return .notOffered }
        return judge(outcome)
    }

    /// Compares an outcome with the one that the case asks for.
    func judge(_ outcome: OperationOutcome) -> Outcome {
        switch outcome {
        case .fields(let found): compare(found)
        case .refusal(let refusal): compare(refusal)
        }
    }

    /// Outcome of the operation here; nil for an optional case whose feature this implementation does not have.
    ///
    /// - Throws: `unknownOperation`; `malformedCase` if the input does not fit the operation.
    func outcome() throws(VectorError) -> OperationOutcome? {
        guard let operation = VectorOperation.named(operation) else {
            throw VectorError(.unknownOperation, reason: "\(id): the operation \(operation) is not known")
        }
        guard let perform = operation.perform else {
            guard isOptional else {
                throw VectorError(.unknownOperation, reason: "\(id): \(operation.name) is not offered here")
            }
            return nil
        }
        return try OperationOutcome(of: perform, input: input, place: id)
    }

    private func compare(_ found: CaseFields) -> Outcome {
        guard case .fields(let expected) = expectation else {
            return .failed("accepted, but \(expectation) was expected")
        }
        for field in expected.members.sorted(by: { $0.name < $1.name }) {
            let value = found[field.name]
            guard value.map({ Self.matches($0, field.value, named: field.name, of: operation) }) != true else {
                continue
            }
            return .failed(
                "\(field.name) is \(value?.summary ?? "nothing"), but \(field.value.summary) was expected")
        }
        let names = OperationFields.of(operation)
        for field in found.members where names?.outputs[field.name] == false && expected[field.name] == nil {
            // A field that is found only where a case asks for it is not missing where it does not.
            if names?.inputs[field.name] == false, input[field.name] == nil { continue }
            return .failed("\(field.name) is \(field.value.summary), but expected lacks it")
        }
        return .passed
    }

    /// True if an output of an operation says the same as the one that is expected. The hexadecimal digits of a
    /// tunnel's URL mean the same in either case (HT-TUN-8): a published number keeps those of its publisher.
    package static func matches(
        _ found: JSONValue, _ expected: JSONValue, named name: String, of operation: String
    ) -> Bool {
        guard ["tunnel.new-url", "tunnel.connect-url"].contains(operation), name == "url",
            let found = found.stringValue, let expected = expected.stringValue
        else { return found.matches(expected) }
        return loweringHexadecimal(found) == loweringHexadecimal(expected)
    }

    /// A tunnel's URL with the hexadecimal digits in lower case, which stand behind `wss://HOST/cable/VERB/`.
    private static func loweringHexadecimal(_ url: String) -> [String] {
        url.split(separator: "/", omittingEmptySubsequences: false).enumerated().map { index, part in
            index < 5 ? String(part) : part.lowercased()
        }
    }

    private func compare(_ refusal: OperationFailure) -> Outcome {
        switch expectation {
        case .failure(refusal.code.rawValue): .passed
        default: .failed("refused as \(refusal.code.rawValue) (\(refusal.reason)), but \(expectation) was expected")
        }
    }
}

extension VectorCase: CustomStringConvertible {
    /// The identifier.
    package var description: String { id }
}

extension VectorCase.Expectation: CustomStringConvertible {
    /// The outcome that is asked for, for people.
    package var description: String {
        switch self {
        case .fields: "success"
        case .failure(let kind): "the failure \(kind)"
        }
    }
}
