import Glibc
import Testing

@testable import LinuxSupport

/// Open files that a peer passes over the bus.
@Suite(.timeLimit(.minutes(2)))
struct DBusFileTests {
    @Test func `a file is inherited by no program, and closed with its last owner`() async throws {
        try await DBusPeer.with { peer in
            do {
                let answer = try await peer.call("File")
                let file = try #require(answer.first?.fileValue)
                #expect(fcntl(file.number, F_GETFD) == FD_CLOEXEC)
                let text = Array("a text".utf8)
                #expect(text.withUnsafeBytes { write(file.number, $0.baseAddress, $0.count) } == text.count)
            }
            #expect(await peer.said() == "closed after a text")
        }
    }

    @Test func `a file cannot be sent back`() async throws {
        try await DBusPeer.with { peer in
            let answer = try await peer.call("File")
            await #expect(throws: DBusError(.failed, reason: "")) { try await peer.call("Numbers", answer) }
        }
    }
}
