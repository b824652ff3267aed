internal import Encodings
internal import LinuxSupport

/// The desktop's keyring, which keeps a vault's key and is unlocked when the user logs in.
///
/// The key travels encrypted under a key that both agree on for the connection, so that no buffer on the way has it in
/// clear.
///
/// Source: Secret Service API 0.2 (freedesktop.org).
public enum SecretService {
    /// Longest time for the answer to a question of the keyring.
    public static let promptLimit = Duration.seconds(120)

    /// The key that the keyring has for a vault. If the keyring is locked, it asks the user.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for that.
    /// - Throws: ``VaultError`` `wrong-keyring` if it has none; `no-keyring`, `keyring-locked`, `keyring-timeout` or
    ///   `keyring-failed`.
    public static func secrets(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) -> VaultSecrets {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            guard let secrets = try await session.secrets(of: attributes(id)) else {
                throw VaultError(.wrongKeyring, reason: "the keyring has no key for this vault")
            }
            return secrets
        }
    }

    /// The key that the keyring has for a vault, or a new one, which it has from then on.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for its questions.
    /// - Throws: ``VaultError`` as ``secrets(forVault:promptLimit:)``; `library-failure`.
    public static func secretsOrNew(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) -> VaultSecrets {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            if let secrets = try await session.secrets(of: attributes(id)) { return secrets }
            let key = HeldSecret.randomKey()
            try await session.keep(key, attributes(id), label: label)
            return VaultSecrets(keyringKey: key.clone())
        }
    }

    /// Removes a vault's key from the keyring, if it is there.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: the longest time for its questions.
    /// - Throws: ``VaultError`` as ``secrets(forVault:promptLimit:)``.
    public static func removeSecrets(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            try await session.remove(attributes(id))
        }
    }

    private static let label = "Key of the passkey vault of hybrid"

    private static func attributes(_ id: [UInt8]) -> [String: String] {
        ["application": "hybrid", "vault": Hexadecimal.encode(id)]
    }
}
