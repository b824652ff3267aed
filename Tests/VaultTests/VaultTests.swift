import Cryptography
import Foundation
import PasskeyAuthenticator
import Testing

@testable import Vault

@Suite struct VaultTests {
    @Test func `what was kept is there when the vault is opened again`() async throws {
        try await VaultTestContext.with { context in
            let credentials = try [VaultTestContext.credential(1), VaultTestContext.credential(2)]
            try await context.makeVault(credentials: credentials)
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            let found = try await vault.credentials()
            #expect(found.map(\.id) == credentials.map(\.id))
            #expect(found.map(\.userName) == ["user-1", "user-2"])
            #expect(found.map(\.lastUsed) == [1, 2])
            #expect(found.map(\.key.publicKey) == credentials.map(\.key.publicKey))
            #expect(try await vault.credentials(rpID: "example.com").map(\.id) == credentials.map(\.id).reversed())
            #expect(try await vault.credentials(rpID: "example.org").isEmpty)
        }
    }

    @Test func `changes and removals are kept`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1), VaultTestContext.credential(2)])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            var first = try #require(try await vault.credentials().first)
            first.lastUsed = 99
            try await vault.update(first)
            try await vault.remove(id: VaultTestContext.credential(2).id)
            await vault.close()
            let found = try await Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
                .credentials()
            #expect(found.map(\.lastUsed) == [99])
        }
    }

    @Test func `the file is its owner's only, and nothing of a passkey is legible in it`() async throws {
        try await VaultTestContext.with { context in
            let credential = try VaultTestContext.credential(1)
            try await context.makeVault(credentials: [credential])
            let mode = try FileManager.default.attributesOfItem(atPath: context.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let file = Data(try context.bytes())
            let key = try credential.key.privateKey()
            let span = key.span
            let secret = Data(span.indices.map { span[$0] })
            for legible in [Data("example.com".utf8), Data("user-1".utf8), Data(credential.id), secret] {
                #expect(file.range(of: legible) == nil)
            }
        }
    }

    @Test func `each writing has a nonce of its own`() async throws {
        try await VaultTestContext.with { context in
            let vault = try Vault.create(
                at: context.path, id: Vault.newID(), VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap)
            let credential = try VaultTestContext.credential(1)
            try await vault.add(credential)
            var nonces: Set<[UInt8]> = []
            for _ in 0..<20 {
                try await vault.update(credential)
                nonces.insert(try VaultFile.parse(context.bytes()).header.nonce)
            }
            #expect(nonces.count == 20)
        }
    }

    @Test func `a wrong passphrase is told from harm, and changes nothing`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let before = try context.bytes()
            for wrong in ["", "Open", "open ", "open\n"] {
                #expect(context.refusal(VaultTestContext.passphrase(wrong), for: .changing) == .wrongPassphrase)
            }
            #expect(context.refusal(.none) == .noSecret)
            #expect(context.refusal(VaultTestContext.keyring(1)) == .noSecret)
            #expect(try context.bytes() == before)
        }
    }

    @Test func `a key of the keyring opens, another does not, and a passphrase can be the second way in`() async throws
    {
        try await VaultTestContext.with { context in
            let both = VaultTestContext.keyring(1).or(VaultTestContext.passphrase("open"))
            try await context.makeVault(both, credentials: [VaultTestContext.credential(1)])
            #expect(context.refusal(VaultTestContext.keyring(1)) == nil)
            #expect(context.refusal(VaultTestContext.passphrase("open")) == nil)
            #expect(context.refusal(VaultTestContext.keyring(2)) == .wrongKeyring)
            #expect(context.refusal(VaultTestContext.keyring(2).or(VaultTestContext.passphrase("open"))) == nil)
            let summary = try #require(try Vault.summary(at: context.path))
            #expect(summary.hasKeyring && summary.hasPassphrase)
        }
    }

    @Test func `after a change of secrets the old ones open nothing, and the key is another`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let old = try VaultFile.parse(context.bytes())
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            try await vault.change(to: VaultTestContext.passphrase("sesame"), cost: VaultTestContext.cheap)
            try await vault.add(VaultTestContext.credential(2))
            await vault.close()
            #expect(context.refusal(VaultTestContext.passphrase("open")) == .wrongPassphrase)
            #expect(
                try await Vault.open(at: context.path, VaultTestContext.passphrase("sesame")).credentials().count == 2)
            let new = try VaultFile.parse(context.bytes())
            #expect(new.header.id == old.header.id)
            let oldKey = try Vault.unlock(old.header, VaultTestContext.passphrase("open"))
            #expect(throws: VaultError(.damaged, reason: "")) { try VaultFile.open(new, oldKey) }
        }
    }

    @Test func `without a secret no vault is made`() async throws {
        try await VaultTestContext.with { context in
            #expect(throws: VaultError(.noSecret, reason: "")) {
                try Vault.create(at: context.path, id: Vault.newID(), .none)
            }
            let summary = try Vault.summary(at: context.path)
            #expect(summary == nil)
            #expect(context.refusal() == .noVault)
            #expect(context.refusal(for: .changing) == .noVault)
        }
    }

    @Test func `a closed vault gives nothing and takes nothing, and another may have it`() async throws {
        try await VaultTestContext.with { context in
            let vault = try Vault.create(
                at: context.path, id: Vault.newID(), VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap)
            let credential = try VaultTestContext.credential(1)
            try await vault.add(credential)
            await vault.close()
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in _ = try await vault.credentials() } == "closed")
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.add(credential) } == "closed")
            #expect(context.refusal(for: .changing) == nil)
        }
    }

    @Test func `an export opens with its own passphrase, and what it holds can be taken in once`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1), VaultTestContext.credential(2)])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            let file = try await vault.exported(VaultTestContext.passphrase("travel"), cost: VaultTestContext.cheap)
            #expect(try await vault.credentials().allSatisfy { !$0.isBackedUp })
            try await vault.markBackedUp()
            #expect(try await vault.credentials().allSatisfy(\.isBackedUp))
            await vault.close()
            let elsewhere = VaultTestContext(directory: context.directory + "/elsewhere")
            try FileManager.default.createDirectory(atPath: elsewhere.directory, withIntermediateDirectories: true)
            try elsewhere.write(file)
            #expect(elsewhere.refusal(VaultTestContext.passphrase("open")) == .wrongPassphrase)
            let export = try Vault.open(at: elsewhere.path, VaultTestContext.passphrase("travel"), for: .reading)
            let third = VaultTestContext(directory: context.directory + "/third")
            // User 2 has another passkey there: it stays.
            try FileManager.default.createDirectory(atPath: third.directory, withIntermediateDirectories: true)
            try await third.makeVault(credentials: [VaultTestContext.credential(9, user: 2)])
            let other = try Vault.open(at: third.path, VaultTestContext.passphrase("open"))
            #expect(try await export.credentials().allSatisfy(\.isBackedUp))
            #expect(try await other.importCredentials(export.credentials()) == 1)
            #expect(try await other.importCredentials(export.credentials()) == 0)
            #expect(try await other.credentials().map { $0.id[0] } == [9, 1])
        }
    }

    @Test(
        arguments: [
            (["XDG_DATA_HOME": "/data", "HOME": "/home"], "/data/hybrid/passkeys.vault"),
            (["HOME": "/home"], "/home/.local/share/hybrid/passkeys.vault"),
            (["XDG_DATA_HOME": "data", "HOME": "/home"], "/home/.local/share/hybrid/passkeys.vault"),
            (["XDG_DATA_HOME": "data"], nil),
        ] as [([String: String], String?)])
    func `the vault is where the XDG directories say`(environment: [String: String], path: String?) throws {
        if let path {
            #expect(try Vault.defaultPath(environment: environment) == path)
        } else {
            #expect(throws: VaultError(.noDirectory, reason: "")) { try Vault.defaultPath(environment: environment) }
        }
    }
}

/// The two secrets of an imported passkey's pseudo-random function.
@Suite struct SecondSecretTests {
    @Test("Both secrets of an imported passkey are kept, and one that was drawn here is not written twice")
    func bothAreKept() async throws {
        try await VaultTestContext.with { context in
            let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
            let secrets = try PRFSecret(copying: first.span, withoutVerification: second.span)
            let imported = Credential(
                id: [9], rpID: "example.com", rpName: nil, userHandle: [9], userName: nil, userDisplayName: nil,
                isDiscoverable: true, key: try CredentialKey(), prf: secrets)
            try await context.makeVault(credentials: [VaultTestContext.credential(1), imported])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
            let prf = try await vault.credentials().map { try #require($0.prf) }
            #expect(prf.map(\.hasOther) == [false, true])
            let kept = prf[1].bytes()
            let other = prf[1].withoutVerification()
            #expect(constantTimeEquals(kept.span, first.span) && constantTimeEquals(other.span, second.span))
            let derived = prf[0].withoutVerification()
            #expect(derived.count == 32 && !constantTimeEquals(derived.span, prf[0].bytes().span))
        }
    }
}
