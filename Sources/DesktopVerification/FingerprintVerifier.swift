internal import DBus
public import PasskeyAuthenticator

/// Verifies the user by a finger, with fprintd.
///
/// fprintd shows nothing: somebody else has to show the question before. Whatever happens, the reader is released again: by us, and
/// if this process dies, by fprintd, which sees it leave the bus.
///
/// Source: fprintd's D-Bus interface, net.reactivated.Fprint.Manager and .Device; observed with fprintd 1.94.
public struct FingerprintVerifier: Verifier {
    /// What the person is to do.
    public enum Notice: Sendable, Hashable {
        /// A finger on the reader.
        case touch
        /// The same again, for the reader did not see the finger well; the word is fprintd's.
        case again(String)
        /// It was not an enrolled finger; how many attempts are left.
        case noMatch(attemptsLeft: Int)
    }

    /// How many fingers may be none of the user's.
    public static let maxAttempts = 3
    /// How often the reader may ask for a better look at a finger.
    static let maxRetries = 15

    private let timeout: Duration
    private let address: DBusAddress?
    private let tell: @Sendable (Notice) -> Void

    /// It has nothing to show a question with.
    public var showsQuestion: Bool { false }

    /// Makes one for the user of this process, over the system bus.
    ///
    /// - Parameters:
    ///   - timeout: how long the person may take.
    ///   - tell: tells the person what to do; it must not wait.
    public init(timeout: Duration, tell: @escaping @Sendable (Notice) -> Void) {
        self.timeout = timeout
        self.tell = tell
        address = nil
    }

    /// Makes one for another bus: for tests.
    init(timeout: Duration, address: DBusAddress, tell: @escaping @Sendable (Notice) -> Void = { _ in }) {
        self.timeout = timeout
        self.tell = tell
        self.address = address
    }

    /// Waits for a finger.
    ///
    /// - Throws: `VerificationError` `timeout`, `cancelled`, `no-match`, `too-many-attempts`, `not-enrolled`, `no-device`,
    ///   `device-busy`, `not-permitted`, `no-service`, `lost` or `service-failed`.
    public func verify(_ question: ApprovalQuestion, account: Int?) async throws(VerificationError) {
        let ear = FingerprintEar()
        let connection: DBusConnection
        do throws(DBusError) {
            let address = if let address { address } else { try DBusAddress.system() }
            connection = try await DBusConnection.open(address) { ear.hear($0) }
        } catch {
            throw VerificationError(error, of: FingerprintReader.service)
        }
        // It must reach a wait that nothing else ends.
        let alarm = Task { [timeout] in
            try await Task.sleep(for: timeout)
            ear.ring()
        }
        defer { alarm.cancel() }
        do throws(VerificationError) {
            let reader = try await FingerprintReader.find(over: connection)
            try await attempts(with: reader, ear)
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }

    private func attempts(with reader: FingerprintReader, _ ear: FingerprintEar) async throws(VerificationError) {
        try await reader.claim()
        do throws(VerificationError) {
            ear.attend(to: reader)
            for attempt in 1...Self.maxAttempts {
                guard try await !matches(with: reader, ear, left: Self.maxAttempts - attempt) else {
                    return await reader.release()
                }
            }
            throw VerificationError(.tooManyAttempts, reason: "no finger was one of the user's")
        } catch {
            await reader.release()
            throw error
        }
    }

    /// One attempt: whether the finger is one of the user's.
    private func matches(
        with reader: FingerprintReader, _ ear: FingerprintEar, left: Int
    ) async throws(VerificationError) -> Bool {
        try await reader.startVerifying()
        tell(.touch)
        for _ in 0...Self.maxRetries {
            let (status, isDone) = try await ear.next()
            switch status {
            case "verify-match": return true
            case "verify-no-match":
                tell(.noMatch(attemptsLeft: left))
                await reader.stopVerifying()
                return false
            case "verify-disconnected": throw VerificationError(.lost, reason: "the fingerprint reader was unplugged")
            case "verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered",
                "verify-remove-and-retry", "verify-too-fast":
                tell(.again(status))
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
