import Cryptography
import PasskeyAuthenticator
import Testing

@testable import Vault

/// Passkeys that are handed over: in transit, arrived, taken back.
@Suite("A passkey in transit")
struct TransitTests {
    private static let receiver = CredentialInTransit.Receiver(
        id: [UInt8](repeating: 9, count: 16), name: "bob's laptop")

    private static func id(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: Credential.idByteCount) }

    /// A vault with passkeys 1 and 2, of which 1 is in transit.
    private static func with(
        _ body: (VaultTestContext, Vault) async throws -> Void
    ) async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [
                VaultTestContext.credential(1), VaultTestContext.credential(2),
            ])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), now: { 1000 })
            try await vault.sendAway(ids: [id(1)], to: receiver)
            try await body(context, vault)
        }
    }

    @Test("answers no request, is in no export, and is listed with its receiver, also after another opening")
    func unusable() async throws {
        try await Self.with { context, vault in
            await vault.close()
            let again = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
            #expect(try await again.credentials().map(\.id) == [Self.id(2)])
            #expect(try await again.credentials(rpID: "example.com").map(\.id) == [Self.id(2)])
            let sent = try #require(try await again.inTransit().first)
            #expect(sent.credential.id == Self.id(1) && sent.receiver == Self.receiver && sent.since == 1000)
            #expect(sent.credential.prf != nil)
            let export = try await again.exported(VaultTestContext.passphrase("travel"), cost: VaultTestContext.cheap)
            try await VaultTestContext.with { other in
                try other.write(export)
                let copy = try Vault.open(at: other.path, VaultTestContext.passphrase("travel"), for: .reading)
                #expect(try await copy.credentials().map(\.id) == [Self.id(2)])
                #expect(try await copy.inTransit().isEmpty)
            }
        }
    }

    @Test("does not come back by an import, an update or a removal")
    func noOtherWay() async throws {
        try await Self.with { _, vault in
            let backup = try VaultTestContext.credential(1)
            #expect(try await vault.importCredentials([backup]) == 0)
            #expect(await storeRefusal { () throws(CredentialStoreError) in try await vault.update(backup) } != nil)
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.remove(id: Self.id(1)) } != nil)
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in
                    try await vault.sendAway(ids: [Self.id(1)], to: Self.receiver)
                } == "unknown-credential")
            #expect(try await vault.inTransit().count == 1)
        }
    }

    @Test("is gone once it has arrived, and then the file is one that older programs read")
    func arrived() async throws {
        try await Self.with { context, vault in
            try await vault.settle(arrived: [Self.id(1)], takenBack: [])
            #expect(try await vault.inTransit().isEmpty)
            #expect(try await vault.credentials().map(\.id) == [Self.id(2)])
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in
                    try await vault.settle(arrived: [Self.id(1)], takenBack: [])
                } == "unknown-credential")
        }
    }

    @Test("is in use again in its old place when it is taken back")
    func takenBack() async throws {
        try await Self.with { _, vault in
            try await vault.settle(arrived: [], takenBack: [Self.id(1)])
            #expect(try await vault.inTransit().isEmpty)
            #expect(Set(try await vault.credentials().map(\.id)) == [Self.id(1), Self.id(2)])
        }
    }

    @Test("is a replaced one when it is taken back and its account has got another passkey")
    func takenBackLate() async throws {
        try await Self.with { _, vault in
            try await vault.add(VaultTestContext.credential(3, user: 1))
            try await vault.settle(arrived: [], takenBack: [Self.id(1)])
            #expect(Set(try await vault.credentials().map(\.id)) == [Self.id(2), Self.id(3)])
            #expect(try await vault.replaced().map(\.credential.id) == [Self.id(1)])
        }
    }

    @Test("leaves all as it was where one of several cannot be sent")
    func atomic() async throws {
        try await Self.with { _, vault in
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in
                    try await vault.sendAway(ids: [Self.id(2), Self.id(7)], to: Self.receiver)
                } == "unknown-credential")
            let left = try await vault.credentials().map(\.id)
            #expect(left == [Self.id(2)])
        }
    }

    @Test("is kept by its receiver, once, unless its account has another one there")
    func received() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            let new = try VaultTestContext.credential(2)
            let other = try VaultTestContext.credential(3, user: 1)
            #expect(try await vault.receive([new, other], isMove: true) == [.kept, .otherOfAccount])
            #expect(try await vault.receive([new], isMove: true) == [.held])
            #expect(try await vault.credentials().map(\.id) == [Self.id(1), Self.id(2)])
            // The same ID with another key is another passkey.
            #expect(try await vault.receive([VaultTestContext.credential(2)], isMove: false) == [.otherOfAccount])
        }
    }

    @Test("has arrived until its sender knows it, even if it was moved on since")
    func movedOn() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            _ = try await vault.receive([VaultTestContext.credential(1)], isMove: true)
            try await vault.sendAway(ids: [Self.id(1)], to: Self.receiver)
            #expect(try await vault.arrivedIDs() == [Self.id(1)])
            try await vault.settle(arrived: [Self.id(1)], takenBack: [])
            await vault.close()
            let again = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            #expect(try await again.credentials().isEmpty)
            #expect(try await again.inTransit().isEmpty)
            #expect(try await again.arrivedIDs() == [Self.id(1)])
            try await again.confirmArrivals(ids: [Self.id(1)])
            #expect(try await again.arrivedIDs().isEmpty)
        }
    }

    @Test("that comes back by a hand-over is in use, and no longer in transit")
    func cameBack() async throws {
        try await Self.with { _, vault in
            let sent = try #require(try await vault.inTransit().first).credential
            #expect(try await vault.receive([sent], isMove: true) == [.kept])
            #expect(try await vault.inTransit().isEmpty)
            #expect(Set(try await vault.credentials().map(\.id)) == [Self.id(1), Self.id(2)])
        }
    }

    @Test("keeps its room in a full vault, so that it can be taken back")
    func room() async throws {
        let key = try CredentialKey()
        var all: [Credential] = []
        for number in 0..<CredentialList.maxCount {
            let id: [UInt8] = [UInt8(number / 256), UInt8(number % 256)]
            all.append(
                Credential(
                    id: id, rpID: "example.com", rpName: nil, userHandle: id, userName: nil, userDisplayName: nil,
                    isDiscoverable: true, key: key))
        }
        let full = try CredentialList(all).sendingAway(ids: [all[0].id], to: Self.receiver, at: 0)
        let another = try VaultTestContext.credential(1)
        #expect(throws: CredentialStoreError(.full, reason: "")) { _ = try full.adding(another) }
        #expect(throws: CredentialStoreError(.full, reason: "")) { _ = try full.receiving([another]) }
        #expect(try full.settling(arrived: [], takenBack: [all[0].id], at: 0).credentials.count == 1024)
    }

    @Test("is in a file that says so by its version, and only there")
    func version() throws {
        let credential = try VaultTestContext.credential(1)
        let list = try CredentialList([credential]).sendingAway(ids: [credential.id], to: Self.receiver, at: 5)
        let sent = try CredentialFile.encode(.init(list: list)).take()
        #expect(Self.contains(sent, "version\u{5}"))
        let read = try CredentialFile.decode(sent.span).list
        #expect(read.credentials.isEmpty && read.inTransit.map(\.receiver) == [Self.receiver])
        let plain = try CredentialFile.encode(
            .init(list: try list.settling(arrived: [], takenBack: [credential.id], at: 6))
        ).take()
        #expect(Self.contains(plain, "version\u{2}"))
        // A file that says an older version has no such passkeys.
        var older = sent
        let place = try #require(Self.place(of: "version\u{5}", in: older))
        older[place + 7] = 4
        let digest = SHA256.hash(older.span.extracting(droppingLast: 32))
        older.replaceSubrange((older.count - 32)..., with: digest)
        #expect(throws: CredentialStoreError(.damaged, reason: "")) { _ = try CredentialFile.decode(older.span) }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool { place(of: text, in: bytes) != nil }

    private static func place(of text: String, in bytes: [UInt8]) -> Int? {
        let wanted = Array(text.utf8)
        return bytes.indices.first { bytes[$0...].starts(with: wanted) }
    }
}
