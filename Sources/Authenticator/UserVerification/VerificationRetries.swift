internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Failed verifications, counted over restarts: CTAP's uvRetries.
///
/// After ``freeAttempts`` misses in a row fingers are blocked, until a passphrase or polkit's dialogue succeeds. Those
/// two have to wait after each further miss, twice as long each time, up to ``longestWait``. Each success starts the
/// count anew. A file that cannot be read counts as blocked, and one that cannot be written fails the verification.
///
/// An attempt counts from its beginning, as in CTAP: so sessions at the same time have no more of them than one. It is
/// taken back if it comes to neither a success nor a miss.
///
/// The wait is measured by the time since this boot, which nobody sets. Only for a miss before this boot the clock of
/// the day counts, too: it may shorten the wait, which is over at the latest when the machine has run so long.
///
/// Source: CTAP 2.2 section 6.5.5.7 (performBuiltInUv), whose uvRetries block until a PIN was given.
public final class VerificationRetries: Sendable {
    /// The number of misses in a row without a consequence: 5.
    public static let freeAttempts = 5
    /// Wait after the first miss too many, in seconds.
    public static let firstWait: Int64 = 30
    /// Longest wait, in seconds: an hour.
    public static let longestWait: Int64 = 3_600

    /// Time by both clocks of a machine.
    package struct Time: Sendable, Hashable {
        /// Seconds since 1970: a clock that can be set.
        package var seconds: Int64 = 0
        /// The identifier of this boot; a dash if the system has none.
        package var boot = "-"
        /// Seconds since this boot, suspended time included.
        package var uptime: Int64 = 0

        package init() {}

        /// The system's time.
        static var now: Self {
            var now = Self()
            now.seconds = Int64(time(nil))
            var sinceBoot = timespec()
            clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
            now.uptime = Int64(sinceBoot.tv_sec)
            now.boot = bootID
            return now
        }

        private static let bootID: String = {
            // Its size is said to be 0.
            let file = Glibc.open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return "-" }
            defer { Glibc.close(file) }
            var bytes = [UInt8](repeating: 0, count: 36)
            guard Glibc.read(file, &bytes, bytes.count) == bytes.count else { return "-" }
            return String(decoding: bytes, as: UTF8.self)
        }()
    }

    /// The count, and when it last grew.
    private struct Count: Hashable {
        var misses = 0
        var last = Time()
    }

    private static let format = "hybrid-verification-retries-2"
    /// The format of version 0.2.0, which has no boot.
    private static let oldFormat = "hybrid-verification-retries-1"
    private static let longestFile = 128
    private static let lockTimeout = Duration.seconds(5)

    private let file: AtomicFile?
    private let now: @Sendable () -> Time
    /// The count where there is no file.
    private let memory = Mutex(Count())

    /// Counts in a file.
    ///
    /// - Parameter path: the file, which is made with the first miss, mode 0600; nil to count in memory alone.
    public convenience init(path: String?) { self.init(path: path) { .now } }

    /// Counts by another clock than the system's.
    package init(path: String?, now: @escaping @Sendable () -> Time) {
        file = path.map { AtomicFile(path: $0) }
        self.now = now
    }

    /// Checks that an attempt may begin now; ``attempt(_:_:)`` checks it again.
    ///
    /// - Throws: ``VerificationError`` `too-many-attempts`.
    package func admit(_ method: Verified.Method) throws(VerificationError) { try check(read(), method) }

    /// Makes an attempt, and counts it.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - body: the attempt: true if it succeeded, false for a miss. One that throws is taken back.
    /// - Returns: the result of `body`.
    /// - Throws: ``VerificationError`` `too-many-attempts` before `body` runs; `service-failed` if that cannot be
    ///   counted; the errors of `body`.
    package func attempt(
        _ method: Verified.Method, _ body: () async throws(VerificationError) -> Bool
    ) async throws(VerificationError) -> Bool {
        var before = Time()
        let begun = now()
        try change { (count) throws(VerificationError) in
            try check(count, method)
            before = count.last
            return Count(misses: count.misses + 1, last: begun)
        }
        let isSuccess: Bool
        do throws(VerificationError) {
            isSuccess = try await body()
        } catch {
            // If that cannot be written, it counts as a miss.
            try? change { Count(misses: max($0.misses - 1, 0), last: $0.last == begun ? before : $0.last) }
            throw error
        }
        // The wait is from the miss on. In between another session may have succeeded.
        try change { isSuccess ? Count() : Count(misses: max($0.misses, 1), last: now()) }
        return isSuccess
    }

    private func check(_ count: Count, _ method: Verified.Method) throws(VerificationError) {
        guard count.misses >= Self.freeAttempts else { return }
        guard method != .fingerprint else {
            throw VerificationError(
                .tooManyAttempts,
                reason:
                    "\(count.misses) verifications failed: "
                    + "fingers count again after the passphrase or polkit's dialogue"
            )
        }
        let wait = Self.wait(after: count.misses)
        let elapsed = elapsed(since: count.last)
        guard elapsed >= wait else {
            throw VerificationError(
                .tooManyAttempts,
                reason: "\(count.misses) verifications failed: the next one is possible in \(wait - elapsed) seconds")
        }
    }

    /// Starts the count anew.
    ///
    /// - Throws: ``VerificationError`` `service-failed` if that cannot be kept.
    package func succeeded() throws(VerificationError) {
        guard read().misses > 0 else { return }
        try change { _ in Count() }
    }

    private static func wait(after misses: Int) -> Int64 {
        let doublings = min(misses - freeAttempts, longestWait.bitWidth / 4)
        return min(firstWait << doublings, longestWait)
    }

    /// The seconds that are known to have gone by.
    private func elapsed(since last: Time) -> Int64 {
        let now = now()
        if now.boot == last.boot, now.uptime >= last.uptime { return now.uptime - last.uptime }
        return max(now.uptime, now.seconds - last.seconds)
    }

    private func read() -> Count {
        guard let file else { return memory.withLock { $0 } }
        return Self.read(file)
    }

    private static func read(_ file: AtomicFile) -> Count {
        // A file that is not ours, or makes no sense, must not give attempts back.
        let blocked = Count(misses: freeAttempts)
        let bytes: [UInt8]?
        do throws(AtomicFileError) { bytes = try file.read(limit: longestFile) } catch { return blocked }
        guard let bytes else { return Count() }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard let misses = number(words, 1), let seconds = number(words, 2) else { return blocked }
        var count = Count(misses: Int(min(misses, Int64(Int16.max))))
        count.last.seconds = seconds
        if words.count == 3, words[0] == oldFormat { return count }
        guard words.count == 5, words[0] == format, let uptime = number(words, 4) else { return blocked }
        count.last.boot = String(words[3])
        count.last.uptime = uptime
        return count
    }

    private static func number(_ words: [Substring], _ index: Int) -> Int64? {
        guard index < words.count, let number = Int64(words[index]), number >= 0 else { return nil }
        return number
    }

    /// Reads the count and writes the one that follows it, both under the lock: no miss is lost among several sessions.
    private func change(
        _ next: (Count) throws(VerificationError) -> Count
    ) throws(VerificationError) {
        guard let file else {
            return try memory.withLock { (count) throws(VerificationError) in count = try next(count) }
        }
        let lock = try AtomicFileError.rethrown(
            file.lock(timeout: Self.lockTimeout, makingDirectory: true), as: Self.unkept)
        let count = try next(Self.read(file))
        let last = count.last
        let text = "\(Self.format) \(count.misses) \(last.seconds) \(last.boot) \(last.uptime)\n"
        try AtomicFileError.rethrown(file.replace(with: Array(text.utf8).span, lock), as: Self.unkept)
    }

    private static func unkept(_ error: AtomicFileError) -> VerificationError {
        VerificationError(
            .countNotKept, reason: "the count of failed verifications cannot be kept: \(error.reason)",
            place: error.place)
    }
}
