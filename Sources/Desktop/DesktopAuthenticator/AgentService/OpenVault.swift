package import Cryptography
package import Vault

/// A vault that is held open for a time.
///
/// It holds the vault's key, in memory that is not swapped out, and not the file: each use reads the file as it
/// is then, and locks it only as long. So other processes can change it meanwhile, and are seen; a vault that has got
/// other secrets is locked. Suspended time counts: the clock is CLOCK_BOOTTIME.
package actor OpenVault {
    /// Asks the user for the passphrase.
    package typealias Asking = @Sendable (_ attempt: Int) async throws -> SecretBytes

    /// Longest time between the end of the hold and its lock, after the machine was suspended: timers stand still then.
    private static let longestSleep = Duration.seconds(5)
    /// The number of attempts to type a passphrase.
    package static let attempts = 3

    /// One use of the vault.
    private struct Use {
        let vault: Vault
        let cancel: @Sendable () -> Void
    }

    /// The vault's file.
    package nonisolated let path: String
    private let usualHold: Duration
    private let changed: @Sendable (_ isUnlocked: Bool) -> Void
    private var secrets: VaultSecrets?
    private var until = ContinuousClock.now
    private var watch: Task<Void, Never>?
    private var uses: [Int: Use] = [:]
    private var useCount = 0
    /// The number of locks so far: an operation that began before one must not go on after it.
    private var lockCount = 0

    /// Makes one that is locked.
    ///
    /// - Parameters:
    ///   - path: the vault's file, which need not exist yet.
    ///   - usualHold: the time for which it is held unless said otherwise.
    ///   - changed: is told when it was unlocked or locked.
    package init(
        path: String, usualHold: Duration = .seconds(900),
        changed: @escaping @Sendable (_ isUnlocked: Bool) -> Void = { _ in }
    ) {
        self.path = path
        self.usualHold = usualHold
        self.changed = changed
    }

    /// Time until it is locked; nil if it is.
    package var timeLeft: Duration? {
        let left = until - .now
        return secrets != nil && left > .zero ? left : nil
    }

    /// True while something is done with the vault.
    package var isInUse: Bool { !uses.isEmpty }

    /// Opens the vault and holds it: with the keyring's key if it has one, otherwise with a passphrase. If it is held
    /// for that long already, nobody is asked, and its time stays; to hold it for longer takes the passphrase again.
    ///
    /// - Parameters:
    ///   - duration: the time for which it is held; nil for the usual one, or the rest of it.
    ///   - ask: asks for the passphrase.
    ///   - new: asks for the passphrase of a new vault, which is made if there is none; nil to make none.
    /// - Returns: true if a passphrase was typed.
    /// - Throws: `VaultError`; ``AgentRefusal`` `locked-meanwhile`; the errors of `ask`.
    @discardableResult
    package func unlock(
        for duration: Duration?, asking ask: Asking, making new: (@Sendable () async throws -> SecretBytes)? = nil
    ) async throws -> Bool {
        if let left = timeLeft, duration.map({ $0 <= left }) ?? true { return false }
        let lockCount = lockCount
        let vault: Vault
        var wasTyped = true
        if let summary = try Vault.summary(at: path) {
            (vault, wasTyped) = try await open(summary, asking: ask)
        } else if let new {
            vault = try Vault.create(at: path, id: Vault.newID(), VaultSecrets(passphrase: try await new()))
        } else {
            throw VaultError(.noVault, reason: "there is no vault at \(path)")
        }
        let secrets = try await vault.secretsToReopen()
        await vault.close()
        guard lockCount == self.lockCount else {
            throw AgentRefusal(.lockedMeanwhile, reason: "the vault was locked while its passphrase was asked for")
        }
        self.secrets = secrets
        hold(for: duration ?? usualHold)
        changed(true)
        return wasTyped
    }

    /// Wipes the key, and ends whatever is done with the vault.
    package func lock() async {
        lockCount &+= 1
        watch?.cancel()
        watch = nil
        let wasUnlocked = secrets != nil
        secrets = nil
        let running = uses.values
        uses = [:]
        // A use that takes no notice of its cancellation finds the vault closed, however fast it is.
        for use in running {
            await use.vault.close()
            use.cancel()
        }
        if wasUnlocked { changed(false) }
    }

    /// Runs `body`, and names the lock as the cause if it fails and the vault was locked meanwhile.
    ///
    /// - Throws: ``AgentRefusal`` `locked-meanwhile`; the errors of `body`.
    package func endingWithLock<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let lockCount = lockCount
        do {
            return try await body()
        } catch {
            guard lockCount != self.lockCount else { throw error }
            throw AgentRefusal(.lockedMeanwhile, reason: "the vault was locked in the middle")
        }
    }

    /// Runs `body` with the vault as it is now. A lock cancels it.
    ///
    /// - Throws: ``AgentRefusal`` `agent-locked` or `locked-meanwhile`; `VaultError`; the errors of `body`.
    package func with<Value: Sendable>(
        _ access: Vault.Access, _ body: @escaping @Sendable (Vault) async throws -> Value
    ) async throws -> Value {
        guard timeLeft != nil, let secrets else {
            throw AgentRefusal(.locked, reason: "the vault is locked")
        }
        let vault: Vault
        do throws(VaultError) {
            vault = try Vault.open(at: path, secrets, for: access)
        } catch {
            // Its key is of no more use.
            if error.code == .noSecret { await lock() }
            throw error
        }
        let task = Task { try await body(vault) }
        useCount &+= 1
        let id = useCount
        let lockCount = lockCount
        uses[id] = Use(vault: vault) { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        uses[id] = nil
        await vault.close()
        guard case .failure = outcome, lockCount != self.lockCount else { return try outcome.get() }
        throw AgentRefusal(.lockedMeanwhile, reason: "the vault was locked in the middle")
    }

    private func open(_ summary: Vault.Summary, asking ask: Asking) async throws -> (Vault, wasTyped: Bool) {
        if summary.hasKeyring {
            do throws(VaultError) {
                let secrets = try await SecretService.secrets(forVault: summary.id)
                return (try Vault.open(at: path, secrets, for: .reading), false)
            } catch {
                guard summary.hasPassphrase else { throw error }
            }
        }
        var attempt = 1
        while true {
            let secrets = VaultSecrets(passphrase: try await ask(attempt))
            do throws(VaultError) {
                return (try Vault.open(at: path, secrets, for: .reading), true)
            } catch {
                guard error.code == .wrongPassphrase, attempt < Self.attempts else { throw error }
                attempt += 1
            }
        }
    }

    private func hold(for duration: Duration) {
        until = .now + duration
        watch?.cancel()
        watch = Task { [weak self] in
            while let left = await self?.timeLeft {
                guard (try? await Task.sleep(for: min(left, Self.longestSleep))) != nil else { return }
            }
            await self?.expire()
        }
    }

    /// Locks at the end of the time; a use that began before may end in its own time, since its user has just agreed.
    private func expire() async {
        guard timeLeft == nil, secrets != nil, !Task.isCancelled else { return }
        secrets = nil
        changed(false)
    }
}
