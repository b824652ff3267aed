internal import LinuxSupport
internal import Synchronization

/// Verifies the user by a finger, with fprintd.
///
/// fprintd shows nothing: the question has to be shown before. The reader is released again in any case: by us, and if
/// this process dies, by fprintd, which sees it leave the bus.
///
/// It is asked over this machine's own system bus only, and believed if root answers.
///
/// Source: fprintd's D-Bus interface, net.reactivated.Fprint.Manager and .Device; observed with fprintd 1.94.
public struct FingerprintVerifier: Verifier {
    /// Instruction to the user.
    public enum Notice: Sendable, Hashable {
        /// A finger on the reader.
        case touch
        /// The same again, for the reader did not see the finger well; the word is fprintd's.
        case again(String)
        /// The finger is not enrolled; the number of attempts that are left. The reader waits for the next one.
        case noMatch(attemptsLeft: Int)
        /// Nothing more: the reader is released, whatever has come of it.
        case over
    }

    /// The most attempts with a finger that does not match.
    public static let maxAttempts = 3
    /// The most requests of the reader for another try with the same finger.
    static let maxRetries = 15

    private let timeout: Duration
    private let retries: VerificationRetries
    private let service: TrustedService
    private let tell: @Sendable (Notice) async -> Void
    private let timer: DeadlineTimer

    /// fprintd's method.
    public var method: Verified.Method { .fingerprint }
    /// Always false: a reader shows no question.
    public var showsQuestion: Bool { false }

    /// Makes one for the user of this process, over the system bus.
    ///
    /// - Parameters:
    ///   - timeout: the longest time for the user's answer.
    ///   - retries: counts failed attempts; in memory unless given.
    ///   - tell: shows an instruction to the user. The verification goes on when it returns, and the reader works
    ///     meanwhile.
    public init(
        timeout: Duration, retries: VerificationRetries = VerificationRetries(path: nil),
        tell: @escaping @Sendable (Notice) async -> Void
    ) {
        self.timeout = timeout
        self.retries = retries
        self.tell = tell
        service = FingerprintReader.service
        timer = .continuous
    }

    /// Makes one for another bus, on which the service may be this user's unless `owners` are given, and for another
    /// clock: for tests.
    init(
        timeout: Duration, address: DBusAddress, owners: Set<UInt32>? = nil,
        retries: VerificationRetries = VerificationRetries(path: nil), timer: DeadlineTimer = .continuous,
        tell: @escaping @Sendable (Notice) async -> Void = { _ in }
    ) {
        self.timeout = timeout
        self.retries = retries
        self.tell = tell
        service = FingerprintReader.service.on(address, owners: owners)
        self.timer = timer
    }

    /// Checks that there is a reader, that this user has enrolled a finger, and that fingers are not blocked.
    ///
    /// - Throws: `VerificationError` `too-many-attempts`, `not-enrolled`, `no-device`, `not-permitted`, `no-service`,
    ///   `untrusted-service`, `lost`, `service-failed` or `cancelled`.
    public func checkSetUp() async throws(VerificationError) {
        try retries.admit(method)
        let connection = try await service.connect { _ in }
        do throws(VerificationError) {
            _ = try await FingerprintReader.find(service, over: connection)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    /// Waits for a finger.
    ///
    /// - Throws: `VerificationError` `timeout`, `cancelled`, `no-match`, `too-many-attempts`, `not-enrolled`,
    ///   `no-device`, `device-busy`, `not-permitted`, `no-service`, `untrusted-service`, `lost` or `service-failed`.
    public func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant {
        try retries.admit(method)
        let events = FingerprintEventStream()
        let connection = try await service.connect { events.receive($0) }
        // Ends a wait for a finger, which nothing else ends.
        let alarm = timer.schedule(at: timer.now + timeout) { events.expire() }
        defer { timer.cancel(alarm) }
        do throws(VerificationError) {
            let reader = try await FingerprintReader.find(service, over: connection)
            try await attempts(with: reader, events)
        } catch {
            await connection.close()
            throw error
        }
        let instant = ContinuousClock.now
        await connection.close()
        return instant
    }

    private func attempts(with reader: FingerprintReader, _ events: FingerprintEventStream)
        async throws(VerificationError)
    {
        try await reader.claim()
        do throws(VerificationError) {
            events.accept(from: reader)
            for attempt in 1...Self.maxAttempts {
                let isMatch = try await retries.attempt(method) { () throws(VerificationError) in
                    try await matches(with: reader, events, left: Self.maxAttempts - attempt)
                }
                guard !isMatch else {
                    await reader.release()
                    return await tell(.over)
                }
                try retries.admit(method)
            }
            throw VerificationError(.noMatch, reason: "no finger was one of the user's")
        } catch {
            await reader.release()
            await tell(.over)
            throw error
        }
    }

    /// Makes one attempt. Returns true if the finger is enrolled.
    private func matches(
        with reader: FingerprintReader, _ events: FingerprintEventStream, left: Int
    ) async throws(VerificationError) -> Bool {
        try await reader.startVerifying()
        if left == Self.maxAttempts - 1 { await tell(.touch) }
        for _ in 0...Self.maxRetries {
            let (status, isDone) = try await events.next()
            switch status {
            case "verify-match": return true
            case "verify-no-match":
                await tell(.noMatch(attemptsLeft: left))
                await reader.stopVerifying()
                return false
            case "verify-disconnected": throw VerificationError(.lost, reason: "the fingerprint reader was unplugged")
            case "verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered",
                "verify-remove-and-retry", "verify-too-fast":
                await tell(.again(status))
                guard isDone else { continue }
                await reader.stopVerifying()
                try await reader.startVerifying()
            default:
                throw VerificationError(.serviceFailed, reason: "the fingerprint reader failed")
            }
        }
        throw VerificationError(.noMatch, reason: "the reader saw no finger well enough")
    }
}

/// Events of a verification by fprintd, from the bus's thread to the task that waits for them.
final class FingerprintEventStream: Sendable {
    private enum Event: Sendable {
        case status(String, isDone: Bool)
        /// fprintd or the bus is gone.
        case lost(String)
        case timeUp
    }

    /// The most events that are buffered: any more are dropped.
    private static let capacity = 64

    /// The reader whose events are accepted; nil until it is claimed, since it may serve another program before.
    private let reader = Mutex<FingerprintReader?>(nil)
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity)) }

    /// Accepts the events of a reader that has been claimed. Earlier ones were another program's.
    func accept(from reader: FingerprintReader) { self.reader.withLock { $0 = reader } }

    /// Receives an event of the bus.
    func receive(_ event: DBusConnection.Event) {
        guard let reader = reader.withLock({ $0 }) else { return }
        switch event {
        case .ended(let error): continuation.yield(.lost(error.reason))
        case .signal(let signal):
            if let (status, isDone) = reader.status(in: signal) {
                continuation.yield(.status(status, isDone: isDone))
            } else if reader.isEnd(signal) {
                continuation.yield(.lost("fprintd has ended"))
            }
        }
    }

    /// Ends the wait: the time is up.
    func expire() { continuation.yield(.timeUp) }

    /// Waits for fprintd's next status.
    ///
    /// - Throws: ``VerificationError`` `timeout`, `cancelled` or `lost`.
    func next() async throws(VerificationError) -> (status: String, isDone: Bool) {
        for await event in events {
            switch event {
            case .status(let status, let isDone): return (status, isDone)
            case .lost(let reason): throw VerificationError(.lost, reason: reason)
            case .timeUp: throw VerificationError(.timeout, reason: "there was no finger in time")
            }
        }
        throw VerificationError(.cancelled, reason: "cancelled")
    }
}
