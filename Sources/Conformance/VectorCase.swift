/// One case of a file of vectors: an operation, its input, and what must come out (`Vectors/README.md`).
public struct VectorCase: Sendable {
    /// The name, unique over all files of a directory.
    public let id: String
    /// What the case shows.
    public let comment: String
    /// What is to be done, for instance `advert.open`.
    public let operation: String
    /// Whether the case belongs to a feature that an implementation may lack.
    public let isOptional: Bool
    /// What must come out.
    public let expectation: Expectation
    let input: Fields

    /// The operation's inputs.
    public var inputs: [String: JSONValue] { input.values }

    /// What must come out of a case.
    public enum Expectation: Sendable, Equatable {
        /// The operation succeeds with these fields.
        case fields([String: JSONValue])
        /// The operation fails, and for this reason: the code of the error.
        case failure(String)
    }

    /// Makes a case.
    ///
    /// - Parameters:
    ///   - id: the name, unique over all files of a directory.
    ///   - comment: what the case shows.
    ///   - operation: what is to be done.
    ///   - isOptional: whether an implementation may lack the feature.
    ///   - input: the operation's inputs.
    ///   - expectation: what must come out.
    public init(
        id: String,
        comment: String = "",
        operation: String,
        isOptional: Bool = false,
        input: [String: JSONValue],
        expectation: Expectation
    ) {
        self.id = id
        self.comment = comment
        self.operation = operation
        self.isOptional = isOptional
        self.input = Fields(values: input, place: id)
        self.expectation = expectation
    }

    /// What became of a case.
    public enum Outcome: Sendable, Equatable {
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
    public func run() throws(ConformanceError) -> Outcome {
        guard let result = try result() else { return .notOffered }
        switch result {
        case .fields(let found): return compare(found)
        case .refusal(let refusal): return compare(refusal)
        }
    }

    /// What the operation comes to here; nil for an optional case whose feature this implementation does not have.
    ///
    /// - Throws: `unknownOperation`; `malformedCase` if the input does not fit the operation.
    func result() throws(ConformanceError) -> Result? {
        guard let operation = Operation.named(operation) else {
            throw ConformanceError(.unknownOperation, reason: "\(id): the operation \(operation) is not known")
        }
        guard let perform = operation.perform else {
            guard isOptional else {
                throw ConformanceError(.unknownOperation, reason: "\(id): \(operation.name) is not offered here")
            }
            return nil
        }
        return try Result(of: perform, input)
    }

    private func compare(_ found: [String: JSONValue]) -> Outcome {
        guard case .fields(let expected) = expectation else {
            return .failed("accepted, but \(expectation) was expected")
        }
        for (name, value) in expected.sorted(by: { $0.key < $1.key }) where found[name] != value {
            let found = found[name].map { "\($0)" } ?? "nothing"
            return .failed("\(name) is \(found), but \(value) was expected")
        }
        return .passed
    }

    private func compare(_ refusal: Refusal) -> Outcome {
        switch expectation {
        case .failure(refusal.kind): .passed
        default: .failed("refused as \(refusal.kind) (\(refusal.reason)), but \(expectation) was expected")
        }
    }
}

extension VectorCase: CustomStringConvertible {
    /// The identifier.
    public var description: String { id }
}

extension VectorCase.Expectation: CustomStringConvertible {
    /// What must come out, for people.
    public var description: String {
        switch self {
        case .fields: "success"
        case .failure(let kind): "the failure \(kind)"
        }
    }
}
