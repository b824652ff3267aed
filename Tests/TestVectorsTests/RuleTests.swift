import Encodings
import Foundation
import Testing

@testable import Conformance

/// The rules in the program are those of the files `rules.json` in `Vectors`.
@Suite struct RuleTests {
    private let published: [JSONValue]

    init() throws {
        published = try ["", "/passkey-exchange", "/tunnel-service"].flatMap { folder in
            let text = try String(contentsOfFile: Repository.vectorsPath + folder + "/rules.json", encoding: .utf8)
            return try #require(try JSONValue(parsing: text)["rules"]?.arrayValue)
        }
    }

    @Test func eachPublishedRuleIsThere() {
        #expect(!published.isEmpty)
        let members = ["id", "sentence", "strength", "certainty", "sources", "article"]
        let rows = Rule.all.map {
            [$0.id, $0.sentence, $0.strength.rawValue, $0.certainty.rawValue, $0.sources, $0.article]
        }
        #expect(rows == published.map { row in members.map { row[$0]?.stringValue } })
        let editions = published.map { $0["editions"]?.arrayValue?.map(\.stringValue) }
        #expect(Rule.all.map { $0.editions.map(\.rawValue) } == editions)
    }

    @Test func eachRuleIsFoundByItsID() {
        #expect(Rule.all.allSatisfy { Rule.find($0.id) == $0 })
        #expect(Rule.find("HT-ADV-") == nil)
        #expect(Rule.find("HT-HOV-\(3)")?.id == "PX-HOV-3" && Rule.find("HT-CON-\(30)")?.id == "TS-CON-30")
        #expect(Rule.find("HT-CON-31")?.module == "HybridProtocol")
    }
}
