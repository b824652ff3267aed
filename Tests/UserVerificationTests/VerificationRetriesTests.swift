import Foundation
import Synchronization
import Testing

@testable import UserVerification

/// Failed verifications, counted over restarts.
@Suite("The count of failed verifications") struct VerificationRetriesTests {
    private final class Clock: Sendable {
        let seconds = Mutex<Int64>(1_700_000_000)
        func advance(by seconds: Int64) { self.seconds.withLock { $0 += seconds } }
    }

    private static func with(_ body: (_ path: String, _ clock: Clock, _ make: () -> VerificationRetries) throws -> Void)
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-retries-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "passkeys.vault.uv-retries").path
        let clock = Clock()
        try body(path, clock) { VerificationRetries(path: path) { clock.seconds.withLock { $0 } } }
    }

    private static func isAdmitted(_ method: Verified.Method, _ retries: VerificationRetries) -> Bool {
        do throws(VerificationError) {
            try retries.admit(method)
            return true
        } catch {
            return false
        }
    }

    @Test("survives a restart, in a file of its owner's; five misses block fingers, and let the others wait")
    func blocks() throws {
        try Self.with { path, clock, make in
            for _ in 0..<5 {
                #expect(Self.isAdmitted(.fingerprint, make()) && Self.isAdmitted(.passphrase, make()))
                try make().missed()
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(!Self.isAdmitted(.fingerprint, make()))
            #expect(!Self.isAdmitted(.passphrase, make()) && !Self.isAdmitted(.polkit, make()))
            clock.advance(by: 29)
            #expect(!Self.isAdmitted(.passphrase, make()))
            clock.advance(by: 1)
            #expect(Self.isAdmitted(.passphrase, make()) && Self.isAdmitted(.polkit, make()))
            clock.advance(by: 1_000_000)
            #expect(!Self.isAdmitted(.fingerprint, make()))
            try make().succeeded()
            #expect(Self.isAdmitted(.fingerprint, make()))
        }
    }

    @Test("doubles the wait with each further miss, up to an hour; a clock that is set back does not lengthen it")
    func grows() throws {
        try Self.with { _, clock, make in
            for _ in 0..<5 { try make().missed() }
            for wait: Int64 in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
                try make().missed()
                clock.advance(by: wait - 1)
                #expect(!Self.isAdmitted(.polkit, make()))
                clock.advance(by: 1)
                #expect(Self.isAdmitted(.polkit, make()))
            }
            try make().missed()
            clock.advance(by: -1_000_000)
            #expect(!Self.isAdmitted(.polkit, make()))
            for _ in 0..<100 { try make().missed() }
            clock.advance(by: 3_600)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    @Test(
        "blocks fingers if its file makes no sense or is not its owner's alone",
        arguments: [
            "", "5", "hybrid-verification-retries-1 -1 0\n", "hybrid-verification-retries-1 0\n",
            "hybrid-verification-retries-2 0 0\n", "hybrid-verification-retries-1 0 0 0\n",
            String(repeating: "0", count: 4_096),
        ])
    func damaged(_ text: String) throws {
        try Self.with { path, _, make in
            try make().missed()
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(!Self.isAdmitted(.fingerprint, make()) && Self.isAdmitted(.passphrase, make()))
            try make().succeeded()
            #expect(Self.isAdmitted(.fingerprint, make()))
            #expect(chmod(path, 0o666) == 0)
            #expect(!Self.isAdmitted(.fingerprint, make()))
        }
    }

    @Test("fails the verification if it cannot be kept")
    func unwritable() throws {
        let retries = VerificationRetries(path: "/proc/nowhere/retries")
        #expect(throws: VerificationError(.serviceFailed, reason: "")) { try retries.missed() }
    }
}
