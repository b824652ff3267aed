internal import Conformance
internal import Encodings

/// The numbers that others published, and the sessions that were recorded: `tools/vectors/sources`.
package struct VectorSources: Sendable {
    private let path: String

    private static let suffix = ".json"

    /// Takes a directory with a record in each file, and with published numbers in `published`, a file for each layer
    /// that has some.
    package init(path: String) { self.path = path }

    /// The numbers that were published for a layer, in the order of their file.
    ///
    /// - Throws: `unreadable`, `malformedFile`, `malformedCase`.
    func published(layer: String) throws(VectorError) -> [PublishedNumber] {
        let directory = "\(path)/published"
        let name = layer + Self.suffix
        guard try Folder.names(in: directory).contains(name) else { return [] }
        let numbers = try CaseFields(file: "\(directory)/\(name)").objects("numbers")
        return try numbers.map { (number) throws(VectorError) in try PublishedNumber(number) }
    }

    /// The recorded sessions, in the order of their files' names.
    ///
    /// - Throws: `unreadable`, `malformedFile`, `malformedCase`.
    func recorded() throws(VectorError) -> [RecordedSession] {
        let names = try Folder.names(in: path).filter { $0.hasSuffix(Self.suffix) }.sorted()
        return try names.map { (name) throws(VectorError) in
            try RecordedSession(fileName: name, record: CaseFields(file: "\(path)/\(name)"))
        }
    }
}
