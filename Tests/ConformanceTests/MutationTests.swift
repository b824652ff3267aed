import Conformance
import Testing

/// The checker itself: a vector that is changed so that it is wrong must be reported, in every layer.
@Suite("The checker") struct MutationTests {
    private static let offered = Repository.vectorCases.filter { !$0.isOptional }
    private static let valid = offered.filter { if case .fields = $0.expectation { true } else { false } }
    private static let invalid = offered.filter { if case .failure = $0.expectation { true } else { false } }

    @Test("reports every expected field that is changed")
    func changedFields() throws {
        var count = 0
        for vectorCase in Self.valid {
            guard case .fields(let fields) = vectorCase.expectation else { continue }
            for (name, value) in fields {
                for changed in value.changed {
                    try expectFailure(vectorCase.expecting(.fields(fields.merging([name: changed]) { $1 })))
                    count += 1
                }
            }
        }
        #expect(count > Self.valid.count)
    }

    @Test("reports a field that the operation does not give")
    func unknownField() throws {
        for vectorCase in Self.valid {
            guard case .fields(let fields) = vectorCase.expectation else { continue }
            let more = fields.merging(["surplus": .null]) { $1 }
            try expectFailure(vectorCase.expecting(.fields(more)))
        }
    }

    @Test("reports a refusal for another reason than the case names")
    func otherFailure() throws {
        let kinds = Set(
            Self.invalid.compactMap { if case .failure(let kind) = $0.expectation { kind } else { nil } })
        #expect(kinds.count > 25)
        for vectorCase in Self.invalid {
            for kind in kinds where vectorCase.expectation != .failure(kind) {
                try expectFailure(vectorCase.expecting(.failure(kind)))
            }
        }
    }

    @Test("reports a valid case that is declared invalid, under any kind")
    func validDeclaredInvalid() throws {
        for vectorCase in Self.valid {
            try expectFailure(vectorCase.expecting(.failure("bad-tag")))
            try expectFailure(vectorCase.expecting(.failure("wrong-length")))
        }
    }

    @Test("reports an invalid case that is declared valid")
    func invalidDeclaredValid() throws {
        for vectorCase in Self.invalid {
            try expectFailure(vectorCase.expecting(.fields(["anything": .null])))
        }
    }

    @Test("reports a session that is refused before the frame that the case is about")
    func refusedTooEarly() throws {
        let sessions = Self.invalid.filter { $0.operation.hasPrefix("session.") }
        var count = 0
        for session in sessions {
            guard case .array(let frames)? = session.inputs["frames"], let last = frames.last else { continue }
            let longer = session.with(["frames": .array(frames + [last])])
            try expectFailure(longer)
            count += 1
        }
        #expect(count > 15)
    }

    @Test("refuses an operation that it does not know")
    func unknownOperation() {
        let unknown = VectorCase(
            id: "x", operation: "warp.engage", isOptional: true, input: [:], expectation: .failure("x"))
        #expect(throws: ConformanceError(.unknownOperation, reason: "")) { try unknown.run() }
    }

    private func expectFailure(_ vectorCase: VectorCase) throws {
        guard case .failed = try vectorCase.run() else {
            Issue.record("\(vectorCase.id) still passes with the expectation \(vectorCase.expectation)")
            return
        }
    }
}

extension VectorCase {
    fileprivate func expecting(_ expectation: Expectation) -> VectorCase {
        VectorCase(id: id, comment: comment, operation: operation, input: inputs, expectation: expectation)
    }

    fileprivate func with(_ changes: [String: JSONValue]) -> VectorCase {
        VectorCase(
            id: id, comment: comment, operation: operation, input: inputs.merging(changes) { $1 },
            expectation: expectation)
    }
}

extension JSONValue {
    /// Values that differ a little.
    fileprivate var changed: [JSONValue] {
        switch self {
        case .null: [.integer(0), .text(""), .boolean(false)]
        case .boolean(let value): [.boolean(!value), .null]
        case .integer(let value): [.integer(value + 1), .null]
        case .text(let text):
            [.text(text + "00"), .text(String(text.dropLast())), Self.flipped(text)].filter { $0 != self }
        case .array(let values): [.array(values + [.null]), .array(Array(values.dropLast()))].filter { $0 != self }
        case .object: [.null]
        }
    }

    private static func flipped(_ text: String) -> JSONValue {
        guard let first = text.first else { return .null }
        return .text((first == "0" ? "1" : "0") + text.dropFirst())
    }
}
