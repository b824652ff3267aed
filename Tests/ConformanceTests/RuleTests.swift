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
            let isObservation = testCase.requirement.hasPrefix("whether the \(subject) does ")
            #expect(isObservation == testCase.isObservation, "\(testCase.id): \(testCase.requirement)")
            #expect(isRequirement != isObservation, "\(testCase.id): \(testCase.requirement)")
        }
    }

    @Test("belong to cases that name a rule of the reference")
    func rules() {
        for testCase in Self.cases { #expect(!testCase.rule.sentence.isEmpty, "\(testCase.id): \(testCase.rule.id)") }
    }

    @Test("have one word of strength, their rule's, and an observation none")
    func strengths() {
        for testCase in Self.cases {
            let words = testCase.requirement.split(separator: " ").filter { ["MUST", "SHOULD", "MAY"].contains($0) }
            let wanted = testCase.isObservation ? [] : [testCase.rule.strength.affirmative.rawValue[...]]
            #expect(words == wanted, "\(testCase.id): \(testCase.requirement)")
        }
    }

    @Test(
        "are observed where right implementations differ",
        arguments: [
            "authenticator/code/known-domains-negative", "authenticator/code/linking-number",
            "authenticator/upgrade/http-1.0", "client/linked-upgrade/http-1.0", "client/upgrade/http-1.0",
        ])
    func observations(id: String) throws {
        #expect(try #require(Self.cases.first { $0.id == id }).isObserved(holdingPolicies: true))
    }

    @Test("belong to cases with different IDs")
    func ids() {
        #expect(Set(Self.cases.map(\.id)).count == Self.cases.count)
    }
}
