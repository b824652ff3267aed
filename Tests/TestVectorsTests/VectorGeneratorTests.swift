import Encodings
import Foundation
import Testing

@testable import Conformance

@Suite("The generator of vectors")
struct VectorGeneratorTests {
    @Test("makes the project's files again, byte for byte", arguments: Repository.vectorPaths)
    func sameBytes(path: String) throws {
        let files = try VectorGenerator(path: path).files()
        #expect(!files.isEmpty)
        for file in files { #expect(file.isUnchanged, "\(file.name)") }
    }

    @Test("replaces an outcome that is not this implementation's, and nothing else")
    func replaces() throws {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "vectors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let name = "qr-digits.json"
        let right = try String(contentsOf: URL(filePath: "\(Repository.vectorsPath)/\(name)"), encoding: .utf8)
        let (outcome, other) = (#""failure": "non-digit""#, #""failure": "bad-tag""#)
        #expect(right.contains(outcome))
        try right.replacing(outcome, with: other).write(
            to: scratch.appending(path: name), atomically: true, encoding: .utf8)
        let file = try #require(try VectorGenerator(path: scratch.path()).files().first)
        #expect(!file.isUnchanged)
        #expect(file.text == right)
    }

    @Test("keeps the order of keys, and writes every character in ASCII")
    func writes() throws {
        let text = #"{"b": [1, -2, true, null, {}, []], "a": "é\u0007\"\\\n😀"}"#
        let value = try JSONValue(parsing: text)
        let expected = """
            {
             "b": [
              1,
              -2,
              true,
              null,
              {},
              []
             ],
             "a": "\\u00e9\\u0007\\"\\\\\\n\\ud83d\\ude00"
            }

            """
        #expect(value.fileText == expected)
        #expect(try JSONValue(parsing: expected) == value)
    }
}
