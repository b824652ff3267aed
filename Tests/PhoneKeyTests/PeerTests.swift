import Foundation
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import SecurityKey

/// Programs that nobody here wrote, as users of the key.
@Suite("A phone's key and", .timeLimit(.minutes(5)))
struct PeerTests {
    private static func script(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/\(name)").path
    }

    @Test("python-fido2's client: registers and signs in with one ceremony each")
    func pythonFIDO2() async throws {
        try await TestContext.with { context in
            let last = try await ChildProcess.with(["python3", Self.script("client.py")]) { client in
                var last = ""
                for await line in client.lines {
                    last = line
                    if line == "ok" { break }
                    if line == "count" {
                        try client.write("\(context.phone.count) \(context.approval.count)")
                    } else {
                        try client.write(hex(await context.key.respond(to: bytes(line)) { _ in }))
                    }
                }
                return last
            }
            #expect(last == "ok")
        }
    }

    @Test(
        "libfido2's check of a new key of OpenSSH and pam-u2f",
        arguments: [
            ProgramRequest.opensshEnrol, ProgramRequest.opensshResident, ProgramRequest.opensshVerifyRequired,
            ProgramRequest.pamu2fcfg,
        ])
    func libfido2(request: [UInt8]) async throws {
        try await TestContext.with { context in
            let answer = try await context.send(request)
            let (status, lines) = try await ChildProcess.run([
                "python3", Self.script("attestation.py"), hex(request), hex(answer),
            ])
            #expect(status == 0 && lines.last == "ok", "\(lines)")
        }
    }
}
