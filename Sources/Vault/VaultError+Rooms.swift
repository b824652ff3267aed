internal import AtomicFile
internal import Cryptography
internal import PasskeyAuthenticator

// The errors of the rooms below under this room's names, and this room's where a credential store's are wanted. The names are
// the same where the meaning is.

extension VaultError {
    init(_ error: AtomicFileError) {
        self.init(error.code == .tooLarge ? .damaged : Code(rawValue: error.code.rawValue), reason: error.reason)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, reason: error.reason) }

    init(_ error: CredentialStoreError) { self.init(Code(rawValue: error.code.rawValue), reason: error.reason) }

    static func damaged(_ what: String) -> Self {
        Self(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}

extension CredentialStoreError {
    init(_ error: VaultError) { self.init(Code(rawValue: error.code.rawValue), reason: error.reason) }
}

/// Gives an error of another room the vault's name.
func asVaultError<Value: ~Copyable>(_ body: () throws(AtomicFileError) -> Value) throws(VaultError) -> Value {
    do throws(AtomicFileError) { return try body() } catch { throw VaultError(error) }
}

/// Gives an error of another room the vault's name.
func asVaultError<Value: ~Copyable>(_ body: () throws(CryptographyError) -> Value) throws(VaultError) -> Value {
    do throws(CryptographyError) { return try body() } catch { throw VaultError(error) }
}

/// Gives an error of another room the vault's name.
func asVaultError<Value: ~Copyable>(_ body: () throws(CredentialStoreError) -> Value) throws(VaultError) -> Value {
    do throws(CredentialStoreError) { return try body() } catch { throw VaultError(error) }
}
