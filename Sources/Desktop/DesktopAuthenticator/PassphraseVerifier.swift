package import Cryptography
package import HybridTransport
package import LinuxSupport
package import UserVerification
internal import Vault

/// Verifies the user by the vault's passphrase, typed again for each approval but one that follows a typed passphrase
/// within a minute (``TypedPassphrase``).
///
/// The typed passphrase is tried on the vault's file as it is on the disk. That takes as long as opening the vault
/// does, each time: the vault keeps nothing by which a passphrase could be tried faster.
package struct PassphraseVerifier: Verifier {
    /// The number of attempts to type it.
    private static let attempts = 3

    private let path: String
    private let timeout: Duration
    private let timer: DeadlineTimer
    private let recent: TypedPassphrase
    private let retries: VerificationRetries
    private let observe: EventListener
    private let typed: @Sendable () async throws -> SecretBytes

    /// The vault's method.
    package var method: Verified.Method { .passphrase }

    /// Always false: the question is shown before.
    package var showsQuestion: Bool { false }

    /// Makes one.
    ///
    /// - Parameters:
    ///   - path: the vault, which may not exist yet; nil if the passkeys are in none.
    ///   - isNewWithKeyring: true if a vault that does not exist yet gets a key in the keyring, and no passphrase.
    ///   - recent: the passphrase that opened the vault in this run.
    ///   - retries: counts failed attempts.
    ///   - timeout: the longest time for each attempt.
    ///   - timer: ends that time.
    ///   - observe: is told of a wrong passphrase.
    ///   - typed: asks the user for the passphrase. It may wait, and should end when its task is cancelled.
    /// - Throws: ``AgentError`` for a vault that has no passphrase; `VaultError`.
    package init(
        vault path: String?, isNewWithKeyring: Bool, recent: TypedPassphrase, retries: VerificationRetries,
        timeout: Duration, timer: DeadlineTimer = .continuous, observe: @escaping EventListener,
        typed: @escaping @Sendable () async throws -> SecretBytes
    ) throws {
        guard let path else {
            throw AgentError(code: "usage", cause: "without a vault there is no passphrase", remedy: .useVault)
        }
        let hasPassphrase =
            if let summary = try Vault.summary(at: path) { summary.hasPassphrase } else { !isNewWithKeyring }
        guard hasPassphrase else {
            throw AgentError(
                code: "usage", cause: "the vault opens with the keyring only: it has no passphrase",
                remedy: .setPassphrase)
        }
        self.path = path
        self.recent = recent
        self.retries = retries
        self.timeout = timeout
        self.timer = timer
        self.observe = observe
        self.typed = typed
    }

    /// Asks for the passphrase, unless one was typed just now.
    ///
    /// - Throws: `VerificationError` `no-match`, `too-many-attempts`, `timeout`, `cancelled` or `service-failed`, or
    ///   the error of the user's input.
    package func verify(
        _ question: ApprovalQuestion, account: Int?
    ) async throws(VerificationError) -> ContinuousClock.Instant {
        if let instant = recent.take() {
            try retries.succeeded()
            return instant
        }
        for _ in 1...Self.attempts {
            if try await retries.attempt(method, isRight) { return .now }
            observe(AgentEvent.wrongPassphrase)
        }
        throw VerificationError(.noMatch, reason: "the passphrase was wrong \(Self.attempts) times")
    }

    private func isRight() async throws(VerificationError) -> Bool {
        do {
            let isRight = try await timer.withTimeout(timeout) { [path, typed] in
                let secrets = VaultSecrets(passphrase: try await typed())
                let vault: Vault
                do throws(VaultError) {
                    vault = try Vault.open(at: path, secrets, for: .reading)
                } catch {
                    guard error.code == .wrongPassphrase else { throw error }
                    return false
                }
                await vault.close()
                return true
            }
            guard let isRight else { throw VerificationError(.timeout, reason: "there was no passphrase in time") }
            return isRight
        } catch let error as VerificationError {
            throw error
        } catch let error as VaultError {
            throw VerificationError(.serviceFailed, from: error)
        } catch is CancellationError {
            throw VerificationError(.cancelled, reason: "cancelled")
        } catch {
            throw VerificationError(.serviceFailed, reason: "\(type(of: error))")
        }
    }
}
