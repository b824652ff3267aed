internal import JSON

/// Makes files of vectors anew: every case keeps what it is about and its input, and gets the outcome that this implementation
/// gives it.
///
/// For the project's own files, whose inputs come from a fixed seed, the outcome is what they hold, byte for byte; for somebody's
/// own inputs it is a second opinion.
public struct VectorGenerator: Sendable {
    /// A file as it was found, and as it is made.
    public struct File: Sendable {
        /// The file's name, without its directory.
        public let name: String
        /// How many cases it has.
        public let caseCount: Int
        /// The file's text as it is made: JSON, ASCII alone.
        public let text: String
        /// Whether the file that was read is the same, byte for byte.
        public let isUnchanged: Bool
    }

    private let directory: VectorDirectory

    /// Reads a directory of vectors; what its cases expect does not matter.
    ///
    /// - Throws: what ``VectorDirectory/init(path:)`` throws.
    public init(path: String) throws(ConformanceError) { directory = try VectorDirectory(path: path) }

    /// Makes the files of the layers.
    ///
    /// - Parameter progress: called after each file.
    /// - Throws: `malformedCase` if an input does not fit its operation.
    public func files(progress: (File) -> Void = { _ in }) throws(ConformanceError) -> [File] {
        var files: [File] = []
        for file in directory.files {
            let made = try Self.remade(file)
            progress(made)
            files.append(made)
        }
        return files
    }

    private static func remade(_ file: VectorFile) throws(ConformanceError) -> File {
        let document: Document
        do {
            document = try Document(parsing: file.json.span, limits: limits)
        } catch {
            throw ConformanceError(.malformedFile, reason: "\(file.name): \(error.reason)")
        }
        var cases: [Document] = []
        for (row, vectorCase) in zip(document[Key.cases]?.arrayValue ?? [], file.cases) {
            cases.append(try remade(row, vectorCase))
        }
        let text = document.replacing(Key.cases, by: .array(cases)).fileText
        return File(name: file.name, caseCount: cases.count, text: text, isUnchanged: Array(text.utf8) == file.json)
    }

    /// A case with the outcome that this implementation gives it. What is not offered here stays as it is.
    private static func remade(_ row: Document, _ vectorCase: VectorCase) throws(ConformanceError) -> Document {
        guard let result = try vectorCase.result() else { return row }
        switch result {
        case .refusal(let refusal):
            return row.removing(Key.expected).replacing(Key.result, by: .string(Key.invalid))
                .replacing(Key.failure, by: .string(refusal.kind))
        case .fields(let found):
            // An operation may give more than a case asks for.
            let asked = row[Key.expected]
            let wanted = asked == nil ? found : found.filter { asked?[$0.key] != nil }
            return row.removing(Key.failure).replacing(Key.result, by: .string(Key.valid))
                .replacing(Key.expected, by: Document(.object(wanted), like: asked))
        }
    }

    /// A file, with its members in their order.
    private typealias Document = JSON.JSONValue

    private static let limits = JSONLimits(
        byteCount: VectorFile.maximumByteCount, depth: JSONLimits.standard.depth)

    private enum Key {
        static let cases = "cases"
        static let result = "result"
        static let valid = "valid"
        static let invalid = "invalid"
        static let expected = "expected"
        static let failure = "failure"
    }
}

extension JSON.JSONValue {
    /// The same object with another value for a member, or with one more member at its end.
    fileprivate func replacing(_ name: String, by value: Self) -> Self {
        guard let members = objectValue else { return self }
        guard self[name] != nil else { return .object(members + [Member(name, value)]) }
        return .object(members.map { $0.name == name ? Member(name, value) : $0 })
    }

    /// The same object without a member.
    fileprivate func removing(_ name: String) -> Self {
        guard let members = objectValue else { return self }
        return .object(members.filter { $0.name != name })
    }
}
