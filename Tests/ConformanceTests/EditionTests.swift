import Testing

@testable import Conformance

@Suite("The edition of CTAP that a peer shows", .timeLimit(.minutes(5)))
struct EditionTests {
    /// The verdict on a case of a rule with a peer that complies.
    static func verdict(rule: String, _ edition: Rule.Edition?) async throws -> Verdict {
        let testCase = ConformanceCase(id: "client/group/a", rule: rule, demand: "comply", kind: .behaves)
        let runner = CaseRunner<String>(limit: .seconds(60), edition: edition) { _, script in try await script("") }
        return try await runner.run(ScriptedCase(testCase: testCase) { _ in }).verdict
    }

    @Test("leaves out the rules of another edition alone, and says so")
    func skips() async throws {
        let reason = "the peer shows CTAP 2.2, and the rule is of CTAP 2.3 alone"
        #expect(try await Self.verdict(rule: "HT-BLE-4", .ctap22) == .skipped(reason))
        for edition in [Rule.Edition.ctap23, nil] {
            #expect(try await Self.verdict(rule: "HT-BLE-4", edition) == .passed)
        }
        for edition in Rule.Edition.allCases {
            #expect(try await Self.verdict(rule: "HT-QR-1", edition) == .passed)
            // A rule of no edition binds everybody.
            #expect(try await Self.verdict(rule: "TS-CON-4", edition) == .observed("complies"))
        }
    }

    @Test(
        "is in a client's QR code",
        arguments: [
            ("02020300" + "04f4" + "05626d63", 6, Rule.Edition.ctap22),
            // The bool of caBLE v2.1 in key 6.
            ("02020300" + "04f4" + "05626d63" + "06f5", 7, .ctap22),
            ("02020300" + "04f4" + "05626d63" + "06820001", 7, .ctap23),
            ("02020300" + "04f4" + "0563646370", 6, .ctap23),
        ])
    func client(rest: String, count: Int, edition: Rule.Edition) async throws {
        let command = JudgingTests.client(rest, count, "sys.exit(1)")
        let settings = ProgramSettings(
            command: CommandTemplate(command), timeout: .seconds(20), radio: .simulated)
        #expect(try await ConformanceRunner.preflightClient(settings).edition == edition)
    }

    @Test("is the latest of what an authenticator shows")
    func latest() {
        let record = CaseRecord()
        #expect(record.edition == nil)
        for (edition, latest) in [(Rule.Edition.ctap22, Rule.Edition.ctap22), (.ctap23, .ctap23), (.ctap22, .ctap23)] {
            record.note(edition: edition)
            #expect(record.edition == latest)
        }
    }

    @Test("is 2.3 for what came with that, and both for everything else of the field")
    func marks() {
        let field = Rule.all.filter { $0.id.hasPrefix("HT-") }
        for id in ["HT-ADV-25", "HT-BLE-1", "HT-DC-1", "HT-MSG-9", "HT-QR-44"] {
            #expect(Rule.find(id)?.editions == [.ctap23], "\(id)")
        }
        #expect(field.allSatisfy { $0.editions == [.ctap23] || $0.editions == [.ctap22, .ctap23] })
        #expect(Rule.all.filter { !$0.id.hasPrefix("HT-") }.allSatisfy { $0.editions.isEmpty })
    }
}
