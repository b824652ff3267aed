import Conformance
import Encodings
import Foundation
import Testing

/// A directory of vectors is read whole, or refused with the reason.
@Suite("VectorDirectory") struct VectorDirectoryTests {
    @Test(
        "our own directories hold, and say how many cases each file has",
        arguments: zip(Repository.vectorPaths, [2000, 50]))
    func ours(path: String, leastCount: Int) throws {
        var lines: [String] = []
        let directory = try VectorDirectory(path: path)
        let report = try directory.check { lines.append($0.description) }
        #expect(report.hasPassed, "\(report)")
        #expect(report.caseCount == directory.files.flatMap(\.cases).count)
        #expect(report.caseCount >= leastCount)
        #expect(report.passedCount + report.notOfferedCount == report.caseCount)
        #expect(lines.count == report.files.count)
        #expect(Set(report.files.map(\.layer)).count == report.files.count, "one file a layer")
    }

    @Test("every layer has refusals, except where nothing can be refused", arguments: Repository.vectorPaths)
    func everyLayerRefuses(path: String) throws {
        for file in try VectorDirectory(path: path).files {
            let refusals = file.cases.filter { if case .failure = $0.expectation { true } else { false } }
            let cannotFail = file.layer == "l2cap"
            #expect(refusals.isEmpty == cannotFail, "\(file.name)")
        }
    }

    @Test("a case that does not hold is reported under its identifier")
    func reportsFailures() throws {
        let directory = try Scratch(["a.json": file([digits("a-1", result: #""valid", "expected": {"bytes": "01"}"#)])])
        let report = try VectorDirectory(path: directory.path).check()
        #expect(!report.hasPassed)
        #expect(report.files.first?.failures.map(\.id) == ["a-1"])
        #expect(report.description.contains("bytes is \"00\", but \"01\" was expected"))
    }

    @Test("a directory that is not there cannot be read")
    func missingDirectory() {
        #expect(throws: VectorError(.unreadable, reason: "")) {
            try VectorDirectory(path: Repository.vectorsPath + "/not-there")
        }
    }

    @Test(
        "what is not understood is refused, and never passed over",
        arguments: [
            (["a.json": "{"], VectorError.Code.malformedFile),
            (["a.json": "[]"], .malformedFile),
            (["a.json": #"{"layer": "cbor", "layer": "cbor"}"#], .malformedFile),
            (["a.json": file([#"{"id": "a-1"}"#])], .malformedFile),
            (["a.json": file([])], .malformedFile),
            ([:], .noVectors),
            (["README.md": "nothing"], .noVectors),
            (["a.json": file([good("a-1")], layer: "quantum")], .unknownLayer),
            (["a.json": file([good("a-1")], layer: "advert")], .unknownOperation),
            (["a.json": file([good("a-1", operation: "digits.invent")])], .unknownOperation),
            (["a.json": file([digits("a-1", result: #""invalid""#)])], .malformedCase),
            (["a.json": file([digits("a-1", result: #""invalid", "failure": """#)])], .malformedCase),
            (["a.json": file([digits("a-1", result: #""valid""#)])], .malformedCase),
            (["a.json": file([digits("a-1", result: #""valid", "expected": {}"#)])], .malformedCase),
            (
                [
                    "a.json": file([
                        digits("a-1", result: #""valid", "expected": {"bytes": "00"}, "failure": "non-digit""#)
                    ])
                ], .malformedCase
            ),
            (["a.json": file([digits("a-1", result: #""acceptable", "expected": {"bytes": "00"}"#)])], .malformedCase),
            (["a.json": file([good("a-1"), good("a-1")])], .malformedCase),
            (["a.json": file([good("a-1")]), "b.json": file([good("a-1")])], .malformedCase),
            (["a.json": file([good("a-1")]), "index.json": "{}"], .malformedFile),
            (["a.json": file([good("a-1")]), "index.json": #"{"files": []}"#], .indexMismatch),
            (
                ["a.json": file([good("a-1")]), "index.json": #"{"files": [{"file": "a.json", "cases": 2}]}"#],
                .indexMismatch
            ),
            (
                [
                    "a.json": file([good("a-1")]),
                    "index.json": #"{"files": [{"file": "a.json", "cases": 1}, {"file": "b.json", "cases": 1}]}"#,
                ], .indexMismatch
            ),
        ])
    func refuses(_ files: [String: String], _ code: VectorError.Code) throws {
        let directory = try Scratch(files)
        #expect(throws: VectorError(code, reason: "")) { try VectorDirectory(path: directory.path) }
    }

    @Test(
        "an input that does not fit its operation is a fault of the file",
        arguments: [
            #"{}"#, #"{"digits": 12}"#, #"{"digits": null}"#, #"{"digits": ["000"]}"#,
        ])
    func refusesInput(_ input: String) throws {
        let text = #"{"id": "a-1", "comment": "", "operation": "digits.decode", \#(citation), "input": \#(input), "#
        let directory = try Scratch(["a.json": file([text + #""result": "invalid", "failure": "non-digit"}"#])])
        #expect(throws: VectorError(.malformedCase, reason: "")) {
            try VectorDirectory(path: directory.path).check()
        }
    }
}

private func file(_ cases: [String], layer: String = "qr-digits") -> String {
    #"{"layer": "\#(layer)", "version": 5, "about": "", "cases": [\#(cases.joined(separator: ","))]}"#
}

private let citation = #""rule": "HT-QR-1", "certainty": "certain""#

private func digits(_ id: String, operation: String = "digits.decode", result: String) -> String {
    #"{"id": "\#(id)", "comment": "", "operation": "\#(operation)", \#(citation), "input": {"digits": "000"}, "#
        + #""result": \#(result)}"#
}

private func good(_ id: String, operation: String = "digits.decode") -> String {
    digits(id, operation: operation, result: #""valid", "expected": {"bytes": "00"}"#)
}

/// A directory that is removed when the test ends.
private final class Scratch: Sendable {
    let path: String

    init(_ files: [String: String]) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("vectors-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: directory.appendingPathComponent(name)) }
        path = directory.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
