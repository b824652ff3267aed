import Encodings
import Testing

@testable import Conformance

@Suite("A profile")
struct ProfileTests {
    static let all = ConformanceCase.Role.allCases.flatMap(ConformanceRunner.cases)

    static func chosen(_ profiles: [Profile]) -> [ConformanceCase] { all.filter(profiles.ask) }

    @Test("has the cases of a flow; the flows together have all of them, and none has those of another")
    func flows() {
        let flows: [Profile] = [.qr, .linked, .l2cap, .digitalCredentials]
        let counts = flows.map { Self.chosen([$0]).count }
        #expect(counts.allSatisfy { $0 > 50 })
        #expect(counts.reduce(0, +) == Self.all.count)
        #expect(Self.chosen(flows).count == Self.all.count && Self.chosen([]).count == Self.all.count)
        #expect(Self.chosen([.qr, .l2cap]).count == counts[0] + counts[2])
    }

    @Test("has what belongs to a flow: each case whose control case is one of links, of L2CAP or of credentials")
    func flowsOfControlCases() {
        let byID = Dictionary(Self.all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for testCase in Self.all {
            guard let control = testCase.controlCase.flatMap({ byID[$0] }), control.profile != .qr else { continue }
            #expect(testCase.profile == control.profile, "\(testCase.id)")
        }
        // The flow of a group is that of its control case, but where L2CAP is only offered.
        let plain = Set(ConformanceCase.Role.allCases.map { ConformanceRunner.plainCase(of: $0).id })
        for testCase in Self.all where testCase.profile != .qr && testCase.controlCase.map(plain.contains) == true {
            #expect(testCase.id.hasPrefix("authenticator/l2cap-offer/"), "\(testCase.id)")
        }
        #expect(byID["authenticator/link/signature"]?.profile == .linked)
        #expect(byID["client/l2cap/handshake-wrong-psk"]?.profile == .l2cap)
    }

    @Test("of an edition has the cases that bind a peer of it, and both narrow what a flow has")
    func editions() {
        let of22 = Self.chosen([.ctap22])
        #expect(of22.allSatisfy { $0.rule.binds(.ctap22) } && of22.count < Self.all.count)
        #expect(Self.chosen([.ctap22, .ctap23]).count == Self.all.count)
        #expect(Self.chosen([.l2cap, .ctap22]).allSatisfy { $0.profile == .l2cap && $0.rule.binds(.ctap22) })
        #expect(Self.chosen([.l2cap, .ctap22]).count < Self.chosen([.l2cap]).count)
    }

    @Test("stands in a report, on its page and in JUnit, in the command that repeats it, and makes no run a whole one")
    func isNamed() throws {
        var report = PublishedReportTests.report()
        report.run.selection.profiles = [.qr, .ctap22]
        #expect(!report.isComplete)
        #expect(report.run.selection.text.hasSuffix(" cases, chosen by --profile qr --profile 2.2"))
        #expect(report.json.contains("\"profiles\":[\"qr\",\"2.2\"],\n"))
        #expect(report.json.contains("\"udp:\",\"--profile\",\"qr\",\"--profile\",\"2.2\"]"))
        #expect(report.html.contains("<dt>Profile</dt><dd>qr and 2.2</dd>"))
        #expect(PublishedReportTests.report().html.contains("<dt>Profile</dt><dd>all</dd>"))
        #expect(try PublishedReport(parsing: Array(report.json.utf8)) == report)
        let junit = ConformanceReport().junit(named: "s", of: report.run)
        #expect(junit.contains("<property name=\"profile\" value=\"qr and 2.2\"/>"))
        let unknown = report.json.replacing("[\"qr\",", with: "[\"another\",")
        #expect(throws: RunnerError(.invalidReport, reason: "")) {
            _ = try PublishedReport(parsing: Array(unknown.utf8))
        }
    }
}
