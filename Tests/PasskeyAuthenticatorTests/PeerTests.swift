import Foundation
import Testing

@testable import PasskeyAuthenticator

/// python-fido2 as client and relying party (Peer/client.py).
@Suite(.timeLimit(.minutes(5))) struct PeerTests {
    static let isInstalled = exitCode(["-c", "import fido2.client, fido2.server"]) == 0

    private static func exitCode(_ arguments: [String]) -> Int32 {
        let process = python(arguments)
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }

    private static func python(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        return process
    }

    @Test(
        "python-fido2 registers, signs in and verifies both",
        .enabled(if: isInstalled, "python3 with fido2 is not installed; try: pip install fido2"))
    func ceremonies() async throws {
        let authenticator = PasskeyAuthenticator(
            store: InMemoryCredentialStore(), approval: ScriptedApproval(.yes))
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peer/client.py")
        let process = Self.python([script.path])
        let requests = Pipe()
        let responses = Pipe()
        process.standardOutput = requests
        process.standardInput = responses
        try process.run()
        var last = ""
        var pending = Data()
        while true {
            let read = requests.fileHandleForReading.availableData
            guard !read.isEmpty else { break }
            pending += read
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                last = String(decoding: pending[..<end], as: UTF8.self)
                pending = Data(pending[(end + 1)...])
                guard last != "ok" else { break }
                let response = await authenticator.respond(to: Self.bytes(last))
                let line = response.map { String(format: "%02x", $0) }.joined() + "\n"
                try responses.fileHandleForWriting.write(contentsOf: Data(line.utf8))
            }
        }
        process.waitUntilExit()
        #expect(last == "ok")
        #expect(process.terminationStatus == 0)
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
