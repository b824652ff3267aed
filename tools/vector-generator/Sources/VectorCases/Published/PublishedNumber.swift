internal import Conformance
internal import Encodings

/// A number from another implementation's unit test: an input, and the output by that implementation.
struct PublishedNumber: Sendable {
    let name: String
    /// The repository, the revision that was read, and the file.
    let source: String
    let operation: String
    /// The ID of the rule that the number is about.
    let rule: String
    /// A remark on the number; nil without one.
    let note: String?
    let input: CaseFields
    let answer: Answer

    /// The outcome that the source states.
    enum Answer: Sendable {
        /// These fields come out. An operation may give more, which the source does not state.
        case gives(CaseFields)
        /// The input is refused: the failure kind that the rules give it.
        case refuses(String)
    }

    /// Reads a number as it stands in its file.
    ///
    /// - Throws: `malformedCase` if a part is missing or of another type.
    init(_ fields: CaseFields) throws(VectorError) {
        name = try fields.text("name")
        source = try fields.text("source")
        operation = try fields.text("operation")
        rule = try fields.text("rule")
        note = fields["note"] == nil ? nil : try fields.text("note")
        input = try fields.object("input")
        answer = fields["gives"] == nil ? .refuses(try fields.text("failure")) : .gives(try fields.object("gives"))
    }
}
