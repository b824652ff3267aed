import CommandLine
import Foundation
import HybridProtocol
import HybridTransport
import Testing
import Vault

@testable import DesktopAuthenticator
@testable import hybrid

/// The verdicts, and the report that can be given away.
@Suite("A report of hybrid doctor", .timeLimit(.minutes(2)))
struct DoctorReportTests {
    private func line(
        _ name: CheckName, _ result: CheckResult, of service: TunnelTarget.Name? = nil,
        for roles: Set<DoctorRole> = Set(DoctorRole.allCases)
    ) -> CheckLine { CheckLine(Check(name, for: roles, of: service) { result }, result) }

    @Test("calls a role ready if nothing that it needs is broken")
    func verdicts() {
        let lines = [
            line(.vault, .broken(.vaultFailed(.damaged), .vault(.damaged)), for: [.authenticator]),
            line(.terminal, .warning(.noAnswer, .enlargeTerminal), for: [.client]),
            line(.tunnelName, .fine(.resolves), of: .domain(0)),
        ]
        let authenticator = RoleVerdict(.authenticator, lines)
        #expect(authenticator.result == "not-ready" && authenticator.broken == ["vault"])
        #expect(authenticator.warnings.isEmpty && authenticator.contacted)
        let client = RoleVerdict(.client, lines)
        #expect(client.result == "ready" && client.broken.isEmpty && client.warnings == ["terminal"])
    }

    @Test("names the service whose check is broken, and says what was not contacted or is not known")
    func services() {
        let broken = line(.tunnelName, .broken(.unresolved, .checkName), of: .domain(1))
        #expect(RoleVerdict(.client, [broken]).broken == ["tunnel-name (1)"])
        let offline = RoleVerdict(.client, [line(.tunnelName, .notChecked(.offline), of: .domain(0))])
        #expect(offline.result == "ready" && !offline.contacted)
        let unknown = line(.tunnelName, .notChecked(.noServiceGiven), of: .given, for: [.tunnelService])
        #expect(RoleVerdict(.tunnelService, [unknown]).result == "not-known")
        // A fault counts more than an unknown state.
        #expect(RoleVerdict(.tunnelService, [unknown, broken]).result == "not-ready")
    }

    @Test("holds what was seen and nothing private, and is its owner's alone")
    func privacy() async throws {
        try await DoctorTestContext.with { context in
            let (host, port) = ("tunnel.private-name.invalid", 28_443)
            context.services = [try DoctorTestContext.target("wss://\(host):\(port)")]
            context.adverts = [
                ReceivedAdvert(service: .fido, serviceData: [], sender: "AA:BB:CC:DD:EE:FF", address: nil)
            ]
            try Data("no vault".utf8).write(to: URL(filePath: try #require(context.vault)))
            let results = try await context.results(for: Set(DoctorRole.allCases))
            let lines = results.map { CheckLine($0.check, $0.result) }
            let verdicts = DoctorRole.allCases.map { RoleVerdict($0, lines) }
            let ceremony = CeremonyRecord(
                .client, "makeCredential", radio: "BlueZ 5.66", [(.qrShown, .zero)], outcome: "timeout")
            let path = context.folder + "/report.json"
            let report = DoctorReport(DoctorRole.allCases, lines, verdicts, [ceremony])
            try report.write(to: path)

            let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
            let home = NSHomeDirectory() == "/" ? "/home" : NSHomeDirectory()
            for name in [host, "\(port)", context.folder, "passkeys.vault", "AA:BB", home] {
                #expect(!text.contains(name), "\(name)")
            }
            let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(
                json["format"] as? String == "hybrid doctor report 1" && json["version"] as? String == Version.version)
            #expect((json["checks"] as? [Any])?.count == results.count && (json["verdicts"] as? [Any])?.count == 3)
            #expect((json["ceremonies"] as? [[String: Any]])?.first?["outcome"] as? String == "timeout")
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(throws: (any Error).self) { try report.write(to: path) }
        }
    }

    @Test("has a line for the table of what works, of a ceremony that succeeded, with the channel that it took")
    func ceremonies() {
        let tunnel: [(stage: Stage, at: Duration)] = [(.qrShown, .zero), (.tunnelJoined, .milliseconds(20))]
        let record = CeremonyRecord(
            .client, "makeCredential", radio: "BlueZ 5.66", tunnel, outcome: CeremonyRecord.success)
        #expect(record.channel == "websocket" && record.row == nil && record.stages.last?.at == .milliseconds(20))
        let told = record.told(.init(name: "A phone | red", version: nil))
        #expect(
            told.row
                == "| A phone \\| red | – | it is the authenticator, `hybrid client` asks | BlueZ 5.66 | \(record.date) |"
        )
        let nearby = CeremonyRecord(
            .authenticator, "getAssertion", radio: "BlueZ", [(.channelOpened, .zero)], outcome: CeremonyRecord.success)
        #expect(nearby.channel == "l2cap" && nearby.told(.init(name: nil, version: nil)).row?.contains("L2CAP") == true)
        let failed = CeremonyRecord(.client, "getAssertion", radio: "BlueZ", [], outcome: "timeout")
        #expect(failed.channel == nil && failed.told(.init(name: "x", version: "1")).row == nil)
    }
}
