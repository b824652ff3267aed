internal import Encodings

/// Makes files of vectors anew: every case keeps its subject and its input, and gets the outcome that this
/// implementation gives it.
///
/// For the project's own files the outcome is the one that they hold, byte for byte; for other inputs it is
/// a second opinion.
package struct VectorGenerator: Sendable {
    /// A file as it was found, and as it is made.
    package struct File: Sendable {
        /// The file's name, without its directory.
        package let name: String
        /// The layer of its cases.
        package let layer: String
        /// The number of its cases.
        package let caseCount: Int
        /// The file's text as it is made: JSON, ASCII alone.
        package let text: String
        /// True if the file that was read is the same, byte for byte.
        package let isUnchanged: Bool
    }

    private let directory: VectorDirectory

    /// Reads a directory of vectors; the expectations of its cases do not matter.
    ///
    /// - Throws: the errors of ``VectorDirectory/init(path:)``.
    package init(path: String) throws(VectorError) { directory = try VectorDirectory(path: path) }

    /// Makes the files of the layers.
    ///
    /// - Throws: `malformedCase` if an input does not fit its operation.
    package func files() throws(VectorError) -> [File] {
        try directory.files.map { (file) throws(VectorError) in try Self.remade(file) }
    }

    private static func remade(_ file: VectorFile) throws(VectorError) -> File {
        var cases: [JSONValue] = []
        for (row, vectorCase) in zip(try file.document.objects(Key.cases), file.cases) {
            cases.append(.object(try remade(row, vectorCase).members))
        }
        let text = JSONValue.object(file.document.with(Key.cases, .array(cases)).members).fileText
        return File(
            name: file.name, layer: file.layer, caseCount: cases.count, text: text,
            isUnchanged: Array(text.utf8) == file.json)
    }

    /// A case with the outcome that this implementation gives it. A case that is not offered here stays as it is.
    private static func remade(_ row: CaseFields, _ vectorCase: VectorCase) throws(VectorError) -> CaseFields {
        switch try vectorCase.outcome() {
        case nil: return row
        case .refusal(let refusal)?:
            return row.without(Key.expected).with(Key.result, .string(Key.invalid))
                .with(Key.failure, .string(refusal.code.rawValue))
        case .fields(let found)?:
            // An operation may give more than a case asks for.
            let asked = row[Key.expected]?.objectValue
            var wanted = asked.map { found.ifThere($0.map(\.name)) } ?? found
            // A published number keeps its publisher's digits.
            for field in asked ?? [] {
                guard let value = wanted[field.name] else { continue }
                let isSame = VectorCase.matches(value, field.value, named: field.name, of: vectorCase.operation)
                if isSame { wanted[field.name] = field.value }
            }
            return row.without(Key.failure).with(Key.result, .string(Key.valid))
                .with(Key.expected, .object(wanted.members))
        }
    }

    private enum Key {
        static let cases = "cases"
        static let result = "result"
        static let valid = "valid"
        static let invalid = "invalid"
        static let expected = "expected"
        static let failure = "failure"
    }
}
