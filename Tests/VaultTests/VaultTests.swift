import Cryptography
import Foundation
import PasskeyAuthenticator
import Testing

@testable import Vault

@Suite struct VaultTests {
    @Test func `what was kept is there when the vault is opened again`() async throws {
        try await Scene.with { scene in
            let credentials = try [Scene.credential(1), Scene.credential(2)]
            try await scene.makeVault(credentials: credentials)
            let vault = try Vault.open(at: scene.path, Scene.passphrase("open"))
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
        try await Scene.with { scene in
            try await scene.makeVault(credentials: [Scene.credential(1), Scene.credential(2)])
            let vault = try Vault.open(at: scene.path, Scene.passphrase("open"))
            var first = try #require(try await vault.credentials().first)
            first.lastUsed = 99
            try await vault.update(first)
            try await vault.remove(id: Scene.credential(2).id)
            await vault.close()
            let found = try await Vault.open(at: scene.path, Scene.passphrase("open"), for: .reading).credentials()
            #expect(found.map(\.lastUsed) == [99])
        }
    }

    @Test func `the file is its owner's only, and nothing of a passkey is legible in it`() async throws {
        try await Scene.with { scene in
            let credential = try Scene.credential(1)
            try await scene.makeVault(credentials: [credential])
            let mode = try FileManager.default.attributesOfItem(atPath: scene.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let file = Data(try scene.bytes())
            let key = try credential.key.privateKey()
            let span = key.span
            let secret = Data(span.indices.map { span[$0] })
            for legible in [Data("example.com".utf8), Data("user-1".utf8), Data(credential.id), secret] {
                #expect(file.range(of: legible) == nil)
            }
        }
    }

    @Test func `each writing has a nonce of its own`() async throws {
        try await Scene.with { scene in
            let vault = try Vault.create(
                at: scene.path, id: Vault.newID(), Scene.passphrase("open"), cost: Scene.cheap)
            let credential = try Scene.credential(1)
            try await vault.add(credential)
            var nonces: Set<[UInt8]> = []
            for _ in 0..<20 {
                try await vault.update(credential)
                nonces.insert(try VaultFile.parse(scene.bytes()).header.nonce)
            }
            #expect(nonces.count == 20)
        }
    }

    @Test func `a wrong passphrase is told from harm, and changes nothing`() async throws {
        try await Scene.with { scene in
            try await scene.makeVault(credentials: [Scene.credential(1)])
            let before = try scene.bytes()
            for wrong in ["", "Open", "open ", "open\n"] {
                #expect(scene.refusal(Scene.passphrase(wrong), for: .changing) == .wrongPassphrase)
            }
            #expect(scene.refusal(.none) == .noSecret)
            #expect(scene.refusal(Scene.keyring(1)) == .noSecret)
            #expect(try scene.bytes() == before)
        }
    }

    @Test func `a key of the keyring opens, another does not, and a passphrase can be the second way in`() async throws
    {
        try await Scene.with { scene in
            let both = Scene.keyring(1).or(Scene.passphrase("open"))
            try await scene.makeVault(both, credentials: [Scene.credential(1)])
            #expect(scene.refusal(Scene.keyring(1)) == nil)
            #expect(scene.refusal(Scene.passphrase("open")) == nil)
            #expect(scene.refusal(Scene.keyring(2)) == .wrongKeyring)
            #expect(scene.refusal(Scene.keyring(2).or(Scene.passphrase("open"))) == nil)
            let summary = try #require(try Vault.summary(at: scene.path))
            #expect(summary.hasKeyring && summary.hasPassphrase)
        }
    }

    @Test func `after a change of secrets the old ones open nothing, and the key is another`() async throws {
        try await Scene.with { scene in
            try await scene.makeVault(credentials: [Scene.credential(1)])
            let old = try VaultFile.parse(scene.bytes())
            let vault = try Vault.open(at: scene.path, Scene.passphrase("open"))
            try await vault.change(to: Scene.passphrase("sesame"), cost: Scene.cheap)
            try await vault.add(Scene.credential(2))
            await vault.close()
            #expect(scene.refusal(Scene.passphrase("open")) == .wrongPassphrase)
            #expect(
                try await Vault.open(at: scene.path, Scene.passphrase("sesame")).credentials().count == 2)
            let new = try VaultFile.parse(scene.bytes())
            #expect(new.header.id == old.header.id)
            let oldKey = try Vault.unlock(old.header, Scene.passphrase("open"))
            #expect(throws: VaultError(.damaged, reason: "")) { try VaultFile.open(new, oldKey) }
        }
    }

    @Test func `without a secret no vault is made`() async throws {
        try await Scene.with { scene in
            #expect(throws: VaultError(.noSecret, reason: "")) {
                try Vault.create(at: scene.path, id: Vault.newID(), .none)
            }
            let summary = try Vault.summary(at: scene.path)
            #expect(summary == nil)
            #expect(scene.refusal() == .noVault)
            #expect(scene.refusal(for: .changing) == .noVault)
        }
    }

    @Test func `a closed vault gives nothing and takes nothing, and another may have it`() async throws {
        try await Scene.with { scene in
            let vault = try Vault.create(
                at: scene.path, id: Vault.newID(), Scene.passphrase("open"), cost: Scene.cheap)
            let credential = try Scene.credential(1)
            try await vault.add(credential)
            await vault.close()
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in _ = try await vault.credentials() } == "closed")
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.add(credential) } == "closed")
            #expect(scene.refusal(for: .changing) == nil)
        }
    }

    @Test func `an export opens with its own passphrase, and what it holds can be taken in once`() async throws {
        try await Scene.with { scene in
            try await scene.makeVault(credentials: [Scene.credential(1), Scene.credential(2)])
            let vault = try Vault.open(at: scene.path, Scene.passphrase("open"))
            let file = try await vault.exported(Scene.passphrase("travel"), cost: Scene.cheap)
            #expect(try await vault.credentials().allSatisfy { !$0.isBackedUp })
            try await vault.markBackedUp()
            #expect(try await vault.credentials().allSatisfy(\.isBackedUp))
            await vault.close()
            let elsewhere = Scene(directory: scene.directory + "/elsewhere")
            try FileManager.default.createDirectory(atPath: elsewhere.directory, withIntermediateDirectories: true)
            try elsewhere.write(file)
            #expect(elsewhere.refusal(Scene.passphrase("open")) == .wrongPassphrase)
            let export = try Vault.open(at: elsewhere.path, Scene.passphrase("travel"), for: .reading)
            let third = Scene(directory: scene.directory + "/third")
            // User 2 has another passkey there: it stays.
            try FileManager.default.createDirectory(atPath: third.directory, withIntermediateDirectories: true)
            try await third.makeVault(credentials: [Scene.credential(9, user: 2)])
            let other = try Vault.open(at: third.path, Scene.passphrase("open"))
            #expect(try await export.credentials().allSatisfy(\.isBackedUp))
            #expect(try await other.takeIn(export.credentials()) == 1)
            #expect(try await other.takeIn(export.credentials()) == 0)
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
