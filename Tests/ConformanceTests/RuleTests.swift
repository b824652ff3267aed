import Testing

@testable import Conformance

@Suite("The requirements that the cases print")
struct RuleTests {
    static let cases =
        ConformanceRunner.authenticatorCases + ConformanceRunner.clientCases + ConformanceRunner.tunnelServiceCases

    @Test("are requirements in the words of RFC 2119, each with its subject, on a line of 110 characters at most")
    func requirements() {
        for testCase in Self.cases {
            #expect(
                testCase.requirement.wholeMatch(of: /[^\n]{20,110}/) != nil, "\(testCase.id): \(testCase.requirement)")
            let subject = testCase.id.hasPrefix("tunnel-service") ? "tunnel service" : testCase.id.prefix { $0 != "/" }
            let isRequirement = ["MUST ", "SHOULD ", "MAY "].contains {
                testCase.requirement.hasPrefix("the \(subject) \($0)")
            }
            #expect(isRequirement, "\(testCase.id): \(testCase.requirement)")
        }
    }

    @Test("belong to cases that name a rule of the reference")
    func rules() {
        for testCase in Self.cases { #expect(!testCase.rule.sentence.isEmpty, "\(testCase.id): \(testCase.rule.id)") }
    }

    @Test("say MUST only where their rule does, and not where a case only observes")
    func verbs() {
        for testCase in Self.cases where testCase.requirement.contains(" MUST ") {
            #expect(testCase.certainty != .disputed, "\(testCase.id): \(testCase.requirement)")
            #expect(
                testCase.rule.sentence.contains(" MUST "),
                "\(testCase.id): \(testCase.requirement); \(testCase.rule.id): \(testCase.rule.sentence)")
        }
    }

    @Test("are not certain where their rules are second-hand or disputed")
    func certainties() {
        for testCase in Self.cases where testCase.certainty == .certain {
            let certainty = Rule.find(testCase.rule.id)?.certainty
            #expect(certainty != .secondHand && certainty != .disputed, "\(testCase.id): \(testCase.rule.id)")
        }
    }

    @Test(
        "are observed where right implementations differ",
        arguments: [
            "authenticator/code/known-domains-negative", "authenticator/code/linking-number",
            "authenticator/upgrade/http-1.0", "client/linked-upgrade/http-1.0", "client/upgrade/http-1.0",
        ])
    func observations(id: String) throws {
        #expect(try #require(Self.cases.first { $0.id == id }).certainty == .disputed)
    }

    @Test("belong to cases with different IDs")
    func ids() {
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }
}
