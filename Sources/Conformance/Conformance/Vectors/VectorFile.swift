internal import Encodings

/// One file of vectors: the cases of one layer.
package struct VectorFile: Sendable {
    /// The file's name, without its directory.
    package let name: String
    /// The part of the protocol that the cases are about.
    package let layer: String
    /// The cases, in the file's order.
    package let cases: [VectorCase]
    /// The file's contents as they were read.
    let json: [UInt8]
    /// The same, parsed.
    let document: CaseFields

    /// The layers that are known here, in the order of their operations.
    package static let layers = VectorOperation.all.map(\.layer).reduce(into: [String]()) { layers, layer in
        if !layers.contains(layer) { layers.append(layer) }
    }

    /// The version of the format, as the schemas have it: operations and meanings change from one to the next.
    static let version = 5
    /// The parts of a file, and whether it must have them.
    private static let names = ["$schema": false, "layer": true, "version": true, "about": true, "cases": true]

    /// The largest file that is read: 16 MiB.
    static let maximumByteCount = 16 << 20

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: the file's name, for errors.
    ///   - json: its contents.
    /// - Throws: `malformedFile`, also for two members of one name; `unknownLayer`, `unknownOperation`; `malformedCase`
    ///   for a case without the failure or the fields that it expects, and for an identifier used twice.
    package init(name: String, json: [UInt8]) throws(VectorError) {
        let document = try CaseFields(parsing: json, name: name)
        let (layer, rows) = try Self.malformedFile(name) { () throws(VectorError) in
            try document.check(Self.names, "the file")
            let version: Int = try document.integer("version")
            guard version == Self.version else {
                throw VectorError(.malformedFile, reason: "the version \(version) is not known")
            }
            return (try document.text("layer"), try document.objects("cases").map(CaseRow.init))
        }
        guard Self.layers.contains(layer) else {
            throw VectorError(.unknownLayer, reason: "\(name): the layer \(layer) is not known")
        }
        guard !rows.isEmpty else { throw VectorError(.malformedFile, reason: "\(name): no cases") }
        var cases: [VectorCase] = []
        var identifiers: Set<String> = []
        for row in rows {
            guard identifiers.insert(row.id).inserted else {
                throw VectorError(.malformedCase, reason: "\(row.id): the identifier stands twice in \(name)")
            }
            try VectorError.rethrown(cases.append(row.vectorCase(layer: layer)), as: { $0.naming(name) })
        }
        self.name = name
        self.layer = layer
        self.cases = cases
        self.json = json
        self.document = document
    }

    /// Runs the file's cases.
    ///
    /// - Throws: `malformedCase` if an input does not fit its operation.
    package func check() throws(VectorError) -> VectorReport.File {
        var report = VectorReport.File(name: name, layer: layer)
        for vectorCase in cases {
            try VectorError.rethrown(report.add(vectorCase, vectorCase.run()), as: { $0.naming(name) })
        }
        return report
    }

    /// Reads parts of a file; a part that is not of the shape of vectors is the file's fault.
    ///
    /// - Throws: `malformedFile`.
    static func malformedFile<Part>(
        _ name: String, _ read: () throws(VectorError) -> Part
    ) throws(VectorError) -> Part {
        do throws(VectorError) {
            return try read()
        } catch {
            throw VectorError(.malformedFile, reason: "\(name): \(error.reason)", place: error.place)
        }
    }
}

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
                try expected?.check(names.outputs, "the expected output of \(operation)")
            }
        }
        return VectorCase(
            id: id, comment: comment, operation: operation, rule: rule, isOptional: isOptional, input: input,
            expectation: try expectation())
    }

    /// Reads parts of a case; their faults get its name.
    ///
    /// - Throws: the errors of `read`.
    private static func within(_ id: String, _ read: () throws(VectorError) -> Void) throws(VectorError) {
        try VectorError.rethrown(read(), as: { $0.naming(id) })
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
