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

    private static func with(
        _ body: (_ path: String, _ clock: Clock, _ make: () -> VerificationRetries) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-retries-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "passkeys.vault.uv-retries").path
        let clock = Clock()
        try await body(path, clock) { VerificationRetries(path: path) { clock.now } }
    }

    /// Misses so many times, each after the longest wait.
    private static func miss(
        _ make: () -> VerificationRetries, _ count: Int = 1, by clock: Clock? = nil
    ) async throws {
        for number in 0..<count {
            if number >= VerificationRetries.freeAttempts { clock?.advance(by: VerificationRetries.longestWait) }
            #expect(try await !make().attempt(.polkit) { () throws(VerificationError) in false })
        }
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
    func blocks() async throws {
        try await Self.with { path, clock, make in
            for _ in 0..<5 {
                #expect(Self.isAdmitted(.fingerprint, make()) && Self.isAdmitted(.passphrase, make()))
                try await Self.miss(make)
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
    func grows() async throws {
        try await Self.with { _, clock, make in
            try await Self.miss(make, 5)
            clock.advance(by: 30)
            for wait: Int64 in [60, 120, 240, 480, 960, 1_920, 3_600, 3_600] {
                try await Self.miss(make)
                clock.advance(by: wait - 1)
                #expect(!Self.isAdmitted(.polkit, make()))
                clock.advance(by: 1)
                #expect(Self.isAdmitted(.polkit, make()))
            }
        }
    }

    @Test("is not fooled by a clock that is set, back or forward", arguments: [-1_000_000, 1_000_000] as [Int64])
    func clockIsSet(by seconds: Int64) async throws {
        try await Self.with { _, clock, make in
            try await Self.miss(make, 6, by: clock)
            clock.set(by: seconds)
            clock.advance(by: 59)
            let error = #expect(throws: VerificationError.self) { try make().admit(.polkit) }
            #expect(error?.reason.hasSuffix("the next one is possible in 1 seconds") == true)
            clock.advance(by: 1)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    @Test("waits after another boot no longer than if the miss had been at that boot", arguments: [-1_000_000, 0, 59])
    func anotherBoot(by seconds: Int64) async throws {
        try await Self.with { _, clock, make in
            try await Self.miss(make, 6, by: clock)
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
    func future(_ count: String) async throws {
        try await Self.with { path, clock, make in
            try await Self.miss(make)
            try "hybrid-verification-retries-\(count)\n".write(toFile: path, atomically: false, encoding: .utf8)
            clock.boot()
            clock.advance(by: 59)
            #expect(!Self.isAdmitted(.polkit, make()))
            clock.advance(by: 1)
            #expect(Self.isAdmitted(.polkit, make()))
        }
    }

    /// Sessions that have begun an attempt, and that were refused one.
    private final class Sessions: Sendable {
        let begun = Atomic(0)
        let refused = Atomic(0)
        var count: Int { begun.load(ordering: .relaxed) + refused.load(ordering: .relaxed) }
    }

    @Test("gives several sessions at once no more attempts than one, and loses none", arguments: [true, false])
    func atOnce(_ isKept: Bool) async throws {
        try await Self.with { path, clock, make in
            let count = 8
            let memory = VerificationRetries(path: nil) { clock.now }
            let each = (0..<count).map { _ in isKept ? make() : memory }
            for admitted in [VerificationRetries.freeAttempts, 1, 1] {
                let sessions = Sessions()
                await withTaskGroup { group in
                    for retries in each {
                        group.addTask {
                            do throws(VerificationError) {
                                _ = try await retries.attempt(.polkit) { () throws(VerificationError) in
                                    sessions.begun.add(1, ordering: .relaxed)
                                    while sessions.count < count { await Task.yield() }
                                    return false
                                }
                            } catch {
                                #expect(error.code == .tooManyAttempts)
                                sessions.refused.add(1, ordering: .relaxed)
                            }
                        }
                    }
                }
                #expect(sessions.begun.load(ordering: .relaxed) == admitted)
                #expect(!Self.isAdmitted(.polkit, each[0]))
                clock.advance(by: VerificationRetries.longestWait)
            }
            if isKept {
                let prefix = "hybrid-verification-retries-2 7 "
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(text.hasPrefix(prefix))
            }
        }
    }

    @Test("takes an attempt back that was neither a success nor a miss, and its time with it")
    func withdrawn() async throws {
        try await Self.with { _, clock, make in
            try await Self.miss(make, 5)
            clock.advance(by: 30)
            for _ in 0..<3 {
                await #expect(throws: VerificationError(.cancelled, reason: "")) {
                    try await make().attempt(.polkit) { () throws(VerificationError) in
                        clock.advance(by: 1)
                        throw VerificationError(.cancelled, reason: "as told")
                    }
                }
                #expect(Self.isAdmitted(.polkit, make()))
            }
            #expect(try await make().attempt(.polkit) { () throws(VerificationError) in true })
            #expect(Self.isAdmitted(.fingerprint, make()))
        }
    }

    @Test("waits from the miss on, not from the attempt's beginning")
    func slowMiss() async throws {
        try await Self.with { _, clock, make in
            try await Self.miss(make, 4)
            let isSuccess = try await make().attempt(.polkit) { () throws(VerificationError) in
                clock.advance(by: 1_000)
                return false
            }
            #expect(!isSuccess && !Self.isAdmitted(.polkit, make()))
        }
    }

    @Test(
        "blocks fingers if its file makes no sense or is not its owner's alone",
        arguments: [
            "", "5", "hybrid-verification-retries-1 -1 0\n", "hybrid-verification-retries-1 0\n",
            "hybrid-verification-retries-2 0 0\n", "hybrid-verification-retries-1 0 0 0\n",
            "hybrid-verification-retries-3 0 0 - 0\n", "hybrid-verification-retries-2 0 0 - -1\n",
            String(repeating: "0", count: 4_096),
        ])
    func damaged(_ text: String) async throws {
        try await Self.with { path, _, make in
            try await Self.miss(make)
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(!Self.isAdmitted(.fingerprint, make()) && Self.isAdmitted(.passphrase, make()))
            try make().succeeded()
            #expect(Self.isAdmitted(.fingerprint, make()))
            #expect(chmod(path, 0o666) == 0)
            #expect(!Self.isAdmitted(.fingerprint, make()))
        }
    }

    @Test("fails the verification if it cannot be kept")
    func unwritable() async throws {
        let retries = VerificationRetries(path: "/proc/nowhere/retries")
        await #expect(throws: VerificationError(.countNotKept, reason: "")) {
            try await retries.attempt(.polkit) { () throws(VerificationError) in true }
        }
    }
}
