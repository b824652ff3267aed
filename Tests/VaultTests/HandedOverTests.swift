import CTAP
import Cryptography
import Encodings
import PasskeyAuthenticator
import Synchronization
import Testing

@testable import Vault

/// Passkeys that another vault has said it has (PX-HOV-29).
@Suite("A passkey that was handed over")
struct HandedOverTests {
    private static let day: Int64 = 24 * 60 * 60
    private static let arrived: Int64 = 1_000_000
    private static let receiver = CredentialInTransit.Receiver(
        id: [UInt8](repeating: 9, count: 32), name: "bob's laptop")

    private static func id(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: Credential.idByteCount) }

    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let seconds = Atomic(arrived)
        var now: @Sendable () -> Int64 { { self.seconds.load(ordering: .relaxed) } }
        func set(_ time: Int64) { seconds.store(time, ordering: .relaxed) }
    }

    /// A vault with passkeys 1 to 3, of which 1 and 2 were handed over.
    private static func with(_ body: (VaultTestContext, Vault, Clock) async throws -> Void) async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: (1...3).map { try VaultTestContext.credential($0) })
            let clock = Clock()
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), now: clock.now)
            try await vault.sendAway(ids: [id(1), id(2)], to: receiver)
            try await vault.settle(arrived: [id(1), id(2)], takenBack: [])
            try await body(context, vault, clock)
        }
    }

    private static func kept(_ vault: Vault) async throws -> [UInt8] {
        try await vault.handedOver().compactMap(\.credential.id.first)
    }

    @Test("is kept with all that it has, answers no request, and is in no export")
    func unusable() async throws {
        try await Self.with { context, vault, _ in
            await vault.close()
            let again = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
            #expect(try await again.credentials().map(\.id) == [Self.id(3)])
            #expect(try await again.credentials(rpID: "example.com").map(\.id) == [Self.id(3)])
            #expect(try await again.inTransit().isEmpty)
            #expect(try await again.replaced().isEmpty)
            let sent = try #require(try await again.handedOver().first)
            #expect(sent.credential.id == Self.id(1) && sent.receiver == Self.receiver && sent.arrived == Self.arrived)
            #expect(sent.credential.prf != nil && sent.keptUntil == Self.arrived + 30 * Self.day)
            // It has not arrived here: it may be on its way back.
            #expect(try await again.arrivedIDs() == [Self.id(3)])
            let export = try await again.exported(VaultTestContext.passphrase("travel"), cost: VaultTestContext.cheap)
            try await VaultTestContext.with { other in
                try other.write(export)
                let copy = try Vault.open(at: other.path, VaultTestContext.passphrase("travel"), for: .reading)
                #expect(try await copy.credentials().map(\.id) == [Self.id(3)])
                #expect(try await copy.handedOver().isEmpty)
            }
        }
    }

    @Test("comes back by a restoration, which makes a newer one of its account the replaced one")
    func restored() async throws {
        try await Self.with { _, vault, _ in
            try await vault.add(VaultTestContext.credential(4, user: 1))
            try await vault.restore(id: Self.id(1))
            #expect(try await Self.kept(vault) == [2])
            #expect(Set(try await vault.credentials().map(\.id)) == [Self.id(1), Self.id(3)])
            #expect(try await vault.replaced().map(\.credential.id) == [Self.id(4)])
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.restore(id: Self.id(9)) }
                    == "unknown-credential")
        }
    }

    @Test("comes back by a hand-over from its receiver, or by an import")
    func cameBack() async throws {
        try await Self.with { _, vault, _ in
            let sent = try await vault.handedOver().map(\.credential)
            #expect(try await vault.receive([sent[0]], isMove: true) == [.kept])
            #expect(try await vault.importCredentials([sent[1]]) == 1)
            #expect(try await Self.kept(vault).isEmpty)
            #expect(try await vault.credentials().count == 3)
        }
    }

    @Test("is gone when it is purged, each or all, and only then")
    func purged() async throws {
        try await Self.with { context, vault, _ in
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in
                    try await vault.purge(ids: [Self.id(1), Self.id(3)])
                } == "unknown-credential")
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.remove(id: Self.id(1)) }
                    == "unknown-credential")
            #expect(try await Self.kept(vault) == [1, 2])
            try await vault.purge(ids: [Self.id(1)])
            await vault.close()
            let again = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            #expect(try await Self.kept(again) == [2])
            try await again.purge(ids: [Self.id(2)])
            #expect(try await Self.kept(again).isEmpty)
            #expect(try await again.credentials().map(\.id) == [Self.id(3)])
        }
    }

    @Test("is kept for 30 days, and is gone with the first change after that")
    func expires() async throws {
        try await Self.with { _, vault, clock in
            clock.set(Self.arrived + 30 * Self.day)
            try await vault.markBackedUp()
            #expect(try await Self.kept(vault) == [1, 2])
            clock.set(Self.arrived + 30 * Self.day + 1)
            try await vault.markBackedUp()
            #expect(try await Self.kept(vault).isEmpty)
        }
    }

    @Test(
        "is kept for 30 days from when the clock was seen to be set back, and no longer",
        arguments: [0, 1, arrived - 1, arrived - 400 * day])
    func clockIsSetBack(_ earlier: Int64) async throws {
        try await Self.with { context, vault, clock in
            clock.set(earlier)
            try await vault.markBackedUp()
            #expect(try await vault.handedOver().map(\.arrived) == [earlier, earlier])
            await vault.close()
            let again = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), now: clock.now)
            clock.set(earlier + 30 * Self.day)
            try await again.markBackedUp()
            #expect(try await Self.kept(again) == [1, 2])
            clock.set(earlier + 30 * Self.day + 1)
            try await again.markBackedUp()
            #expect(try await Self.kept(again).isEmpty)
        }
    }

    @Test("is in a file that says so by its version, and only there; a full vault's is still read")
    func version() throws {
        let credential = try VaultTestContext.credential(1)
        let list = try CredentialList([credential]).sendingAway(ids: [credential.id], to: Self.receiver, at: 5)
            .settling(arrived: [credential.id], takenBack: [], at: 6)
        let file = try CredentialFile.encode(.init(list: list)).take()
        #expect(try Self.version(of: file) == 6)
        let read = try CredentialFile.decode(file.span).list
        #expect(read.credentials.isEmpty && read.handedOver.map(\.arrived) == [6])
        let plain = try CredentialFile.encode(.init(list: try list.purging(ids: [credential.id]))).take()
        #expect(try Self.version(of: plain) == 2)
        // A file that says an older version has no such passkeys; nor one that has them without a receiver, or in use.
        for change: (inout CBORMap) -> Void in [
            { $0["version"] = 5 }, { $0["handed over"] = 1 },
            { map in
                var entry = map["handed over"]?.arrayValue?.first?.mapValue ?? [:]
                entry[21] = nil
                map["handed over"] = .array([.map(entry)])
            },
        ] {
            let changed = try Self.changed(file, change)
            #expect(throws: CredentialStoreError(.damaged, reason: "")) {
                _ = try CredentialFile.decode(changed.span)
            }
        }
        let both = try CredentialFile.encode(
            .init(list: CredentialList([credential], handedOver: list.handedOver))
        ).take()
        #expect(throws: CredentialStoreError(.damaged, reason: "")) { _ = try CredentialFile.decode(both.span) }
    }

    @Test("is kept beside a full vault, in a file that is read, and 1024 at most, the latest")
    func bound() throws {
        let key = try CredentialKey(.rs256)
        let small = try CredentialKey()
        let blob = LargeBlob(compressed: [UInt8](repeating: 1, count: LargeBlob.maxByteCount), originalByteCount: 1)
        func credential(_ number: Int, _ key: CredentialKey, _ blob: LargeBlob?) -> Credential {
            let name = String(repeating: "n", count: 256)
            return Credential(
                id: [UInt8(number >> 8), UInt8(number & 0xff)] + [UInt8](repeating: 0, count: 1021),
                rpID: String(repeating: "a", count: 253), rpName: name, userHandle: [UInt8](repeating: 1, count: 64),
                userName: name, userDisplayName: name, isDiscoverable: false, key: key, isBackupEligible: true,
                created: 1, lastUsed: 1, largeBlob: blob)
        }
        // A sixteenth of the largest file.
        let inUse = (0..<CredentialList.maxCount / 16).map { credential($0, key, blob) }
        let old = (0..<CredentialList.maxReplacedCount / 16).map {
            ReplacedCredential(credential($0, key, blob), at: 1)
        }
        let elsewhere = (2000..<2000 + CredentialList.maxHandedOverCount / 16).map {
            HandedOverCredential(credential($0, key, blob), at: Self.receiver, arrived: 1)
        }
        let file = try CredentialFile.encode(
            .init(list: CredentialList(inUse, replaced: old, handedOver: elsewhere))
        ).take()
        #expect(file.count * 16 < CredentialFile.maxByteCount)
        let all = (0..<CredentialList.maxHandedOverCount).map {
            HandedOverCredential(credential($0, small, nil), at: Self.receiver, arrived: 1)
        }
        let new = credential(3000, small, nil)
        let another = try CredentialList([new], handedOver: all).sendingAway(ids: [new.id], to: Self.receiver, at: 1)
            .settling(arrived: [new.id], takenBack: [], at: 2)
        #expect(another.handedOver.count == CredentialList.maxHandedOverCount)
        #expect(another.handedOver.first?.credential.id == all[1].credential.id)
        #expect(another.handedOver.last?.credential.id == new.id)
    }

    private static func version(of file: [UInt8]) throws -> UInt64? {
        try CBORValue.decodePrefix(file.span, limits: CBORLimits(maxDepth: 3, maxItems: 1 << 17, maxBytes: 1 << 24))
            .value.mapValue?["version"]?.unsignedValue
    }

    /// The file with another header, and the checksum of that.
    private static func changed(_ file: [UInt8], _ change: (inout CBORMap) -> Void) throws -> [UInt8] {
        let header = try CBORValue.decodePrefix(
            file.span, limits: CBORLimits(maxDepth: 3, maxItems: 1 << 17, maxBytes: 1 << 24))
        var map = header.value.mapValue ?? [:]
        change(&map)
        let bytes = map.encoded() + file[header.byteCount..<(file.count - SHA256.byteCount)]
        return bytes + SHA256.hash(bytes.span)
    }
}
