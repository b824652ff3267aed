package import PasskeyAuthenticator

/// A vault that stays open for as long as a key is there, and that other processes can change meanwhile: its key is
/// held, and each use reads the file as it is then.
package struct HeldVault: CredentialStore {
    private let path: String
    private let secrets: VaultSecrets

    /// Closes an open vault, and holds its key.
    ///
    /// - Parameters:
    ///   - vault: the vault.
    ///   - path: its file.
    /// - Throws: `VaultError` `closed`.
    package init(_ vault: Vault, at path: String) async throws(VaultError) {
        secrets = try await vault.secretsToReopen()
        self.path = path
        await vault.close()
    }

    package var protectsCredentials: Bool { true }

    package func credentials() async throws(CredentialStoreError) -> [Credential] {
        try await use(.reading) { vault throws(CredentialStoreError) in try await vault.credentials() }
    }

    package func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential] {
        try await use(.reading) { vault throws(CredentialStoreError) in try await vault.credentials(rpID: rpID) }
    }

    package func add(_ credential: Credential) async throws(CredentialStoreError) {
        try await use(.changing) { vault throws(CredentialStoreError) in try await vault.add(credential) }
    }

    package func update(_ credential: Credential) async throws(CredentialStoreError) {
        try await use(.changing) { vault throws(CredentialStoreError) in try await vault.update(credential) }
    }

    package func remove(id: [UInt8]) async throws(CredentialStoreError) {
        try await use(.changing) { vault throws(CredentialStoreError) in try await vault.remove(id: id) }
    }

    private func use<Value: Sendable>(
        _ access: Vault.Access, _ body: (Vault) async throws(CredentialStoreError) -> Value
    ) async throws(CredentialStoreError) -> Value {
        let vault = try VaultError.rethrown(
            Vault.open(at: path, secrets, for: access),
            as: { CredentialStoreError(.init(rawValue: $0.code.rawValue), from: $0) })
        let outcome: Result<Value, CredentialStoreError>
        do throws(CredentialStoreError) {
            outcome = .success(try await body(vault))
        } catch {
            outcome = .failure(error)
        }
        await vault.close()
        return try outcome.get()
    }
}
