package import HybridProtocol
package import HybridTransport
package import PasskeyAuthenticator
internal import Vault

/// The links of an authenticator whose passkeys are open.
package struct OpenLinks: Sendable {
    /// The contents of the file.
    package let contents: AuthenticatorLinkFile.Contents
    private let key: LinkSealingKey?

    init(_ contents: AuthenticatorLinkFile.Contents, openedWith key: LinkSealingKey?) {
        self.contents = contents
        self.key = key
    }

    /// The secret from which all link secrets come.
    ///
    /// - Throws: `LinkFileError` `sealed` if the passkeys are not in a vault, and the links belong to one;
    ///   `other-vault`.
    package func rootSecret() throws(LinkFileError) -> RootSecret { try contents.rootSecret(openedWith: key) }
}

extension AuthenticatorLinkFile {
    /// Opens the links with the passkeys. If these are in a vault, the file has its root secret sealed under a key of
    /// the vault's from then on, whatever version wrote it; otherwise it stays as it is. It is made if it is missing.
    ///
    /// - Throws: `LinkFileError`; `CredentialStoreError`.
    package func open(with store: any CredentialStore) async throws -> OpenLinks {
        guard let vault = store as? Vault else { return OpenLinks(try contentsOrNew(), openedWith: nil) }
        // It is on the disk before anything is sealed under it.
        let key = try LinkSealingKey(await vault.sealingKey())
        return OpenLinks(try sealed(under: key), openedWith: key)
    }

    /// Seals the root secret of a file that has it in clear, if the passkeys are in a vault.
    ///
    /// - Returns: true if it did.
    /// - Throws: as ``open(with:)``.
    package func sealIfPlain(with store: any CredentialStore) async throws -> Bool {
        guard store is Vault, let contents = try contents(), !contents.isSealed else { return false }
        return try await open(with: store).contents.isSealed
    }
}
