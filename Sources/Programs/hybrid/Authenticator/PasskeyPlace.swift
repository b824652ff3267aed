import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import PasskeyAuthenticator
import Vault

/// The place of the authenticator's passkeys.
struct PasskeyPlace: Sendable {
    let vault: VaultOptions
    let newVault: NewVaultOption
    let lab: LabOptions

    /// True if they are in the vault.
    var isVault: Bool { lab.usesVault }

    /// Opens the store, runs `body` with it, and closes it again in any case.
    ///
    /// - Parameters:
    ///   - links: the links, whose root secret is sealed under the vault if the file has it in clear; nil if there is
    ///     no place for them.
    ///   - typed: is told of a passphrase that was typed at the terminal.
    /// - Throws: ``VaultError``, ``CredentialStoreError``, ``Failure``; otherwise the error of `body`.
    func withStore<Value>(
        sealing links: AuthenticatorLinkFile?, noting typed: TypedPassphrase, _ reporter: Reporter,
        _ body: (any CredentialStore) async throws -> Value
    ) async throws -> Value {
        let store = try await open(noting: typed, reporter)
        if let links { await seal(links, with: store, reporter) }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(store)) } catch { outcome = .failure(error) }
        await (store as? Vault)?.close()
        return try outcome.get()
    }

    private func seal(_ links: AuthenticatorLinkFile, with store: any CredentialStore, _ reporter: Reporter) async {
        do {
            guard try await links.sealIfPlain(with: store) else { return }
            reporter.say(
                "the links' root secret, which was unencrypted in \(links.path), is now in the vault")
        } catch {
            let cause = Failure(error).cause
            reporter.warn("links-not-sealed", "the links' root secret was not sealed: \(cause)", role: .authenticator)
        }
    }

    /// Opens the store, whose user closes it.
    ///
    /// - Throws: ``VaultError``, ``CredentialStoreError``, ``Failure``.
    func open(noting typed: TypedPassphrase, _ reporter: Reporter) async throws -> any CredentialStore {
        if lab.ephemeral {
            reporter.warn("ephemeral", "with --ephemeral, passkeys are gone when this ends", role: .authenticator)
            return InMemoryCredentialStore()
        }
        guard let store = lab.store else {
            return try await vault.openOrCreate(usesKeyring: newVault.keyring, noting: typed, reporter)
        }
        reporter.warn("unencrypted-store", "\(store) is not encrypted: for tests and labs only", role: .authenticator)
        return try FileCredentialStore(path: store)
    }
}
