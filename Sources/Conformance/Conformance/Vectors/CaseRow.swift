internal import Encodings

/// A case as it stands in a file.
struct CaseRow {
    let id: String
    private let comment: String
    private let operation: String
    private let rule: String
    private let isOptional: Bool
    private let input: CaseFields
    private let result: String
    private let expected: CaseFields?
    private let failure: String?

    private static let optionalFlag = "optional"
    /// The parts of a case, and whether it must have them.
    private static let names = [
        "id": true, "comment": true, "operation": true, "rule": true, "certainty": true, "source": false,
        "flags": false, "input": true, "result": true, "expected": false, "failure": false,
    ]

    /// Reads a case.
    ///
    /// - Throws: `malformedCase` if a part is missing or of another type.
    init(_ fields: CaseFields) throws(VectorError) {
        id = try fields.text("id")
        try Self.within(id) { () throws(VectorError) in try fields.check(Self.names, "the case") }
        func isThere(_ name: String) -> Bool { fields[name] ?? .null != .null }
        comment = try fields.text("comment")
        operation = try fields.text("operation")
        rule = try fields.text("rule")
        isOptional = isThere("flags") ? try fields.texts("flags").contains(Self.optionalFlag) : false
        input = try fields.object("input")
        result = try fields.text("result")
        expected = isThere("expected") ? try fields.object("expected") : nil
        failure = isThere("failure") ? try fields.text("failure") : nil
    }

    /// The case, if its parts fit together.
    ///
    /// - Throws: `unknownOperation`, `malformedCase`.
    func vectorCase(layer: String) throws(VectorError) -> VectorCase {
        guard let known = VectorOperation.named(operation), known.layer == layer else {
            throw VectorError(.unknownOperation, reason: "\(id): the layer \(layer) has no operation \(operation)")
        }
        if let names = OperationFields.of(operation) {
            try Self.within(id) { () throws(VectorError) in
                try input.check(names.inputs, "the input of \(operation)")
                try expected?.check(names.outputs, "what \(operation) is expected to give")
            }
        }
        return VectorCase(
            id: id, comment: comment, operation: operation, rule: rule, isOptional: isOptional, input: input,
            expectation: try expectation())
    }

    /// Reads parts of a case; their faults get its name.
    ///
    /// - Throws: what `read` throws.
    private static func within(_ id: String, _ read: () throws(VectorError) -> Void) throws(VectorError) {
        do throws(VectorError) {
            try read()
        } catch {
            throw VectorError(error.code, reason: "\(id): \(error.reason)", place: error.place)
        }
    }

    private func expectation() throws(VectorError) -> VectorCase.Expectation {
        switch (result, expected, failure) {
        case ("valid", let fields?, nil) where !fields.members.isEmpty: return .fields(fields)
        case ("invalid", nil, let kind?) where !kind.isEmpty: return .failure(kind)
        case ("valid", _, _):
            throw VectorError(.malformedCase, reason: "\(id): a valid case has the fields expected, and no failure")
        case ("invalid", _, _):
            throw VectorError(.malformedCase, reason: "\(id): an invalid case has a failure, and nothing expected")
        default:
            throw VectorError(.malformedCase, reason: "\(id): the result \(result) is neither valid nor invalid")
        }
    }
}
