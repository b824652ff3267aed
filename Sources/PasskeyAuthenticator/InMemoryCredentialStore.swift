/// Passkeys that last as long as the process.
public actor InMemoryCredentialStore: CredentialStore {
    private var list = CredentialList()

    /// Makes an empty store.
    public init() {}

    /// The credentials of a relying party, the newest first.
    public func credentials(rpID: String) -> [Credential] { list.credentials(rpID: rpID) }

    /// Keeps a new credential.
    ///
    /// - Throws: ``CredentialStoreError`` `full`.
    public func add(_ credential: Credential) throws(CredentialStoreError) { list = try list.adding(credential) }
}
