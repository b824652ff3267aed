internal import Foundation

/// One file of vectors: the cases of one layer.
public struct VectorFile: Sendable {
    /// The file's name, without its directory.
    public let name: String
    /// Which part of the protocol the cases are about.
    public let layer: String
    /// The cases, in the file's order.
    public let cases: [VectorCase]
    /// The file's contents as they were read.
    let json: [UInt8]

    /// The largest file that is read: 16 MiB.
    static let maximumByteCount = 16 << 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: the file's name, for errors.
    ///   - json: its contents.
    /// - Throws: `malformedFile`, `unknownLayer`, `unknownOperation`; `malformedCase` for a case without the failure or
    ///   the fields that it expects, and for an identifier used twice.
    public init(name: String, json: [UInt8]) throws(ConformanceError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch {
            throw ConformanceError(.malformedFile, reason: "\(name): \(error)")
        }
        guard Operation.layers.contains(document.layer) else {
            throw ConformanceError(.unknownLayer, reason: "\(name): the layer \(document.layer) is not known")
        }
        guard !document.cases.isEmpty else { throw ConformanceError(.malformedFile, reason: "\(name): no cases") }
        var cases: [VectorCase] = []
        var identifiers: Set<String> = []
        for row in document.cases {
            guard identifiers.insert(row.id).inserted else {
                throw ConformanceError(.malformedCase, reason: "\(row.id): the identifier stands twice in \(name)")
            }
            cases.append(try row.vectorCase(layer: document.layer))
        }
        self.name = name
        self.layer = document.layer
        self.cases = cases
        self.json = json
    }

    /// Runs the file's cases.
    ///
    /// - Throws: `malformedCase` if an input does not fit its operation.
    public func check() throws(ConformanceError) -> VectorReport.File {
        var report = VectorReport.File(name: name, layer: layer)
        for vectorCase in cases { report.add(vectorCase, try vectorCase.run()) }
        return report
    }
}

/// A file as it stands in JSON.
private struct Document: Decodable {
    let layer: String
    let version: Int
    let cases: [Row]

    struct Row: Decodable {
        let id: String
        let comment: String
        let operation: String
        let flags: [String]?
        let input: [String: JSONValue]
        let result: String
        let expected: [String: JSONValue]?
        let failure: String?
    }
}

extension Document.Row {
    private static let optionalFlag = "optional"

    func vectorCase(layer: String) throws(ConformanceError) -> VectorCase {
        guard let operation = Operation.named(operation), operation.layer == layer else {
            throw ConformanceError(
                .unknownOperation, reason: "\(id): the layer \(layer) has no operation \(self.operation)")
        }
        return VectorCase(
            id: id, comment: comment, operation: operation.name,
            isOptional: flags?.contains(Self.optionalFlag) ?? false, input: input, expectation: try expectation())
    }

    private func expectation() throws(ConformanceError) -> VectorCase.Expectation {
        switch (result, expected, failure) {
        case ("valid", let fields?, nil) where !fields.isEmpty: return .fields(fields)
        case ("invalid", nil, let kind?) where !kind.isEmpty: return .failure(kind)
        case ("valid", _, _):
            throw ConformanceError(
                .malformedCase, reason: "\(id): a valid case has the fields expected, and no failure")
        case ("invalid", _, _):
            throw ConformanceError(.malformedCase, reason: "\(id): an invalid case has a failure, and nothing expected")
        default:
            throw ConformanceError(.malformedCase, reason: "\(id): the result \(result) is neither valid nor invalid")
        }
    }
}
