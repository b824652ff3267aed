import Synchronization
import Testing

@testable import Conformance

@Suite("A control case", .timeLimit(.minutes(5)))
struct ControlCaseTests {
    @Test("is a case of the same role that demands a behaviour, for each refusal and each survival")
    func controls() {
        let all =
            ConformanceRunner.authenticatorCases + ConformanceRunner.clientCases + ConformanceRunner.tunnelServiceCases
        let behaving = Set(all.filter { $0.kind == .behaves }.map(\.id))
        for testCase in all where testCase.kind != .behaves {
            let control = testCase.controlCase ?? ""
            #expect(behaving.contains(control), "\(testCase.id)")
            #expect(control.split(separator: "/").first == testCase.id.split(separator: "/").first)
        }
        #expect(all.allSatisfy { $0.kind != .behaves || $0.controlCase == nil })
    }

    /// The report of a run.
    struct Run {
        var results: [String: CaseResult] = [:]
        var controlCount = 0
    }

    /// Behaviour of a scripted peer in a case: nothing wrong, or the error that the script throws. Scripts are numbered
    /// in the order in which they run, from 0.
    typealias Behaviour = @Sendable (_ id: String, _ number: Int) -> (any Error)?

    static let control = "authenticator/code/makes-passkey"

    /// Runs refusals of a scripted peer.
    static func run(_ count: Int, jobs: Int = 1, _ behaviour: @escaping Behaviour) async throws -> Run {
        let number = Mutex(0)
        let script: ScriptedCase<String>.Script = { id in
            let number = number.withLock { number in
                defer { number += 1 }
                return number
            }
            if let error = behaviour(id, number) { throw error }
        }
        func scripted(_ id: String, _ kind: ConformanceCase.Kind) -> ScriptedCase<String> {
            let testCase = ConformanceCase(id: id, rule: "HT-QR-1", demand: "refuse", kind: kind)
            return ScriptedCase(testCase: testCase) { _ in try await script(id) }
        }
        let cases = (0..<count).map { scripted("authenticator/code/refusal-\($0)", .refuses) }
        let runner = CaseRunner<String>(limit: .seconds(60)) { _, script in try await script("") }
        let outcome = Mutex(Run())
        try await ControlledRun(cases, controls: [scripted(control, .behaves)], runner).run(
            jobs: jobs,
            report: { result in outcome.withLock { $0.results[result.testCase.id] = result } },
            noteControl: { _ in outcome.withLock { $0.controlCount += 1 } })
        return outcome.withLock { $0 }
    }

    @Test("runs before the first refusal, and again after each 25", arguments: [(1, 2), (25, 2), (26, 3), (75, 4)])
    func count(caseCount: Int, controlCount: Int) async throws {
        let run = try await Self.run(caseCount, jobs: 3) { _, _ in nil }
        #expect(run.controlCount == controlCount)
        #expect(run.results.count == caseCount)
        #expect(run.results.values.allSatisfy { $0.verdict == .passed && $0.grade == .held })
    }

    @Test("that never succeeds leaves nothing to say of any refusal")
    func never() async throws {
        let run = try await Self.run(30) { id, _ in id == Self.control ? Deviation("it sleeps") : nil }
        #expect(run.results.count == 30)
        for result in run.results.values {
            #expect(
                result.verdict
                    == .inconclusive("without the mistake the peer fails too, in \(Self.control): it sleeps"))
            #expect(result.grade == nil)
        }
    }

    @Test("that fails once has its block run again case by case, and what then stands between two good ones counts")
    func once() async throws {
        // The control case is number 0, the refusals are 1 to 5, and the control case again is 6.
        let run = try await Self.run(5) { id, number in
            id == Self.control && number == 6 ? Deviation("it is tired") : nil
        }
        #expect(run.results.count == 5)
        #expect(run.results.values.allSatisfy { $0.verdict == .passed })
        #expect(run.controlCount == 2 + 6)
    }

    @Test("that fails after a refusal in the second round leaves that one inconclusive, and no other")
    func again() async throws {
        // Numbers 0 to 6 are the first round, 7 is the control case, 8 a refusal, 9 the control case.
        let run = try await Self.run(5) { id, number in
            id == Self.control && [6, 9].contains(number) ? Deviation("it is tired") : nil
        }
        #expect(run.results.values.count { $0.verdict == .passed } == 4)
        guard case .inconclusive = run.results["authenticator/code/refusal-0"]?.verdict else {
            Issue.record("\(run.results)")
            return
        }
    }

    @Test("never hides a deviation", arguments: [[6], [3, 6], [0, 3, 4, 5]])
    func deviation(failures: [Int]) async throws {
        let run = try await Self.run(2) { id, number in
            guard id == Self.control else { return Deviation("it takes it") }
            return failures.contains(number) ? Deviation("it is tired") : nil
        }
        #expect(run.results.count == 2)
        #expect(run.results.values.allSatisfy { $0.verdict == .deviates("it takes it") && $0.grade == .fails })
    }

    @Test("that cannot be run leaves its refusals skipped")
    func skipped() async throws {
        let run = try await Self.run(2) { id, _ in
            id == Self.control ? NotApplicable("no links", needs: .linkCommand) : nil
        }
        #expect(run.results.values.allSatisfy { $0.verdict == .skipped("no links", needs: .linkCommand) })
    }

    @Test("stands beside a refusal in another way, which is conceptually passed")
    func spirit() async throws {
        let run = try await Self.run(1) { id, _ in id == Self.control ? nil : OtherWay("it disconnects") }
        let result = try #require(run.results.values.first)
        #expect(result.verdict == .passed)
        #expect(result.grade == .conceptuallyPassed)
        #expect(result.otherWay == "it disconnects")
    }

    @Test("is missed by programs that are not authenticators", arguments: ["exit 1", "exec sleep 600", "exit 0"])
    func noAuthenticator(text: String) async throws {
        let settings = ProgramSettings(
            command: CommandTemplate(["sh", "-c", text]), timeout: .seconds(1), radio: .simulated)
        let results = Mutex<[CaseResult]>([])
        try await ConformanceRunner.testAuthenticator(
            settings, jobs: 4, where: { $0.kind == .refuses && $0.id.hasPrefix("authenticator/code") },
            report: { result in results.withLock { $0.append(result) } })
        let verdicts = results.withLock { $0 }
        #expect(verdicts.count > 60)
        #expect(!verdicts.contains { $0.verdict.isGood })
    }
}
