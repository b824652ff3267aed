internal import Foundation

/// A directory of vectors in the format of this project's `Vectors/`: ours, or anybody's.
public struct VectorDirectory: Sendable {
    /// The files, in the order of their names.
    public let files: [VectorFile]

    private static let indexName = "index.json"
    private static let suffix = ".json"

    /// Reads every `*.json` of a directory, without those below it. An `index.json` must agree with them.
    ///
    /// - Parameter path: the directory.
    /// - Throws: `unreadable`, `noVectors`, `indexMismatch`; what ``VectorFile/init(name:json:)`` throws;
    ///   `malformedCase` for an identifier that stands in two files.
    public init(path: String) throws(ConformanceError) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(Self.suffix) }
        } catch {
            throw ConformanceError(.unreadable, reason: "\(path) cannot be read as a directory")
        }
        var files: [VectorFile] = []
        for name in names.sorted() where name != Self.indexName {
            files.append(try VectorFile(name: name, json: try Self.contents("\(path)/\(name)")))
        }
        guard !files.isEmpty else { throw ConformanceError(.noVectors, reason: "\(path) holds no vectors") }
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
    public func check(
        progress: (VectorReport.File) -> Void = { _ in }
    ) throws(ConformanceError) -> VectorReport {
        var report = VectorReport()
        for file in files {
            let result = try file.check()
            progress(result)
            report.files.append(result)
        }
        return report
    }

    private func checkIdentifiers() throws(ConformanceError) {
        var seen: [String: String] = [:]
        for file in files {
            for vectorCase in file.cases {
                if let other = seen.updateValue(file.name, forKey: vectorCase.id) {
                    throw ConformanceError(
                        .malformedCase, reason: "\(vectorCase.id) stands in \(other) and in \(file.name)")
                }
            }
        }
    }

    private static func contents(_ path: String) throws(ConformanceError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw ConformanceError(.unreadable, reason: "\(path) cannot be read")
        }
        let data: Data
        do {
            data = try file.read(upToCount: VectorFile.maximumByteCount + 1) ?? Data()
            try file.close()
        } catch {
            throw ConformanceError(.unreadable, reason: "\(path) cannot be read")
        }
        guard data.count <= VectorFile.maximumByteCount else {
            throw ConformanceError(.unreadable, reason: "\(path) is larger than any file of vectors")
        }
        return [UInt8](data)
    }

    private struct Index: Decodable {
        let files: [Row]

        struct Row: Decodable {
            let file: String
            let cases: Int
        }
    }

    private static func compare(index json: [UInt8], _ files: [VectorFile]) throws(ConformanceError) {
        guard let index = try? JSONDecoder().decode(Index.self, from: Data(json)) else {
            throw ConformanceError(.malformedFile, reason: "\(indexName) is no index of vectors")
        }
        let stated = Dictionary(index.files.map { ($0.file, $0.cases) }) { first, _ in first }
        let found = Dictionary(files.map { ($0.name, $0.cases.count) }) { first, _ in first }
        for name in Set(stated.keys).union(found.keys).sorted() where stated[name] != found[name] {
            let (stated, found) = (stated[name] ?? 0, found[name] ?? 0)
            throw ConformanceError(
                .indexMismatch, reason: "\(name) has \(found) cases, but \(indexName) says \(stated)")
        }
    }
}
