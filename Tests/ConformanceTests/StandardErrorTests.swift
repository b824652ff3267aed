import TestPeers
import Testing

@testable import Conformance

@Suite("What a peer writes to standard error", .timeLimit(.minutes(5)))
struct StandardErrorTests {
    @Test("is kept as its last lines")
    func lines() {
        let tail = StandardErrorTail()
        #expect(tail.lines.isEmpty)
        tail.put(Array("a\r\n\n".utf8))
        tail.put(Array("b".utf8))
        tail.put(Array("c\n\u{1B}[31m d".utf8) + [0xFF])
        #expect(tail.lines == ["a", "bc", "\u{1B}[31m d\u{FFFD}"])
        for number in 0..<100 { tail.put(Array("line \(number)\n".utf8)) }
        #expect(tail.lines == (80..<100).map { "line \($0)" })
    }

    @Test("is bounded, however long a line is")
    func bytes() {
        let tail = StandardErrorTail()
        for _ in 0..<1_000 { tail.put([UInt8](repeating: UInt8(ascii: "x"), count: 1_000)) }
        #expect(tail.lines == [String(repeating: "x", count: StandardErrorTail.byteLimit)])
    }

    @Test("comes with what deviates or is inconclusive", arguments: ["exit 0", "sleep 600 & exit 0"])
    func inResults(end: String) async throws {
        let script = ["sh", "-c", "echo out; echo oops-peer-broke >&2; \(end)"]
        let deviating = try await JudgingTests.result(.authenticator, JudgingTests.refusal, script)
        #expect(deviating.standardError == ["oops-peer-broke"])
        let other = try await JudgingTests.result(
            .authenticator, JudgingTests.refusal, ["sh", "-c", "echo oops-peer-broke >&2; exit 1"])
        guard case .inconclusive = other.verdict else {
            Issue.record("\(other.verdict)")
            return
        }
        #expect(other.standardError == ["oops-peer-broke"])
    }

    static let parser = """
        import sys, xml.etree.ElementTree as tree
        suite = tree.fromstring(sys.argv[1].encode())
        print(suite.attrib["tests"], suite.attrib["failures"], suite.attrib.get("errors"))
        for case in suite:
            print(case.attrib["name"], *[part.tag for part in case], repr(case.findtext("system-err")))
        """

    @Test("is in the JUnit file, with everything escaped that could steer a terminal")
    func junit() async throws {
        var report = ConformanceReport()
        var result = ReportTests.result("wrong", .deviates("x"))
        result.standardError = ["<a> & \u{1B}[31m", "\u{9B}b \u{202E}"]
        report.add(result)
        let (status, lines) = try await ChildProcess.run(["python3", "-c", Self.parser, report.junit(named: "s")])
        #expect(status == 0)
        #expect(lines.first == "1 1 0")
        let last = try #require(lines.last)
        #expect(last.hasPrefix("wrong failure system-err"))
        #expect(last.contains(#""<a> & \\u001b[31m"\n"\\u009bb \\u202e""#))
    }

    @Test("is in the JUnit file of a run in which nothing was judged, which is not green")
    func notJudged() async throws {
        let text = ConformanceReport.junit(named: "<s>", notJudged: "a < b", standardError: ["oops"])
        let (status, lines) = try await ChildProcess.run(["python3", "-c", Self.parser, text])
        #expect(status == 0)
        #expect(lines == ["1 0 1", #"preflight error system-err '"oops"'"#])
    }
}
