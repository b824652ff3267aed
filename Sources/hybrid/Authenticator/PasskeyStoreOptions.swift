import ArgumentParser
import AuthenticatorAgent
import HybridTransport
import PasskeyAuthenticator
import Vault

/// The place of the authenticator's passkeys.
struct PasskeyStoreOptions: ParsableArguments {
    @OptionGroup var vault: VaultOptions

    @Flag(help: "If there is no vault yet: let the desktop's keyring keep the key of the new one.")
    var keyring = false

    @Option(
        help: ArgumentHelp(
            "Keep passkeys in this file rather than in the vault: unencrypted, for tests and labs only.",
            valueName: "file"))
    var store: String?

    @Flag(help: "Keep passkeys in memory rather than in the vault: they are gone when the command ends.")
    var ephemeral = false

    func validate() throws {
        guard store == nil || !ephemeral else { throw ValidationError("give --store or --ephemeral, not both") }
    }

    /// True if they are in the vault.
    var isVault: Bool { store == nil && !ephemeral }

    /// Opens the store, runs `body` with it, and closes it again in any case.
    ///
    /// - Parameter typed: Is told of a passphrase that was typed at the terminal.
    /// - Throws: ``VaultError``, ``CredentialStoreError``, ``Failure``; otherwise what `body` throws.
    func withStore<Value>(
        noting typed: TypedPassphrase, _ reporter: Reporter, _ body: (any CredentialStore) async throws -> Value
    ) async throws -> Value {
        let store = try await open(noting: typed, reporter)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(store)) } catch { outcome = .failure(error) }
        await (store as? Vault)?.close()
        return try outcome.get()
    }

    private func open(noting typed: TypedPassphrase, _ reporter: Reporter) async throws -> any CredentialStore {
        if ephemeral {
            reporter.warn("ephemeral", "with --ephemeral, passkeys are gone when this ends", role: .authenticator)
            return InMemoryCredentialStore()
        }
        guard let store else {
            return try await vault.openOrCreate(usesKeyring: keyring, noting: typed, reporter)
        }
        reporter.warn("unencrypted-store", "\(store) is not encrypted: for tests and labs only", role: .authenticator)
        return try FileCredentialStore(path: store)
    }
}
