import Conformance
import Encodings
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
            for field in fields.members {
                for changed in field.value.changed {
                    try expectFailure(vectorCase.expecting(.fields(fields.with(field.name, changed))))
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
            try expectFailure(vectorCase.expecting(.fields(fields.with("surplus", .null))))
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
            guard let frames = session.input["frames"]?.arrayValue, let last = frames.last else { continue }
            let longer = session.with("frames", .array(frames + [last]))
            try expectFailure(longer)
            count += 1
        }
        #expect(count > 15)
    }

    @Test("refuses an operation that it does not know")
    func unknownOperation() {
        let unknown = VectorCase(
            id: "x", operation: "warp.engage", isOptional: true, input: [:], expectation: .failure("x"))
        #expect(throws: VectorError(.unknownOperation, reason: "")) { try unknown.run() }
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
        VectorCase(id: id, comment: comment, operation: operation, input: input, expectation: expectation)
    }

    fileprivate func with(_ name: String, _ value: JSONValue) -> VectorCase {
        VectorCase(
            id: id, comment: comment, operation: operation, input: input.with(name, value),
            expectation: expectation)
    }
}

extension JSONValue {
    /// Values that differ a little.
    fileprivate var changed: [JSONValue] {
        switch self {
        case .null: [0, "", false]
        case .bool(let value): [.bool(!value), .null]
        case .number(let number): [.integer((Int64(number.text) ?? 0) + 1), .null]
        case .string(let text):
            [.string(text + "00"), .string(String(text.dropLast())), Self.flipped(text)].filter { $0 != self }
        case .array(let values): [.array(values + [.null]), .array(Array(values.dropLast()))].filter { $0 != self }
        case .object: [.null]
        }
    }

    private static func flipped(_ text: String) -> JSONValue {
        guard let first = text.first else { return .null }
        return .string((first == "0" ? "1" : "0") + text.dropFirst())
    }
}
