import Cryptography
import Foundation
import PasskeyAuthenticator
import Vault

@testable import DesktopAuthenticator

/// A vault with one passkey, in a directory of its own.
struct AgentVaultContext: Sendable {
    let path: String

    static func with<Result>(_ body: (AgentVaultContext) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hybrid-agent-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let context = AgentVaultContext(path: directory.path + "/passkeys.vault")
        let vault = try Vault.create(at: context.path, id: Vault.newID(), context.passphrase(), cost: .cheap)
        try await vault.add(credential(1))
        await vault.close()
        return try await body(context)
    }

    static func secret(_ text: String) -> SecretBytes {
        let bytes = Array(text.utf8)
        return SecretBytes(copying: bytes.span)
    }

    static func credential(_ number: UInt8) throws -> Credential {
        Credential(
            id: [UInt8](repeating: number, count: Credential.idByteCount), rpID: "example.com", rpName: "Example",
            userHandle: [number], userName: "user-\(number)", userDisplayName: nil, isDiscoverable: true,
            key: try CredentialKey(), prf: nil, isBackupEligible: true, created: 1, lastUsed: nil)
    }

    func passphrase() -> VaultSecrets { VaultSecrets(passphrase: Self.secret("open")) }

    /// The vault, held open.
    func opened(for duration: Duration) async throws -> OpenVault {
        let vault = OpenVault(path: path)
        try await vault.unlock(for: duration) { _ in Self.secret("open") }
        return vault
    }
}

extension Scrypt.Cost {
    /// A cost that tests can pay for often.
    static let cheap = Self(logN: 4, blockSize: 1, parallelization: 1)
}
