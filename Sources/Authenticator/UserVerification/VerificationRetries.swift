internal import Glibc
internal import LinuxSupport
internal import Synchronization

/// Failed verifications, counted over restarts: CTAP's uvRetries.
///
/// After ``freeAttempts`` misses in a row fingers are blocked, until a passphrase or polkit's dialogue succeeds. Those
/// two have to wait after each further miss, twice as long each time, up to ``longestWait``. Each success starts the
/// count anew. What cannot be read counts as blocked, and what cannot be written fails the verification.
///
/// Source: CTAP 2.2 section 6.5.5.7 (performBuiltInUv), whose uvRetries block until a PIN was given.
public final class VerificationRetries: Sendable {
    /// The number of misses in a row without a consequence: 5.
    public static let freeAttempts = 5
    /// Wait after the first miss too many, in seconds.
    public static let firstWait: Int64 = 30
    /// Longest wait, in seconds: an hour.
    public static let longestWait: Int64 = 3_600

    /// The count, and when it last grew.
    private struct Count: Hashable {
        var misses = 0
        /// In seconds since 1970.
        var last: Int64 = 0
    }

    private static let format = "hybrid-verification-retries-1"
    private static let longestFile = 128
    private static let lockTimeout = Duration.milliseconds(500)

    private let file: AtomicFile?
    private let now: @Sendable () -> Int64
    /// The count where there is no file.
    private let memory = Mutex(Count())

    /// Counts in a file.
    ///
    /// - Parameters:
    ///   - path: the file, which is made with the first miss, mode 0600; nil to count in memory alone.
    ///   - now: the time in seconds since 1970; the system's unless said otherwise.
    public init(path: String?, now: (@Sendable () -> Int64)? = nil) {
        file = path.map { AtomicFile(path: $0) }
        self.now = now ?? { Int64(time(nil)) }
    }

    /// Lets a verification begin, or go on with another attempt.
    ///
    /// - Throws: ``VerificationError`` `too-many-attempts`.
    package func admit(_ method: Verified.Method) throws(VerificationError) {
        let count = read()
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
        // A clock that was set back must not lengthen the wait.
        let elapsed = max(now() - count.last, 0)
        guard elapsed >= wait else {
            throw VerificationError(
                .tooManyAttempts,
                reason: "\(count.misses) verifications failed: the next one is possible in \(wait - elapsed) seconds")
        }
    }

    /// Counts a miss.
    ///
    /// - Throws: ``VerificationError`` `service-failed` if it cannot be kept.
    package func missed() throws(VerificationError) {
        let count = read()
        try write(Count(misses: count.misses + 1, last: now()))
    }

    /// Starts the count anew.
    ///
    /// - Throws: ``VerificationError`` `service-failed` if that cannot be kept.
    package func succeeded() throws(VerificationError) {
        guard read().misses > 0 else { return }
        try write(Count())
    }

    private static func wait(after misses: Int) -> Int64 {
        let doublings = min(misses - freeAttempts, longestWait.bitWidth / 4)
        return min(firstWait << doublings, longestWait)
    }

    private func read() -> Count {
        guard let file else { return memory.withLock { $0 } }
        // A file that is not ours, or makes no sense, must not give attempts back.
        let blocked = Count(misses: Self.freeAttempts, last: 0)
        let bytes: [UInt8]?
        do throws(AtomicFileError) { bytes = try file.read(limit: Self.longestFile) } catch { return blocked }
        guard let bytes else { return Count() }
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count == 3, words[0] == Self.format, let misses = Int(words[1]), let last = Int64(words[2]),
            misses >= 0, last >= 0
        else { return blocked }
        return Count(misses: min(misses, Int(Int16.max)), last: last)
    }

    private func write(_ count: Count) throws(VerificationError) {
        guard let file else { return memory.withLock { $0 = count } }
        let text = "\(Self.format) \(count.misses) \(count.last)\n"
        do throws(AtomicFileError) {
            try file.makeDirectory()
            let lock = try file.lock(timeout: Self.lockTimeout)
            try file.replace(with: Array(text.utf8).span, lock)
        } catch {
            throw VerificationError(
                .serviceFailed, reason: "the count of failed verifications cannot be kept: \(error.reason)",
                place: error.place)
        }
    }
}
