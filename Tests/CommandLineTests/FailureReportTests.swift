import Foundation
import Testing

/// The last lines of `tools/test`, which say what has failed.
@Suite("The report of failed tests", .timeLimit(.minutes(2))) struct FailureReportTests {
    private static let failures = TestContext.peers.appending(path: "../../../tools/failures/run").standardized

    @Test("names the test, the reason, and the command that repeats it alone")
    func test() async throws {
        try await TestContext.with { context in
            let events = context.directory.appending(path: "events").path
            // Fails, since there is no such script.
            let environment = context.environment.merging(["HYBRID_SCRIPTS": "none-of-this-name"]) { $1 }
            let tests = try context.start(
                [
                    TestContext.tests.path, "--testing-library", "swift-testing", "--filter",
                    "^CommandLineTests\\.ScriptTests/thereAreScripts\\(", "--event-stream-version", "0",
                    "--event-stream-output-path", events,
                ], environment: environment)
            #expect(try await tests.wait(atMost: .seconds(60)) { tests.status } == 1)
            let lines = try await Self.report("CommandLineTests", events, in: context)
            try #require(lines.count == 3)
            #expect(lines[0].contains(/^✘ CommandLineTests.ScriptTests\/thereAreScripts\(\), ScriptTests.swift:\d+$/))
            #expect(lines[1].contains(/^  Expectation failed: .*HYBRID_SCRIPTS names none$/))
            #expect(lines[2] == #"  again: tools/test --filter '^CommandLineTests\.ScriptTests/thereAreScripts\('"#)
        }
    }

    @Test("names the script and its line, and none of what its programs wrote")
    func script() async throws {
        let lines = try await Self.report([
            Self.event("issueRecorded", "Caught error: links.txt:33: stdout shutdown$: not there\nwritten\nby it"),
            Self.event("testEnded"), Self.event("runEnded"),
        ])
        #expect(
            lines == [
                "✘ Tests/CommandLineTests/Scripts/links.txt:33", "  stdout shutdown$: not there",
                #"  again: HYBRID_SCRIPTS=links tools/test --filter '^CommandLineTests\.ScriptTests/script\('"#,
            ])
    }

    @Test("names what ran when the process ended early")
    func crash() async throws {
        let lines = try await Self.report([Self.event("testStarted")])
        #expect(
            lines == [
                "✘ CommandLineTests",
                "  the process ended before its tests did, during CommandLineTests.ScriptTests/script(_:)",
                #"  again: tools/test --filter '^CommandLineTests\.ScriptTests/script\('"#,
            ])
    }

    @Test("names what has not ended, while it runs")
    func watch() async throws {
        try await TestContext.with { context in
            let file = context.directory.appending(path: "events")
            let events = try [
                Self.event("testStarted"), Self.event("testCaseStarted", case: "links"),
                Self.event("testCaseStarted", case: "key"), Self.event("testCaseEnded", case: "links"),
            ]
            try Data(events.joined(separator: "\n").utf8).write(to: file)
            let watch = try context.start([Self.failures.path, "--watch", "CommandLineTests", file.path, "0.1"])
            let line = "still runs after 0 s: CommandLineTests.ScriptTests/script(_:) key (since second 0)\n"
            let isSaid = try await watch.wait(atMost: .seconds(60)) { watch.text(.stdout).contains(line) ? true : nil }
            #expect(isSaid == true)
        }
    }

    private static func event(_ kind: String, _ text: String = "", case name: String? = nil) throws -> String {
        var payload: [String: Any] = [
            "instant": ["absolute": 1],
            "kind": kind, "testID": "CommandLineTests.ScriptTests/script(_:)/ScriptTests.swift:5:6",
            "messages": [["symbol": "fail", "text": text]], "issue": ["isKnown": false],
        ]
        payload["_testCase"] = name.map { ["displayName": $0] }
        let record: [String: Any] = ["kind": "event", "payload": payload, "version": 0]
        return String(decoding: try JSONSerialization.data(withJSONObject: record), as: UTF8.self)
    }

    private static func report(_ events: [String]) async throws -> [String] {
        try await TestContext.with { context in
            let file = context.directory.appending(path: "events")
            try events.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
            return try await report("CommandLineTests", file.path, in: context)
        }
    }

    private static func report(_ module: String, _ events: String, in context: TestContext) async throws -> [String] {
        let report = try context.start([failures.path, module, events, "/dev/null"])
        #expect(try await report.wait(atMost: .seconds(60)) { report.status } == 0, "\(report.text(.stderr))")
        return report.text(.stdout).split(separator: "\n").map(String.init)
    }
}
