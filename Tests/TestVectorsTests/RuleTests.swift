import Encodings
import Foundation
import Testing

@testable import Conformance

/// The rules in the program are those of `Vectors/rules.json`.
@Suite struct RuleTests {
    private let published: [JSONValue]

    init() throws {
        let text = try String(contentsOfFile: Repository.vectorsPath + "/rules.json", encoding: .utf8)
        published = try #require(try JSONValue(parsing: text)["rules"]?.arrayValue)
    }

    @Test func eachPublishedRuleIsThere() {
        #expect(!published.isEmpty)
        let members = ["id", "sentence", "strength", "certainty", "sources", "article"]
        let rows = Rule.all.map {
            [$0.id, $0.sentence, $0.strength.rawValue, $0.certainty.rawValue, $0.sources, $0.article]
        }
        #expect(rows == published.map { row in members.map { row[$0]?.stringValue } })
    }

    @Test func eachRuleIsFoundByItsID() {
        #expect(Rule.all.allSatisfy { Rule.find($0.id) == $0 })
        #expect(Rule.find("HT-ADV-") == nil)
    }
}
