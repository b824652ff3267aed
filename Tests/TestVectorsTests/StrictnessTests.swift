import Encodings
import Foundation
import Testing

@testable import Conformance

/// A file of vectors has the fields that its schema asks for, and no others: a misspelt or forgotten field is not
/// a passed case.
@Suite("A strict reader of vectors") struct StrictnessTests {
    /// One case of each operation and outcome, with its file's layer.
    static func cases() -> [(layer: String, row: [String: Any])] {
        var found: [String: (String, [String: Any])] = [:]
        let files = Repository.vectorPaths.flatMap { path in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return names.sorted().map { "\(path)/\($0)" }
        }
        for file in files where file.hasSuffix(".json") {
            guard let data = FileManager.default.contents(atPath: file),
                let file = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
                let layer = file["layer"] as? String, let rows = file["cases"] as? [[String: Any]]
            else { continue }
            for row in rows {
                let key = "\(row["operation"] ?? "")/\(row["result"] ?? "")"
                if found[key] == nil { found[key] = (layer, row) }
            }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.value.0, $0.value.1) }
    }

    /// The complaint of a check of a directory with this one case; nil if there is none.
    static func complaint(
        _ layer: String, _ row: [String: Any], version: Int = 5, extra: [String: Any] = [:],
        edit: (String) -> String = { $0 }
    ) throws -> String? {
        let file = ["layer": layer, "version": version, "about": "x", "cases": [row]].merging(extra) { $1 }
        let text = edit(String(decoding: try JSONSerialization.data(withJSONObject: file), as: UTF8.self))
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("strict-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data(text.utf8).write(to: directory.appendingPathComponent("one.json"))
        do throws(VectorError) {
            let report = try VectorDirectory(path: directory.path).check()
            guard let failure = report.files.first?.failures.first else { return nil }
            return "one.json: \(failure.id): \(failure.reason)"
        } catch {
            return error.reason
        }
    }

    /// Demands that a changed case is complained of, with its file, its name and the field.
    static func refuses(
        _ layer: String, _ row: [String: Any], _ field: String, location: SourceLocation = #_sourceLocation
    ) throws {
        let complaint = try complaint(layer, row) ?? "nothing"
        let id = row["id"] as? String ?? "a case"
        let isNamed =
            complaint.contains("one.json") && complaint.contains(field) && (field == "id" || complaint.contains(id))
        #expect(isNamed, "\(row["operation"] ?? ""), \(field): \(complaint)", sourceLocation: location)
    }

    @Test("takes one case of each operation and outcome as it is")
    func whole() throws {
        #expect(Self.cases().count > 80)
        #expect(Set(Self.cases().compactMap { $0.row["operation"] as? String }) == Set(OperationFields.all.keys))
        for (layer, row) in Self.cases() {
            let complaint = try Self.complaint(layer, row)
            #expect(complaint == nil, "\(complaint ?? "")")
        }
    }

    @Test("refuses a case without any one of its parts, or with one more")
    func parts() throws {
        for (layer, row) in Self.cases() {
            for name in ["id", "comment", "operation", "rule", "certainty", "input", "result", "expected", "failure"] {
                var less = row
                guard less.removeValue(forKey: name) != nil else { continue }
                if ["expected", "failure"].contains(name) {
                    #expect(try Self.complaint(layer, less)?.contains(row["id"] as? String ?? "?") == true)
                } else {
                    try Self.refuses(layer, less, name)
                }
            }
            try Self.refuses(layer, row.merging(["misspelt": 1]) { $1 }, "misspelt")
        }
    }

    @Test("refuses each omission of a field of the input or of what is expected, and each field that is unknown there")
    func fields() throws {
        var count = 0
        for (layer, row) in Self.cases() {
            let names = try #require(OperationFields.of(row["operation"] as? String ?? ""))
            for part in ["input", "expected"] {
                guard let fields = row[part] as? [String: Any] else { continue }
                for name in fields.keys where part == "expected" || names.inputs[name] == true {
                    var less = fields
                    less.removeValue(forKey: name)
                    try Self.refuses(layer, row.merging([part: less]) { $1 }, name)
                    count += 1
                }
                let more = fields.merging(["misspelt": "00"]) { $1 }
                try Self.refuses(layer, row.merging([part: more]) { $1 }, "misspelt")
            }
        }
        #expect(count > 250, "\(count)")
    }

    @Test(
        "refuses two members of one name, wherever they stand",
        arguments: ["version", "id", "rule", "input", "comment"])
    func duplicates(name: String) throws {
        let (layer, row) = try #require(Self.cases().first)
        let complaint = try Self.complaint(layer, row) { text in
            text.replacingOccurrences(of: "\"\(name)\":", with: "\"\(name)\":0,\"\(name)\":")
        }
        let isTold = complaint?.hasPrefix("one.json: a second member of the same name at byte ") == true
        #expect(isTold, "\(complaint ?? "nothing")")
    }

    @Test("refuses other versions, and unknown parts of a file", arguments: [0, 1, 2, 3, 4, 6])
    func versions(version: Int) throws {
        let (layer, row) = try #require(Self.cases().first)
        #expect(try Self.complaint(layer, row, version: version) == "one.json: the version \(version) is not known")
        let more = try Self.complaint(layer, row, extra: ["misspelt": 1])
        #expect(more == "one.json: the file has misspelt, which is not known there")
    }

    @Test("knows the same fields as the schema")
    func schema() throws {
        var seen: Set<String> = []
        for layer in VectorFile.layers {
            let data = try #require(
                Repository.vectorPaths.compactMap { path in
                    FileManager.default.contents(atPath: "\(path)/schema/\(layer).schema.json")
                }.first)
            let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let items = ((schema["properties"] as? [String: Any])?["cases"] as? [String: Any])?["items"]
            for rule in (items as? [String: Any])?["allOf"] as? [[String: Any]] ?? [] {
                let condition = (rule["if"] as? [String: Any])?["properties"] as? [String: [String: Any]]
                let then = (rule["then"] as? [String: Any])?["properties"] as? [String: [String: Any]]
                let operation = try #require(condition?["operation"]?["const"] as? String)
                let fields = try #require(OperationFields.of(operation), "\(operation)")
                #expect(Self.names(then?["input"]) == fields.inputs, "\(operation)")
                #expect(Self.names(then?["expected"]) == fields.outputs, "\(operation)")
                seen.insert(operation)
            }
        }
        #expect(seen == Set(OperationFields.all.keys))
    }

    private static func names(_ schema: [String: Any]?) -> OperationFields.Names {
        let required = schema?["required"] as? [String] ?? []
        let names = (schema?["properties"] as? [String: Any] ?? [:]).keys
        return Dictionary(uniqueKeysWithValues: names.map { ($0, required.contains($0)) })
    }
}
