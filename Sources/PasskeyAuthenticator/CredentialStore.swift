/// Where passkeys are kept.
public protocol CredentialStore: Sendable {
    /// The credentials of a relying party, discoverable or not, the newest first.
    ///
    /// - Throws: ``CredentialStoreError``.
    func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential]

    /// Keeps a new credential for good before it returns.
    ///
    /// A discoverable credential takes the place of the one with the same relying party and user handle (CTAP 2.2
    /// section 6.1.2 step 17).
    ///
    /// - Throws: ``CredentialStoreError``; `full` if there is no room. The store is then as it was before.
    func add(_ credential: Credential) async throws(CredentialStoreError)
}
