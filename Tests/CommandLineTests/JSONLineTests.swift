import Foundation
import Testing

/// With `--json`, standard output is one object a line, and nothing else.
@Suite struct JSONLineTests {
    private static let clientStages = [
        "qrShown", "advertSeen", "advertOpened", "tunnelJoined", "handshaken", "ready", "commandSent",
        "commandAnswered", "closed",
    ]
    private static let authenticatorStages = [
        "qrScanned", "tunnelOpened", "advertising", "handshaken", "ready", "commandSent", "userVerified",
        "commandAnswered", "closed",
    ]

    @Test func everyStageOfBothRolesIsReportedInOrderWithItsTime() async throws {
        let began = Date().timeIntervalSince1970
        let lines = try await lines(["hybrid", "demo", "--json", "--qr", "png:code.png"])
        for (role, stages) in [("client", Self.clientStages), ("authenticator", Self.authenticatorStages)] {
            let reported = lines.filter { $0["event"] as? String == "stage" && $0["role"] as? String == role }
            #expect(reported.map { $0["stage"] as? String } == stages + stages)
            let times = try reported.map { try #require($0["time"] as? Double) }
            #expect(times == times.sorted())
            #expect(times.allSatisfy { $0 >= began && $0 <= Date().timeIntervalSince1970 })
            let elapsed = try reported.map { try #require($0["elapsed_ms"] as? Double) }
            #expect(elapsed == elapsed.sorted() && elapsed.allSatisfy { $0 >= 0 })
        }
        let order = lines.compactMap { $0["stage"] as? String }
        #expect(order.starts(with: ["qrShown", "qrScanned"]))
    }

    @Test func aResultHasWebAuthnsOwnSerialisation() async throws {
        let lines = try await lines(["hybrid", "demo", "--json", "--qr", "png:code.png"])
        let results = lines.filter { $0["event"] as? String == "result" }
        #expect(results.map { $0["ceremony"] as? String } == ["registration", "authentication"])
        for result in results {
            #expect(result["verified"] as? Bool == true)
            #expect(result["user_verified"] as? Bool == true)
            let credential = try #require(result["response"] as? [String: Any])
            #expect(credential["type"] as? String == "public-key")
            #expect(credential["id"] as? String == credential["rawId"] as? String)
            let response = try #require(credential["response"] as? [String: Any])
            #expect(response["clientDataJSON"] is String)
        }
    }

    @Test func everyEventIsOneThatIsDocumented() async throws {
        let lines = try await lines(["hybrid", "demo", "--json", "--qr", "png:code.png"])
        let events = Set(lines.compactMap { $0["event"] as? String })
        #expect(events == ["stage", "notice", "result"])
        #expect(lines.allSatisfy { $0["event"] is String })
    }

    @Test(arguments: [
        (
            ["hybrid", "client", "register", "--rp-id", "example.com", "--user", "alice", "--json"], 10, "radio",
            "BluetoothLE"
        ),
        (["hybrid", "client", "register", "--json"], 64, "usage", nil),
        (["hybrid", "inspect", "255", "--json"], 15, "unassigned-domain", "HybridProtocol"),
        (
            ["hybrid", "tunnel-service", "--listen", "192.0.2.1:1", "--plain", "--json"], 64, "plain-not-allowed",
            "TunnelService"
        ),
        (["hybrid", "vectors", "check", "nowhere", "--json"], 18, "unreadable", "Conformance"),
    ])
    func anErrorHasACauseAHintTheExitCodeAndThePlaceThatMadeIt(
        _ command: [String], _ status: Int, _ code: String, _ module: String?
    ) async throws {
        let lines = try await lines(command, status: Int32(status))
        let error = try #require(lines.last)
        #expect(lines.count == 1)
        #expect(error["event"] as? String == "error")
        #expect(error["code"] as? String == code)
        #expect(error["exit_code"] as? Int == status)
        #expect((error["cause"] as? String)?.isEmpty == false)
        #expect((error["hint"] as? String)?.isEmpty == false)
        let place = error["place"] as? String
        #expect((place == nil) == (module == nil))
        if let place, let module { #expect(place.wholeMatch(of: try Regex("\(module)/[^/]+\\.swift:[0-9]+")) != nil) }
    }

    private func lines(_ command: [String], status expected: Int32 = 0) async throws -> [[String: Any]] {
        try await TestContext.with { context in
            let program = try context.start(command)
            let status = try await program.wait(atMost: .seconds(60)) { program.status }
            #expect(status == expected)
            #expect(program.text(.stderr) == "")
            return try program.text(.stdout).split(separator: "\n").map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }
}
