/// A store of passkeys.
///
/// Each change is kept for good before its function returns; where it throws, the store is as it was before.
public protocol CredentialStore: Sendable {
    /// True if the passkeys are kept for good and in secret. A verification by a `LabVerifier` does not count for them.
    var protectsCredentials: Bool { get }

    /// All credentials in the order in which they were made.
    ///
    /// - Throws: ``CredentialStoreError``.
    func credentials() async throws(CredentialStoreError) -> [Credential]

    /// The credentials of a relying party, discoverable or not, the newest first.
    ///
    /// - Throws: ``CredentialStoreError``.
    func credentials(rpID: String) async throws(CredentialStoreError) -> [Credential]

    /// Keeps a new credential.
    ///
    /// A discoverable credential takes the place of the one with the same relying party and user handle (CTAP 2.2
    /// section 6.1.2 step 17).
    ///
    /// - Throws: ``CredentialStoreError``; `full` if there is no room.
    func add(_ credential: Credential) async throws(CredentialStoreError)

    /// Keeps a credential as it is now in the place of the one with the same ID.
    ///
    /// - Throws: ``CredentialStoreError``; `unknown-credential` if there is none with that ID.
    func update(_ credential: Credential) async throws(CredentialStoreError)

    /// Removes a credential.
    ///
    /// - Parameter id: the credential ID.
    /// - Throws: ``CredentialStoreError``; `unknown-credential` if there is none with that ID.
    func remove(id: [UInt8]) async throws(CredentialStoreError)
}

extension CredentialStore {
    /// False unless the store says otherwise.
    public var protectsCredentials: Bool { false }
}
