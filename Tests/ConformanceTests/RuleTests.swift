import Testing

@testable import Conformance

@Suite("The rules that the cases print")
struct RuleTests {
    static let cases =
        ConformanceRunner.authenticatorCases + ConformanceRunner.clientCases + ConformanceRunner.tunnelServiceCases

    @Test("are requirements in the words of RFC 2119, each with its subject, on a line of 110 characters at most")
    func requirements() {
        for testCase in Self.cases {
            #expect(testCase.rule.wholeMatch(of: /[^\n]{20,110}/) != nil, "\(testCase.id): \(testCase.rule)")
            let subject = testCase.id.hasPrefix("tunnel-service") ? "tunnel service" : testCase.id.prefix { $0 != "/" }
            let isRequirement = ["MUST ", "SHOULD ", "MAY "].contains {
                testCase.rule.hasPrefix("the \(subject) \($0)")
            }
            #expect(isRequirement, "\(testCase.id): \(testCase.rule)")
        }
    }

    @Test("say MUST where a case judges, and SHOULD or MAY where it only observes")
    func verbs() {
        for testCase in Self.cases {
            #expect(
                testCase.rule.contains(" MUST ") == (testCase.certainty != .disputed),
                "\(testCase.id): \(testCase.rule)")
        }
    }

    @Test("belong to cases with different IDs")
    func ids() {
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }
}
