public import Cryptography

/// Secrets that open a vault: a passphrase, a key that the desktop's keyring holds, or either. Wiped when the last copy
/// dies.
public struct VaultSecrets: Sendable {
    /// The length of a keyring's key: 32 bytes.
    public static let keyringKeyByteCount = AES256GCM.keyByteCount

    let passphrase: HeldSecret?
    let keyringKey: HeldSecret?
    /// The key of a vault that was open; nil for secrets that open one for the first time.
    let vaultKey: VaultKey?

    /// Takes a passphrase: UTF-8, any number of bytes.
    public init(passphrase: consuming SecretBytes) {
        self.init(passphrase: HeldSecret(passphrase), keyringKey: nil)
    }

    /// Takes a keyring's key: 32 random bytes.
    public init(keyringKey: consuming SecretBytes) {
        self.init(passphrase: nil, keyringKey: HeldSecret(keyringKey))
    }

    init(passphrase: HeldSecret?, keyringKey: HeldSecret?, vaultKey: VaultKey? = nil) {
        self.passphrase = passphrase
        self.keyringKey = keyringKey
        self.vaultKey = vaultKey
    }

    /// No secrets: they open nothing.
    public static let none = VaultSecrets(passphrase: nil, keyringKey: nil)

    /// Both together: those of the other where there are none here.
    public func or(_ other: VaultSecrets) -> VaultSecrets {
        VaultSecrets(
            passphrase: passphrase ?? other.passphrase, keyringKey: keyringKey ?? other.keyringKey,
            vaultKey: vaultKey ?? other.vaultKey)
    }
}

/// The key of a vault that was open, and the ways in which it was sealed then.
struct VaultKey: Sendable {
    let key: HeldSecret
    let id: [UInt8]
    let wrappings: [KeyWrapping]

    /// True if it is the key of a file with this header: with other secrets a vault gets another key.
    func opens(_ header: VaultHeader) -> Bool { header.id == id && header.wrappings == wrappings }
}

/// A secret with several references. Wiped when the last reference goes; it has no description.
final class HeldSecret: Sendable {
    private let bytes: SecretBytes

    init(_ bytes: consuming SecretBytes) { self.bytes = bytes }

    /// The number of bytes.
    var count: Int { bytes.count }

    /// A copy of the bytes, for one use.
    func clone() -> SecretBytes { bytes.clone() }

    /// Draws a key for AES-256-GCM.
    static func randomKey() -> HeldSecret { HeldSecret(SecretBytes.random(count: AES256GCM.keyByteCount)) }
}
