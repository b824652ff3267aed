internal import DBus

/// The desktop's keyring, which keeps a vault's key and is unlocked when its person logs in.
///
/// The key travels encrypted under a key that both agree on for the connection, so that it lies in nobody's buffers on the way.
///
/// Source: Secret Service API 0.2 (freedesktop.org).
public enum SecretService {
    /// How long a question of the keyring's may take to be answered.
    public static let promptLimit = Duration.seconds(120)

    /// The key that the keyring has for a vault. If the keyring is locked, it asks its person.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: how long that may take.
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
    ///   - promptLimit: how long its questions may take.
    /// - Throws: ``VaultError`` as ``secrets(forVault:promptLimit:)``; `library-failure`.
    public static func secretsOrNew(
        forVault id: [UInt8], promptLimit: Duration = promptLimit
    ) async throws(VaultError) -> VaultSecrets {
        try await SecretServiceSession.with(promptLimit) { (session) async throws(VaultError) in
            if let secrets = try await session.secrets(of: attributes(id)) { return secrets }
            let key = try HeldSecret.randomKey()
            try await session.keep(key, attributes(id), label: label)
            return VaultSecrets(keyringKey: key.clone())
        }
    }

    /// Removes a vault's key from the keyring, if it is there.
    ///
    /// - Parameters:
    ///   - id: the vault's ID.
    ///   - promptLimit: how long its questions may take.
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
        let digits = id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return ["application": "hybrid", "vault": digits]
    }
}
