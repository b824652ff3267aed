import Encodings
import TestPeers
import Testing

@testable import Conformance

@Suite("The command of a case")
struct CommandTemplateTests {
    static let values = CommandTemplate.Values(
        url: "FIDO:/1", tunnel: "wss://localhost:1", radio: "udp:127.0.0.1:2", authority: "/ca.pem", directory: "/d")

    @Test("has the case's values in their places, also inside of a word, and the URL last where it has no place")
    func filled() {
        let words = ["x", "--tunnel={tunnel}", "{radio}{radio}", "{ca}", "{dir}/state", "{other}"]
        let filled = [
            "x", "--tunnel=wss://localhost:1", "udp:127.0.0.1:2udp:127.0.0.1:2", "/ca.pem", "/d/state", "{other}",
        ]
        #expect(CommandTemplate(words).filled(Self.values) == filled + ["FIDO:/1"])
        #expect(CommandTemplate(words, urlOnStandardInput: true).filled(Self.values) == filled)
        #expect(CommandTemplate(["x", "--qr={url}", "y"]).filled(Self.values) == ["x", "--qr=FIDO:/1", "y"])
        var client = Self.values
        client.url = nil
        #expect(CommandTemplate(["x"]).filled(client) == ["x"])
    }
}

@Suite("The file of known deviations")
struct KnownDeviationsTests {
    @Test("has an ID and a reason on each line, and may have empty lines and remarks")
    func reads() throws {
        let known = try KnownDeviations(parsing: "# remark\n\n  \na/b/c  it  is so \n\td/e\tthat\r\n")
        #expect(known.ids == ["a/b/c", "d/e"])
        #expect(known["a/b/c"] == "it is so")
        #expect(known["d/e"] == "that")
        #expect(known["a/b"] == nil)
    }

    @Test("has no line without a reason", arguments: ["a/b/c", "a/b/c   ", "# x\na/b/c y\nd/e"])
    func refuses(text: String) {
        #expect(throws: RunnerError(.invalidKnown, reason: "")) { _ = try KnownDeviations(parsing: text) }
    }
}

@Suite("The report of a run", .timeLimit(.minutes(5)))
struct ReportTests {
    static func result(_ name: String, _ verdict: Verdict) -> CaseResult {
        let testCase = ConformanceCase(
            id: "client/group/\(name)", rule: "HT-QR-1", demand: "a < b & \"c\" > 'd'", kind: .behaves)
        return CaseResult(testCase: testCase, verdict: verdict, duration: .milliseconds(1_500))
    }

    static func report() throws -> ConformanceReport {
        let known = try KnownDeviations(parsing: "client/group/known it is\nclient/group/mended it was")
        var report = ConformanceReport(known: known)
        for (name, verdict) in [
            ("right", .passed), ("wrong", .deviates("<&\">\u{0}\u{1B}[31m\n\u{FFFE}\u{FFFF}\u{1F600}]]>")),
            ("known", .deviates("x")), ("mended", .passed), ("seen", .observed("<y>")), ("left-out", .skipped("z & z")),
            ("unclear", .inconclusive("<z>")),
        ] as [(String, Verdict)] {
            report.add(result(name, verdict))
        }
        return report
    }

    @Test("counts each verdict once")
    func counts() throws {
        let report = try Self.report()
        #expect(report.results.count == 7)
        #expect(report.deviations.map(\.testCase.id) == ["client/group/wrong"])
        #expect(report.knownDeviations.map(\.testCase.id) == ["client/group/known"])
        #expect(report.inconclusive.map(\.testCase.id) == ["client/group/unclear"])
        #expect(report.repaired == ["client/group/mended"])
        #expect((report.passedCount, report.observedCount, report.skippedCount) == (2, 1, 1))
    }

    static let parser = """
        import sys, xml.etree.ElementTree as tree
        suite = tree.fromstring(sys.argv[1].encode())
        print(suite.attrib["name"], suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"])
        for case in suite:
            print(case.attrib["classname"], case.attrib["name"], case.attrib["time"], *[part.tag for part in case])
        """

    /// The schema of these files, above all that of Jenkins: elements, their attributes and their places.
    static let schema = """
        import re, sys, xml.etree.ElementTree as tree
        MESSAGE = ({"type", "message"}, set(), set())
        # Of each element: attributes, those that it must have, and children.
        SCHEMA = {
            "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
                {"name", "tests", "failures", "errors", "time", "hostname"}, {"properties", "testcase"}),
            "properties": (set(), set(), {"property"}), "property": ({"name", "value"}, {"name", "value"}, set()),
            "testcase": ({"name", "classname", "time"}, {"name", "classname", "time"},
                {"skipped", "error", "failure", "system-out", "system-err"}),
            "skipped": MESSAGE, "error": MESSAGE, "failure": MESSAGE, "system-out": (set(),) * 3, "system-err": (set(),) * 3,
        }
        def check(element):
            allowed, needed, children = SCHEMA[element.tag]
            assert needed <= set(element.attrib) <= allowed, element.attrib
            assert {child.tag for child in element} <= children
            assert element.tag not in {"error", "failure"} or element.attrib["type"]
            for name in {"time"} & set(element.attrib): assert re.fullmatch(r"\\d+(\\.\\d+)?", element.attrib[name])
            for child in element: check(child)
        suite = tree.fromstring(sys.argv[1].encode())
        check(suite)
        assert suite.attrib["hostname"] == "localhost"
        assert re.fullmatch(r"\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d", suite.attrib["timestamp"])
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert [child.tag for child in suite].index("properties") == 0
        print(suite.attrib["time"], *(fact.attrib["name"] for fact in suite.iter("property")))
        """

    @Test("fits the schema of such files, with the time, the peer and the environment")
    func schema() async throws {
        let text = try Self.report().junit(named: "s", of: PublishedReportTests.run, duration: .milliseconds(61_250))
        let none = ConformanceReport.junit(
            named: "s", notJudged: "x", of: PublishedReportTests.run, standardError: ["y"])
        for (text, time) in [(text, "61.25"), (none, "0.0")] {
            let (status, lines) = try await ChildProcess.run(["python3", "-c", Self.schema, text])
            #expect(status == 0)
            #expect(lines == ["\(time) role peer version runner cases profile complete edition radio"])
        }
    }

    @Test("is XML that a foreign parser reads, whatever a peer has written")
    func junit() async throws {
        let text = try Self.report().junit(named: "a <suite> & more")
        let (status, lines) = try await ChildProcess.run(["python3", "-c", Self.parser, text])
        #expect(status == 0)
        #expect(
            lines == [
                "a <suite> & more 7 1 2", "client.group known 1.5 skipped", "client.group left-out 1.5 skipped",
                "client.group mended 1.5", "client.group right 1.5", "client.group seen 1.5 system-out",
                "client.group unclear 1.5 error", "client.group wrong 1.5 failure",
            ])
    }
}
