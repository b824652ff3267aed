/// Passkeys that last as long as the process.
public actor InMemoryCredentialStore: CredentialStore {
    private var list = CredentialList()

    /// Makes an empty store.
    public init() {}

    /// All credentials, the oldest first.
    public func credentials() -> [Credential] { list.credentials }

    /// The credentials of a relying party, the newest first.
    public func credentials(rpID: String) -> [Credential] { list.credentials(rpID: rpID) }

    /// Keeps a new credential.
    ///
    /// - Throws: ``CredentialStoreError`` `full`.
    public func add(_ credential: Credential) throws(CredentialStoreError) { list = try list.adding(credential) }

    /// Keeps a credential as it is now.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    public func update(_ credential: Credential) throws(CredentialStoreError) { list = try list.updating(credential) }

    /// Removes a credential.
    ///
    /// - Throws: ``CredentialStoreError`` `unknown-credential`.
    public func remove(id: [UInt8]) throws(CredentialStoreError) { list = try list.removing(id: id) }
}
