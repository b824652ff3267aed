import CTAP
import Cryptography
import Encodings
import Foundation
import PasskeyAuthenticator
import Synchronization
import Testing

@testable import Vault

/// Passkeys that newer ones have taken the place of.
@Suite struct ReplacedPasskeyTests {
    private static let day: Int64 = 24 * 60 * 60
    private static let replacedAt: Int64 = 1_000_000

    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let seconds = Atomic(replacedAt)
        var now: @Sendable () -> Int64 { { self.seconds.load(ordering: .relaxed) } }
        func set(_ time: Int64) { seconds.store(time, ordering: .relaxed) }
    }

    /// A vault in which passkey 2 has taken the place of passkey 1, of user 7, and in which 3 is another user's.
    private func withVault(_ body: (VaultTestContext, Vault, Clock) async throws -> Void) async throws {
        try await VaultTestContext.with { context in
            let clock = Clock()
            let vault = try Vault.create(
                at: context.path, id: Vault.newID(), VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap,
                now: clock.now)
            try await vault.add(VaultTestContext.credential(1, user: 7))
            try await vault.add(VaultTestContext.credential(3))
            try await vault.add(VaultTestContext.credential(2, user: 7))
            try await body(context, vault, clock)
        }
    }

    private func reopened(
        _ context: VaultTestContext, _ vault: Vault, _ clock: Clock = Clock()
    ) async throws -> Vault {
        await vault.close()
        return try Vault.open(at: context.path, VaultTestContext.passphrase("open"), now: clock.now)
    }

    private func numbers(_ credentials: [Credential]) -> [UInt8] { credentials.compactMap(\.id.first) }

    private func replaced(_ vault: Vault) async throws -> [UInt8] {
        numbers(try await vault.replaced().map(\.credential))
    }

    @Test func `a replaced passkey is kept with all that it has, and no request finds it`() async throws {
        try await withVault { context, vault, _ in
            let vault = try await reopened(context, vault)
            #expect(try await numbers(vault.credentials()) == [3, 2])
            #expect(try await numbers(vault.credentials(rpID: "example.com")) == [2, 3])
            let old = try #require(try await vault.replaced().first)
            #expect(try await vault.replaced().count == 1)
            #expect(old.replaced == Self.replacedAt && old.keptUntil == Self.replacedAt + 30 * Self.day)
            let credential = try VaultTestContext.credential(1, user: 7)
            #expect(old.credential.id == credential.id && old.credential.userHandle == [7])
            #expect(old.credential.userName == "user-1" && old.credential.lastUsed == 1 && old.credential.prf != nil)
        }
    }

    @Test func `it is there for 30 days, and gone with the first change after them`() async throws {
        try await withVault { context, vault, clock in
            clock.set(Self.replacedAt + 30 * Self.day)
            try await vault.add(VaultTestContext.credential(4))
            #expect(try await replaced(vault) == [1])
            clock.set(Self.replacedAt + 30 * Self.day + 1)
            let vault = try await reopened(context, vault, clock)
            #expect(try await replaced(vault) == [1])
            try await vault.add(VaultTestContext.credential(5))
            #expect(try await replaced(vault).isEmpty)
            #expect(try await replaced(reopened(context, vault)).isEmpty)
        }
    }

    @Test func `a clock that was set back destroys nothing`() async throws {
        try await withVault { _, vault, clock in
            for time in [0, Int64.min, Self.replacedAt - 1] {
                clock.set(time)
                try await vault.add(VaultTestContext.credential(4))
                #expect(try await replaced(vault).contains(1))
            }
        }
    }

    @Test func `restored, it changes places with the newer one, as often as one likes`() async throws {
        try await VaultTestContext.with { context in
            let (first, second) = (
                try VaultTestContext.credential(1, user: 7), try VaultTestContext.credential(2, user: 7)
            )
            try await context.makeVault(credentials: [first, second])
            for (wanted, other) in [(first, second), (second, first), (first, second)] {
                let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
                try await vault.restore(id: wanted.id)
                await vault.close()
                let reader = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
                #expect(try await reader.credentials().map(\.id) == [wanted.id])
                #expect(try await reader.credentials().map(\.key.publicKey) == [wanted.key.publicKey])
                #expect(try await reader.replaced().map(\.credential.id) == [other.id])
            }
        }
    }

    @Test func `restored after the newer one was removed, it is alone`() async throws {
        try await withVault { _, vault, _ in
            try await vault.remove(id: VaultTestContext.credential(2).id)
            try await vault.restore(id: VaultTestContext.credential(1).id)
            #expect(try await numbers(vault.credentials()) == [3, 1])
            #expect(try await replaced(vault).isEmpty)
        }
    }

    @Test func `only what was replaced can be restored, and what is removed is gone`() async throws {
        try await withVault { context, vault, _ in
            for id in try [VaultTestContext.credential(2).id, VaultTestContext.credential(9).id, []] {
                #expect(
                    await storeRefusal { () throws(CredentialStoreError) in try await vault.restore(id: id) }
                        == "unknown-credential")
            }
            try await vault.remove(id: VaultTestContext.credential(1).id)
            #expect(try await numbers(vault.credentials()) == [3, 2])
            #expect(try await replaced(reopened(context, vault)).isEmpty)
        }
    }

    @Test func `each of several replaced ones is kept, 128 at most, the latest`() async throws {
        try await withVault { context, vault, _ in
            for number in UInt8(10)...140 { try await vault.add(VaultTestContext.credential(number, user: 7)) }
            let kept = try await replaced(reopened(context, vault))
            #expect(kept == Array(12...139))
        }
    }

    @Test func `an export leaves it out, and the vault keeps it`() async throws {
        try await withVault { context, vault, _ in
            let file = try await vault.exported(VaultTestContext.passphrase("travel"), cost: VaultTestContext.cheap)
            try await vault.markBackedUp()
            #expect(try await replaced(reopened(context, vault)) == [1])
            try context.write(file)
            let export = try Vault.open(at: context.path, VaultTestContext.passphrase("travel"), for: .reading)
            #expect(try await export.replaced().isEmpty)
            #expect(try await numbers(export.credentials()) == [3, 2])
        }
    }

    @Test func `an import neither replaces nor loses one`() async throws {
        try await withVault { _, vault, _ in
            #expect(try await vault.importCredentials([VaultTestContext.credential(1, user: 7)]) == 0)
            #expect(try await replaced(vault) == [1])
            try await vault.remove(id: VaultTestContext.credential(2).id)
            #expect(try await vault.importCredentials([VaultTestContext.credential(1, user: 7)]) == 1)
            #expect(try await numbers(vault.credentials()) == [3, 1])
            #expect(try await replaced(vault).isEmpty)
        }
    }

    @Test func `a change of passphrase keeps it`() async throws {
        try await withVault { context, vault, _ in
            try await vault.change(to: VaultTestContext.passphrase("open"), cost: VaultTestContext.cheap)
            #expect(try await replaced(reopened(context, vault)) == [1])
        }
    }

    /// Version 0.1.0 reads versions 1 and 2, refuses others as newer, and would write back known fields only.
    @Test func `the file has a version that older programs refuse just as long as there is one`() async throws {
        let (first, second) = (
            try VaultTestContext.credential(1, user: 7), try VaultTestContext.credential(2, user: 7)
        )
        var list = try CredentialList([first]).adding(second, keepingReplacedAt: 5)
        #expect(try version(of: list) == 3)
        list = list.pruned(at: 6 + ReplacedCredential.lifetime)
        #expect(try version(of: list) == 2)
    }

    @Test func `one without its time, or with a secret too few, makes the file a damaged one`() throws {
        let list = try CredentialList([VaultTestContext.credential(1, user: 7)])
            .adding(VaultTestContext.credential(2, user: 7), keepingReplacedAt: 5)
        let bytes = try CredentialFile.encode(.init(list: list)).take()
        let header = try CBORValue.decodePrefix(bytes.span)
        let secrets = bytes[header.byteCount..<bytes.count - SHA256.byteCount]
        let map = try #require(header.value.mapValue)
        var old = try #require(map["replaced"]?.arrayValue?.first?.mapValue)
        old[18] = nil
        var timeless = map
        timeless["replaced"] = .array([.map(old)])
        var noList = map
        noList["replaced"] = 1
        for (map, secrets) in [(timeless, secrets), (noList, secrets), (map, secrets.dropLast())] {
            var file = map.encoded() + secrets
            file += SHA256.hash(file.span)
            #expect(throws: CredentialStoreError(.damaged, reason: "")) { _ = try CredentialFile.decode(file.span) }
        }
    }

    private func version(of list: CredentialList) throws -> UInt64? {
        let bytes = try CredentialFile.encode(.init(list: list)).take()
        return try CBORValue.decodePrefix(bytes.span).value.mapValue?["version"]?.unsignedValue
    }
}
