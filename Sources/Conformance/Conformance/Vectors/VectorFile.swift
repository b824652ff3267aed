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

    /// The versions of the format that are understood.
    static let versions: Set = [3, 4]
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
            guard Self.versions.contains(version) else {
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
            do throws(VectorError) {
                cases.append(try row.vectorCase(layer: layer))
            } catch {
                throw VectorError(error.code, reason: "\(name): \(error.reason)", place: error.place)
            }
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
            do throws(VectorError) {
                report.add(vectorCase, try vectorCase.run())
            } catch {
                throw VectorError(error.code, reason: "\(name): \(error.reason)", place: error.place)
            }
        }
        return report
    }

    /// Reads parts of a file; what is not of the shape that vectors have is the file's fault.
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
