import Foundation
import Synchronization
import Testing

@testable import UserVerification

/// Failed verifications, counted over restarts.
@Suite("The count of failed verifications") struct VerificationRetriesTests {
    private final class Clock: Sendable {
        private let time = Mutex(VerificationRetries.Time())
        init() { time.withLock { ($0.seconds, $0.boot, $0.uptime) = (1_700_000_000, "first", 500) } }
        var now: VerificationRetries.Time { time.withLock { $0 } }
        func advance(by seconds: Int64) {
            time.withLock { ($0.seconds, $0.uptime) = ($0.seconds + seconds, $0.uptime + seconds) }
        }
        /// Sets the clock of the day, which the time since the boot does not follow.
        func set(by seconds: Int64) { time.withLock { $0.seconds += seconds } }
        func boot() { time.withLock { ($0.boot, $0.uptime) = ("\($0.boot)-next", 0) } }
    }

    private static func with(_ body: (_ path: String, _ clock: Clock, _ make: () -> VerificationRetries) throws -> Void)
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-retries-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "passkeys.vault.uv-retries").path
        let clock = Clock()
        try body(path, clock) { VerificationRetries(path: path) { clock.now } }
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

    @Test("doubles the wait with each further miss, up to an hour")
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
        }
    }

    @Test("is not fooled by a clock that is set, back or forward", arguments: [-1_000_000, 1_000_000] as [Int64])
    func clockIsSet(by seconds: Int64) throws {
        try Self.with { _, clock, make in
            for _ in 0..<6 { try make().missed() }
            clock.set(by: seconds)
            clock.advance(by: 59)
            let error = #expect(throws: VerificationError.self) { try make().admit(.polkit) }
            #expect(error?.reason.hasSuffix("the next one is possible in 1 seconds") == true)
            clock.advance(by: 1)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    @Test("waits after another boot no longer than if the miss had been at that boot", arguments: [-1_000_000, 0, 59])
    func anotherBoot(by seconds: Int64) throws {
        try Self.with { _, clock, make in
            for _ in 0..<6 { try make().missed() }
            clock.boot()
            clock.set(by: seconds)
            #expect(!Self.isAdmitted(.polkit, make()))
            clock.advance(by: 60)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    @Test(
        "is no lock-out if its file is from the future, of this version or of 0.2.0",
        arguments: ["1 6 9000000000000000000", "2 6 9000000000000000000 first 9000000000000000000"])
    func future(_ count: String) throws {
        try Self.with { path, clock, make in
            try make().missed()
            try "hybrid-verification-retries-\(count)\n".write(toFile: path, atomically: false, encoding: .utf8)
            clock.boot()
            clock.advance(by: 59)
            #expect(!Self.isAdmitted(.polkit, make()))
            clock.advance(by: 1)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    @Test("loses no miss of several sessions at once")
    func atOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-retries-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "retries").path
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try VerificationRetries(path: path).missed() } }
            try await group.waitForAll()
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("hybrid-verification-retries-2 8 "))
    }

    @Test(
        "blocks fingers if its file makes no sense or is not its owner's alone",
        arguments: [
            "", "5", "hybrid-verification-retries-1 -1 0\n", "hybrid-verification-retries-1 0\n",
            "hybrid-verification-retries-2 0 0\n", "hybrid-verification-retries-1 0 0 0\n",
            "hybrid-verification-retries-3 0 0 - 0\n", "hybrid-verification-retries-2 0 0 - -1\n",
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
