import Cryptography
import Foundation
import PasskeyAuthenticator
import Testing

@testable import Vault

/// A directory for one test, and the data of its vault.
struct VaultTestContext: Sendable {
    let directory: String
    var path: String { directory + "/passkeys.vault" }

    /// scrypt at a cost that tests can pay for often.
    static let cheap = Scrypt.Cost(logN: 4, blockSize: 1, parallelization: 1)

    static func with<Result>(_ body: (VaultTestContext) async throws -> Result) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "hybrid-vault-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(VaultTestContext(directory: directory.path))
    }

    static func passphrase(_ text: String) -> VaultSecrets {
        let bytes = Array(text.utf8)
        return VaultSecrets(passphrase: SecretBytes(copying: bytes.span))
    }

    static func keyring(_ byte: UInt8) -> VaultSecrets {
        let bytes = [UInt8](repeating: byte, count: VaultSecrets.keyringKeyByteCount)
        return VaultSecrets(keyringKey: SecretBytes(copying: bytes.span))
    }

    static func credential(_ number: UInt8, user: UInt8? = nil) throws -> Credential {
        Credential(
            id: [UInt8](repeating: number, count: Credential.idByteCount), rpID: "example.com", rpName: "Example",
            userHandle: [user ?? number], userName: "user-\(number)", userDisplayName: nil, isDiscoverable: true,
            key: try CredentialKey(), prf: PRFSecret(), isBackupEligible: true, created: 1, lastUsed: Int64(number))
    }

    /// A vault with passkeys, closed.
    func makeVault(_ secrets: VaultSecrets = passphrase("open"), credentials: [Credential]) async throws {
        let vault = try Vault.create(at: path, id: Vault.newID(), secrets, cost: Self.cheap)
        for credential in credentials { try await vault.add(credential) }
        await vault.close()
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    func write(_ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: path))
        chmod(path, 0o600)
    }

    /// The code of the error on opening the vault; nil if it opens.
    func refusal(_ secrets: VaultSecrets = passphrase("open"), for access: Vault.Access = .reading) -> VaultError.Code?
    {
        do throws(VaultError) {
            _ = try Vault.open(at: path, secrets, for: access)
            return nil
        } catch {
            return error.code
        }
    }
}

/// The code of the error that `body` throws; nil if it throws none.
func storeRefusal(_ body: () async throws(CredentialStoreError) -> Void) async -> String? {
    do {
        try await body()
        return nil
    } catch {
        return error.code.rawValue
    }
}
