import Cryptography
import Encodings
import Foundation
import PasskeyAuthenticator
import Testing

@testable import Vault

/// The key that a vault keeps for files of their own.
@Suite struct SealingKeyTests {
    private func key(_ vault: Vault) async throws -> [UInt8] {
        let key = try await vault.sealingKey()
        return key.span.withUnsafeBufferPointer { Array($0) }
    }

    private func open(_ context: VaultTestContext, _ access: Vault.Access = .changing) throws -> Vault {
        try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: access)
    }

    @Test func `it is drawn once, and stays through every change`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let vault = try open(context)
            let first = try await key(vault)
            #expect(first.count == Vault.sealingKeyByteCount && Set(first).count > 1)
            try await vault.add(VaultTestContext.credential(2))
            try await vault.add(VaultTestContext.credential(3, user: 2))
            try await vault.change(to: VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap)
            #expect(try await key(vault) == first)
            await vault.close()
            let again = try open(context, .reading)
            #expect(try await key(again) == first)
            #expect(try await again.credentials().map { $0.id[0] } == [1, 3])
            #expect(try await again.replaced().map { $0.credential.id[0] } == [2])
            #expect(Data(try context.bytes()).range(of: Data(first)) == nil)
        }
    }

    @Test func `no two vaults have the same, and an export has none`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let vault = try open(context)
            let own = try await key(vault)
            let export = try await vault.exported(VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap)
            await vault.close()
            try context.write(export)
            let copy = try open(context)
            #expect(try await copy.credentials().count == 1)
            #expect(try await key(copy) != own)
        }
    }

    @Test func `who may only look makes none`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            let reader = try open(context, .reading)
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in _ = try await reader.sealingKey() }
                    == "read-only")
            await reader.close()
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in _ = try await reader.sealingKey() } == "closed")
        }
    }

    /// Version 0.1.0 reads versions 1 and 2, and would write back a vault without the key.
    @Test func `the file has a version that older programs refuse, and is refused if cut short`() throws {
        let secret = [UInt8](repeating: 7, count: Vault.sealingKeyByteCount)
        let key = HeldSecret(SecretBytes(copying: secret.span))
        let bytes = try CredentialFile.encode(.init(list: CredentialList(), sealingKey: key)).take()
        #expect(try CBORValue.decodePrefix(bytes.span).value.mapValue?["version"]?.unsignedValue == 3)
        var short = Array(bytes.dropLast(SHA256.byteCount + 1))
        short += SHA256.hash(short.span)
        #expect(throws: CredentialStoreError(.damaged, reason: "")) { _ = try CredentialFile.decode(short.span) }
    }
}
