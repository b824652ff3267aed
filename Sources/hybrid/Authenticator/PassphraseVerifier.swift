import PasskeyAuthenticator
import Vault

/// Verifies the user by the vault's passphrase, typed again for each approval.
///
/// What is typed is tried on the vault's file as it is on the disk. That takes as long as opening the vault does, each time:
/// the vault keeps nothing by which a passphrase could be tried faster.
struct PassphraseVerifier: Verifier {
    /// How often it may be mistyped.
    private static let attempts = 3

    private let path: String
    private let timeout: Duration
    private let reporter: Reporter

    /// The terminal has shown the question before.
    var showsQuestion: Bool { false }

    /// Makes one.
    ///
    /// - Throws: ``Failure`` for a vault that has no passphrase; ``VaultError``.
    init(vault path: String?, timeout: Duration, _ reporter: Reporter) throws {
        guard let path else {
            throw Failure.usage(
                "without a vault there is no passphrase",
                hint: "leave out --store and --ephemeral, or choose another --verify")
        }
        // A vault that is yet to be made may be given a passphrase.
        if let summary = try Vault.summary(at: path), !summary.hasPassphrase {
            throw Failure.usage(
                "the vault opens with the keyring only: it has no passphrase",
                hint: "give it one with hybrid passkeys passphrase, or choose another --verify")
        }
        self.path = path
        self.timeout = timeout
        self.reporter = reporter
    }

    /// Asks for the passphrase at the terminal.
    ///
    /// - Throws: ``VerificationError`` `too-many-attempts`, `timeout`, `cancelled` or `service-failed`.
    func verify(_ question: ApprovalQuestion, account: Int?) async throws(VerificationError) {
        for _ in 1...Self.attempts {
            guard try await !isRight() else { return }
            reporter.say("the passphrase is wrong")
        }
        throw VerificationError(.tooManyAttempts, reason: "the passphrase was wrong \(Self.attempts) times")
    }

    private func isRight() async throws(VerificationError) -> Bool {
        do {
            return try await withThrowingTaskGroup(of: Bool.self) { [path, timeout] group in
                group.addTask {
                    let typed = VaultSecrets(
                        passphrase: try PassphraseInput.ask("to approve, the passphrase of the vault"))
                    let vault: Vault
                    do throws(VaultError) {
                        vault = try Vault.open(at: path, typed, for: .reading)
                    } catch {
                        guard error.code == .wrongPassphrase else { throw error }
                        return false
                    }
                    await vault.close()
                    return true
                }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw VerificationError(.timeout, reason: "there was no passphrase in time")
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        } catch let error as VerificationError {
            throw error
        } catch is CancellationError {
            throw VerificationError(.cancelled, reason: "cancelled")
        } catch {
            throw VerificationError(.serviceFailed, reason: Failure(error).cause)
        }
    }
}
