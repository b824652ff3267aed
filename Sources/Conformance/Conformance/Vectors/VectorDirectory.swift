/// A directory of vectors in the format of this project's `Vectors/`.
package struct VectorDirectory: Sendable {
    /// The files, in the order of their names.
    package let files: [VectorFile]

    private static let indexName = "index.json"
    /// The rules of the protocol reference, which the cases cite; no vectors.
    private static let rulesName = "rules.json"
    private static let suffix = ".json"

    /// Reads every `*.json` of a directory, without those below it and `rules.json`. An `index.json` must agree
    /// with them.
    ///
    /// - Parameter path: the directory.
    /// - Throws: `unreadable`, `noVectors`, `indexMismatch`; the errors of ``VectorFile/init(name:json:)``;
    ///   `malformedCase` for an identifier that stands in two files.
    package init(path: String) throws(VectorError) {
        let names = try Folder.names(in: path).filter { $0.hasSuffix(Self.suffix) }
        var files: [VectorFile] = []
        for name in names.sorted() where ![Self.indexName, Self.rulesName].contains(name) {
            files.append(try VectorFile(name: name, json: try Self.contents("\(path)/\(name)")))
        }
        guard !files.isEmpty else { throw VectorError(.noVectors, reason: "\(path) holds no vectors") }
        if names.contains(Self.indexName) {
            try Self.compare(index: try Self.contents("\(path)/\(Self.indexName)"), files)
        }
        self.files = files
        try checkIdentifiers()
    }

    /// Runs every case against this implementation.
    ///
    /// - Parameter progress: called after each file.
    /// - Throws: `malformedCase` if an input does not fit its operation.
    package func check(
        progress: (VectorReport.File) -> Void = { _ in }
    ) throws(VectorError) -> VectorReport {
        var report = VectorReport()
        for file in files {
            let result = try file.check()
            progress(result)
            report.files.append(result)
        }
        return report
    }

    private func checkIdentifiers() throws(VectorError) {
        var seen: [String: String] = [:]
        for file in files {
            for vectorCase in file.cases {
                if let other = seen.updateValue(file.name, forKey: vectorCase.id) {
                    throw VectorError(
                        .malformedCase, reason: "\(vectorCase.id) stands in \(other) and in \(file.name)")
                }
            }
        }
    }

    private static func contents(_ path: String) throws(VectorError) -> [UInt8] {
        try Folder.contents(of: path, limit: VectorFile.maximumByteCount)
    }

    private static func compare(index json: [UInt8], _ files: [VectorFile]) throws(VectorError) {
        let index = try CaseFields(parsing: json, name: indexName)
        let rows = try VectorFile.malformedFile(indexName) { () throws(VectorError) in
            try index.objects("files").map { (row) throws(VectorError) -> (String, Int) in
                (try row.text("file"), try row.integer("cases"))
            }
        }
        let stated = Dictionary(rows) { first, _ in first }
        let found = Dictionary(files.map { ($0.name, $0.cases.count) }) { first, _ in first }
        for name in Set(stated.keys).union(found.keys).sorted() where stated[name] != found[name] {
            let (stated, found) = (stated[name] ?? 0, found[name] ?? 0)
            throw VectorError(
                .indexMismatch, reason: "\(name) has \(found) cases, but \(indexName) says \(stated)")
        }
    }
}
