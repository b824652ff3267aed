import Encodings
import Foundation
import TestPeers
import Testing

@testable import Conformance

@Suite("A report to publish", .timeLimit(.minutes(5)))
struct PublishedReportTests {
    /// Markup, control characters, an override of the direction, a character that is none, and half of a page's end.
    static let hostile = "</pre><script>alert('1')</script>\"&amp; \u{1B}[31m\u{202E}\u{FFFE}\u{0} --> ]]>"

    static let run = RunDescription(
        role: .authenticator,
        peer: RunDescription.Peer(name: hostile, version: hostile, command: ["peer", hostile, "~/it's here/x"]),
        runnerVersion: "0.1.0", started: "2026-11-23T03:16:08Z",
        environment: [RunDescription.Fact("radio", hostile)],
        runnerWords: ["hybrid", "conformance", "authenticator", "--radio", "udp:"],
        selection: CaseSelection(
            of: .authenticator, plannedCount: ConformanceRunner.authenticatorCases.count), edition: .ctap23)

    static func result(_ testCase: ConformanceCase, _ number: Int) -> CaseResult {
        let verdicts: [Verdict] = [
            .passed, .deviates(hostile), .observed(hostile), .skipped(hostile), .inconclusive(hostile),
        ]
        var result = CaseResult(
            testCase: testCase, verdict: verdicts[number % verdicts.count], duration: .milliseconds(number))
        guard number % verdicts.count == 1 else { return result }
        result.standardError = [hostile, "second"]
        result.transcript = Transcript(
            entries: [
                Transcript.Entry(
                    time: .microseconds(1_250), direction: .received, channel: "tunnel", what: hostile, bytes: [1, 2],
                    more: 3)
            ], omittedCount: 0)
        return result
    }

    /// A run of all cases of a role, with every verdict.
    static func report(_ cases: [ConformanceCase] = ConformanceRunner.authenticatorCases) -> PublishedReport {
        var report = ConformanceReport(known: KnownDeviations(reasons: [cases[1].id: hostile]))
        for (number, testCase) in cases.enumerated() { report.add(result(testCase, number)) }
        var run = run
        run.selection.plannedCount = cases.count
        return PublishedReport(report, of: run, duration: .seconds(61))
    }

    @Test("is the same after it was written as JSON and read")
    func roundTrip() throws {
        let report = Self.report()
        #expect(try PublishedReport(parsing: Array(report.json.utf8)) == report)
    }

    @Test("has each case and each rule on a line of its own, in ASCII control characters nothing but line ends")
    func lines() {
        let report = Self.report()
        let lines = report.json.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("{\"id\":\"authenticator/") } == report.cases.count)
        #expect(
            report.json.unicodeScalars.allSatisfy {
                $0 == "\n" || !$0.properties.isDefaultIgnorableCodePoint && $0 >= " "
            })
    }

    /// Reads the page as a browser does, as far as that goes without one: each open element is closed, IDs are there
    /// once, links lead somewhere; then prints the counts.
    static let parser = """
        import collections, html.parser, sys
        VOID = {"meta", "br"}
        class Page(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.open, self.tags, self.ids, self.links, self.text = [], collections.Counter(), [], [], []
            def handle_starttag(self, tag, attributes):
                self.tags[tag] += 1
                if tag not in VOID: self.open.append(tag)
                for name, value in attributes:
                    assert not name.startswith("on"), name
                    if name == "id": self.ids.append(value)
                    if name == "href": self.links.append(value)
                    assert name not in ("src", "srcset"), name
            def handle_endtag(self, tag):
                assert self.open and self.open.pop() == tag, (tag, self.getpos())
            def handle_data(self, data): self.text.append(data)
        page = Page()
        page.feed(open(sys.argv[1], "rb").read().decode())
        page.close()
        assert not page.open, page.open
        assert len(set(page.ids)) == len(page.ids), [i for i, n in collections.Counter(page.ids).items() if n > 1]
        assert all(link[0] == "#" and link[1:] in page.ids for link in page.links), page.links
        allowed = {"html", "head", "meta", "title", "style", "body", "a", "header", "p", "h1", "bdi", "nav", "ul", "li", "main",
            "section", "h2", "h3", "div", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "span", "dl", "dt", "dd",
            "pre", "time", "article", "details", "summary", "br", "footer", "strong", "code"}
        assert set(page.tags) <= allowed, set(page.tags) - allowed
        print(page.tags["article"], page.tags["h1"], page.tags["caption"] - page.tags["table"], sum(
            "alert('1')" in text for text in page.text) > 0)
        """

    static func check(_ page: String) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString).html")
        try page.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let (status, lines) = try await ChildProcess.run(["python3", "-c", parser, file.path])
        #expect(status == 0, "\(lines)")
        return lines
    }

    @Test("is a well-formed page, in which what a peer wrote is text, and nothing else")
    func page() async throws {
        let report = Self.report()
        let findings = report.cases.count { $0.verdict == .deviates || $0.verdict == .inconclusive }
        #expect(try await Self.check(report.html) == ["\(findings) 1 0 True"])
        for sign in ["\u{1B}", "\u{202E}", "\u{0}", "\u{FFFE}", "<script"] { #expect(!report.html.contains(sign)) }
        #expect(report.html.contains(#"\u001b[31m\u202e\ufffe\u0000"#))
    }

    @Test("has each rule and each case once, and each deviation with all there is to it")
    func isComplete() {
        let report = Self.report()
        let page = report.html
        for rule in report.rules { #expect(page.ranges(of: "<tr id=\"\(rule.id)\">").count == 1) }
        let items = page.split(separator: "<li><span class=\"chip").dropFirst()
        for testCase in report.cases {
            #expect(items.count { $0.contains(">\(testCase.id)</") } == 1, "\(testCase.id)")
        }
        #expect(page.ranges(of: "<dt>Observed</dt>").count == page.ranges(of: "<dt>Expected</dt>").count)
        #expect(page.ranges(of: "<dt>Accepted</dt>").count == 1)
        #expect(
            page.ranges(of: "<code>0102… and 3 bytes more</code>").count
                == report.cases.count { !$0.transcript.isEmpty })
        #expect(Set(report.cases.map(\.rule)) == Set(report.rules.map(\.id)))
    }

    @Test("has the beginning and the end of a long transcript, and of each message the first bytes")
    func longTranscript() throws {
        var result = Self.result(ConformanceRunner.authenticatorCases[0], 1)
        let entries = (0..<300).map { number in
            Transcript.Entry(
                time: .milliseconds(number), direction: .sent, channel: "tunnel", what: "\(number)",
                bytes: [UInt8](repeating: 1, count: 500), more: 7)
        }
        result.transcript = Transcript(entries: entries, omittedCount: 40)
        var report = ConformanceReport()
        report.add(result)
        let published = PublishedReport(report, of: Self.run, duration: .zero)
        let kept = try #require(published.cases.first).transcript
        let head = (0..<75).map(String.init)
        let tail = (275..<300).map(String.init)
        let expected: [String] = head + ["240 entries are left out"] + tail
        #expect(kept.map(\.what) == expected)
        #expect(kept[0].hex.count == 2 * ((24 << 10) / 100))
        #expect(kept[0].more == 507 - (24 << 10) / 100)
        #expect(published.withoutTranscripts.cases.allSatisfy { $0.transcript.isEmpty && $0.standardError.isEmpty })
        #expect(try PublishedReport(parsing: Array(published.json.utf8)) == published)
    }

    @Test("repeats a case with a command that a shell reads as it was")
    func command() async throws {
        var run = Self.run
        // No word of a command has this one.
        run.peer.command = run.peer.command.map { $0.replacing("\u{0}", with: "") }
        let command = run.command(repeating: "authenticator/code/plain")
        let shown = command.replacing("hybrid conformance", with: #"printf '%s\n' conformance"#)
        let (_, lines) = try await ChildProcess.run(["sh", "-c", "HOME=/h; " + shown])
        #expect(
            lines.prefix(9) == [
                "conformance", "authenticator", "--radio", "udp:", "--jobs", "1", "--filter",
                "authenticator/code/plain", "--",
            ])
        #expect(lines.contains(run.peer.command[1]))
        #expect(lines.last == "/h/it's here/x")
    }

    @Test("says that it is of a run that was interrupted")
    func incomplete() throws {
        var report = Self.report()
        report.cases.removeLast()
        #expect(report.html.contains("Incomplete."))
        #expect(!Self.report().html.contains("Incomplete."))
        #expect(Self.report().html.contains("A verdict is not a certification"))
        let read = try PublishedReport(parsing: Array(report.json.utf8))
        #expect(!read.isComplete && !read.isFinished && read.run.selection.isWhole)
        #expect(Self.report().isComplete)
    }

    /// A run of the first ten cases, chosen by two texts.
    static func part() -> PublishedReport {
        var report = Self.report(Array(ConformanceRunner.authenticatorCases.prefix(10)))
        report.run.selection.filters = ["code/secret", "it's <b>"]
        return report
    }

    @Test("says of a run whose cases were chosen which they are, and is never complete")
    func selection() throws {
        let report = Self.part()
        let whole = ConformanceRunner.authenticatorCases.count
        let words = #"10 of \#(whole) cases, chosen by --filter code/secret --filter 'it'\''s <b>'"#
        #expect(report.run.selection.text == words)
        #expect(report.isFinished && !report.isComplete)
        let shown = words.replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("'", with: "&#39;")
        let page = report.html
        #expect(page.contains("</strong> The run has <bdi>\(shown)</bdi>."))
        #expect(page.contains(": 10 of \(whole) cases</bdi></h1>") && page.contains(": 10 of \(whole) cases</title>"))
        #expect(page.contains("<dt>Cases</dt><dd><bdi>\(shown)</bdi></dd>"))
        #expect(!Self.report().html.contains("chosen by"))
        let json = report.json
        for member in [#""planned":10,"#, "\"catalogue\":\(whole),", #""filters":["code/secret","it's <b>"],"#] {
            #expect(json.contains("\n\(member)\n"))
        }
        #expect(json.contains("\"complete\":false,\n"))
        #expect(json.contains(#""udp:","--filter","code/secret","--filter","it's <b>"]"#))
        #expect(try PublishedReport(parsing: Array(json.utf8)) == report)
        #expect(report.run.command(repeating: "x").contains(" --radio udp: --jobs 1 --filter x --"))
        // A filter that leaves nothing out today is one still.
        var all = Self.report()
        all.run.selection.filters = ["authenticator/"]
        #expect(!all.isComplete && all.html.contains("\(whole) of \(whole) cases, chosen by --filter authenticator/"))
        #expect(try !PublishedReport(parsing: Array(all.json.utf8)).isComplete)
    }

    @Test("of an earlier runner, which states no choice, is read, and taken for nothing more than it is")
    func earlier() throws {
        let json = Self.report().json
        let start = try #require(json.firstRange(of: "\"catalogue\""))
        let end = try #require(json.firstRange(of: "\"complete\""))
        let earlier = json[..<start.lowerBound] + json[end.lowerBound...]
        let report = try PublishedReport(parsing: Array(earlier.utf8))
        #expect(report.isComplete)
        #expect(report.restriction == "\(report.cases.count) cases of a number that is not stated")
        #expect(report.run.runnerWords == Self.run.runnerWords)
    }

    @Test(
        "is refused where it is not one, or not whole",
        arguments: [
            ("\"version\":1", "\"version\":2"), ("hybrid-conformance-report", "another"), ("\"planned\":", "\"plan\":"),
            ("\"complete\":false", "\"complete\":true"), ("\"filters\":[]", "\"filters\":[1]"),
            ("\"filters\":[]", "\"filters\":\"\""), ("\"catalogue\":", "\"catalogue\":-"),
            ("\"planned\":", "\"planned\":9"), ("\"role\":\"authenticator\"", "\"role\":\"client\""),
            ("\"verdict\":\"passed\",\"grade\":\"held\"", "\"verdict\":\"passed\""),
            ("\"grade\":\"held\"", "\"grade\":\"fails\""),
            ("\"grade\":\"held\"", "\"grade\":\"good\""), ("\"id\":\"authenticator/", "\"id\":\" authenticator/"),
            ("\"rule\":\"HT-", "\"rule\":\"<b>-"), ("\"elapsed_ms\":", "\"elapsed_ms\":-"),
            ("{\"format\"", "{\"more\":0,\"format\""),
            ("\"certainty\":\"certain\"", "\"certainty\":\"sure\""), ("\n]}\n", "\n]"),
            ("\"environment\":{", "\"environment\":{\"a\":1,"),
        ])
    func refuses(part: String, by: String) throws {
        let text = Self.report(Array(ConformanceRunner.authenticatorCases.prefix(10))).json
        let changed = text.replacing(part, with: by, maxReplacements: 1)
        try #require(changed != text)
        #expect(throws: RunnerError(.invalidReport, reason: "")) {
            _ = try PublishedReport(parsing: Array(changed.utf8))
        }
    }

    @Test("is refused if it is cut anywhere, or has a case twice")
    func refusesPieces() throws {
        let report = Self.report(Array(ConformanceRunner.authenticatorCases.prefix(6)))
        let bytes = Array(report.json.utf8)
        for count in stride(from: 0, to: bytes.count - 2, by: 97) {
            #expect(throws: RunnerError(.invalidReport, reason: "")) {
                _ = try PublishedReport(parsing: Array(bytes.prefix(count)))
            }
        }
        var twice = report
        twice.cases.append(report.cases[0])
        twice.run.selection.plannedCount += 1
        #expect(throws: RunnerError(.invalidReport, reason: "")) {
            _ = try PublishedReport(parsing: Array(twice.json.utf8))
        }
    }
}
