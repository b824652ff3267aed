internal import Conformance
internal import Encodings

/// The file that names the others, with the number of cases of each.
package struct VectorIndex {
    /// The file's name.
    package static let fileName = "index.json"

    private let layers: [LayerCases]

    /// Makes the index of all layers, in their order.
    package init(_ layers: [LayerCases]) { self.layers = layers }

    /// The number of cases of all files together.
    package var caseCount: Int { layers.reduce(0) { $0 + $1.cases.count } }

    /// The file's text: JSON, ASCII alone, with a line feed at the end.
    package var fileText: String {
        let file: JSONValue = [
            "$schema": "schema/index.schema.json", "version": .integer(VectorLayer.version),
            "cases": .integer(caseCount), "files": .array(layers.map(Self.row)),
        ]
        return file.fileText
    }

    private static func row(_ layer: LayerCases) -> JSONValue {
        [
            "file": .string(layer.fileName), "layer": .string(layer.name), "about": .string(layer.about),
            "cases": .integer(layer.cases.count), "valid": .integer(layer.validCount),
            "invalid": .integer(layer.cases.count - layer.validCount),
        ]
    }
}
