internal import Cryptography
internal import LinuxSupport
internal import PasskeyAuthenticator

// Conversions between the errors of other modules and the vault's. The codes are the same where the meaning is.

extension VaultError {
    init(_ error: AtomicFileError) {
        self.init(error.code == .tooLarge ? .damaged : Code(rawValue: error.code.rawValue), reason: error.reason)
    }

    init(_ error: CryptographyError) { self.init(.libraryFailure, from: error) }

    init(_ error: CredentialStoreError) { self.init(Code(rawValue: error.code.rawValue), reason: error.reason) }

    static func damaged(_ what: String) -> Self {
        Self(.damaged, reason: "the file is damaged, or another kind of file: \(what)")
    }
}

extension CredentialStoreError {
    init(_ error: VaultError) { self.init(Code(rawValue: error.code.rawValue), reason: error.reason) }
}

/// Converts an error of another module to the vault's.
func asVaultError<Value: ~Copyable>(_ body: () throws(AtomicFileError) -> Value) throws(VaultError) -> Value {
    do throws(AtomicFileError) { return try body() } catch { throw VaultError(error) }
}

/// Converts an error of another module to the vault's.
func asVaultError<Value: ~Copyable>(_ body: () throws(CredentialStoreError) -> Value) throws(VaultError) -> Value {
    do throws(CredentialStoreError) { return try body() } catch { throw VaultError(error) }
}
