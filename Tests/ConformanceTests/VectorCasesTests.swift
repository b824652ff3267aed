import Conformance
import Foundation
import Testing
import VectorCases

@Suite("The cases that the vectors are made of")
struct VectorCasesTests {
    @Test("make the layer's file as it is committed, byte for byte", arguments: VectorLayer.all)
    func parity(layer: VectorLayer) throws {
        let cases = try layer.cases()
        #expect(cases.name == layer.name)
        let committed = try String(
            contentsOf: URL(filePath: "\(Repository.vectorsPath)/\(cases.fileName)"), encoding: .utf8)
        let made = cases.fileText
        guard made != committed else { return }
        let lines = zip(made.split(separator: "\n"), committed.split(separator: "\n"))
        let first = lines.enumerated().first { $1.0 != $1.1 }
        Issue.record("line \(first?.offset ?? 0): made \(first?.element.0 ?? ""), committed \(first?.element.1 ?? "")")
    }
}
