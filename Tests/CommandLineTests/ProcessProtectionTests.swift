import Foundation
import Testing

/// What other programs, and the disk, can learn of a running program: in every role, before anything secret happens.
@Suite("A running program", .timeLimit(.minutes(5))) struct ProcessProtectionTests {
    /// A valid code; nobody waits for its answer.
    private static let code = """
        FIDO:/57998148002906278053805601694709136096041485061463939873439268777933535295129600737771425453823619044035135\
        7777832244870064389567225832337562621831545602109321447142404
        """

    @Test(
        "leaves no core dump and keeps its secrets in locked memory", arguments: ["client", "service", "authenticator"])
    func protection(role: String) async throws {
        try await TestContext.with { context in
            let service = try context.start(["hybrid", "tunnel-service", "--listen", "127.0.0.1:0", "--plain"])
            let tunnel = try await service.find(/listening on (ws:\S+)/, in: .stderr)
            let radio = "udp:127.0.0.1:\(try TestContext.freePort())"
            let program =
                switch role {
                case "client":
                    try context.start([
                        "hybrid", "client", "register", "--rp-id", "example.com", "--user", "alice", "--radio", radio,
                        "--tunnel", tunnel, "--qr", "url",
                    ])
                case "authenticator":
                    try context.start([
                        "hybrid", "authenticator", "answer", Self.code, "--allow-old", "--yes", "--ephemeral",
                        "--radio", radio, "--tunnel", tunnel,
                    ])
                default: service
                }
            switch role {
            case "client": _ = try await program.find(/(FIDO:\/\d+)/)
            case "authenticator": _ = try await program.find(/(advertising that this device is near)/, in: .stderr)
            default: break
            }
            let limits = try Self.file("limits", of: program)
            #expect(limits.contains(#/Max core file size +0 +0 /#))
            let status = try Self.file("status", of: program)
            let locked = try #require(status.firstMatch(of: /VmLck:\s+(\d+) kB/)?.1).flatMap { Int($0) }
            #expect(try #require(locked) >= 1_024, "the memory for secrets is locked")
            let arguments = try Self.file("cmdline", of: program)
            #expect(!arguments.contains(/[0-9]{20}/), "the code stands in the command line: \(arguments)")
            if role == "authenticator" { #expect(arguments.contains("FIDO:/xxx")) }
        }
    }

    private static func file(_ name: String, of program: Program) throws -> String {
        try String(contentsOfFile: "/proc/\(program.process)/\(name)", encoding: .utf8)
    }
}
