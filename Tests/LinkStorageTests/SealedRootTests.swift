import Cryptography
import Encodings
import Foundation
import HybridProtocol
import HybridTransport
import Testing

/// The root secret in an authenticator's file of links, under the key of a vault.
@Suite("A sealed root secret")
struct SealedRootTests {
    /// A file that version 0.1.0 wrote, with one link; its root secret stands before the checksum.
    private static let file010 = """
        a3656c696e6b7381a4014829ed8bb7ba923929025829013b5ae886fbeb688616925249f8cbf5d129ed8bb7ba9239295298c2b013b0dc9f\
        1a3069e6408cdb4303676465736b746f70041a6b02f36866666f726d617475687962726964206c696e6b656420636c69656e747367\
        76657273696f6e013ad4c7d865feb36c2b419765e1b726eb9714f29207163afd540a93fd436d5b0676ac6cfc30d05d1ff11bef7f7b\
        48bcb46689277be17b82d94a70ced5de67a242
        """

    private var file010: [UInt8] {
        let digits = Array(Self.file010.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }

    private func publicKey(_ contents: AuthenticatorLinkFile.Contents) throws -> P256.PublicKey {
        try contents.contactKey().publicKey
    }

    /// Runs with a file of version 0.1.0 and its root secret.
    private func withFile(_ body: (AuthenticatorLinkFile, [UInt8]) throws -> Void) throws {
        try Fixture.inFolder { folder in
            let bytes = file010
            try Fixture.write(bytes, to: folder + "/f")
            try body(AuthenticatorLinkFile(path: folder + "/f"), Array(bytes.dropLast(32).suffix(32)))
        }
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool { Data(bytes).range(of: Data(part)) != nil }

    @Test("takes the place of the one that 0.1.0 wrote in clear; links and contact key stay")
    func migration() throws {
        try withFile { file, root in
            let before = try #require(try file.contents())
            #expect(!before.isSealed && before.entries.map(\.name) == ["desktop"])
            #expect(try Fixture.root(before) == root && contains(Fixture.contents(file.path), root))
            let after = try file.sealed(under: Fixture.key(1))
            #expect(after.isSealed && after.entries == before.entries)
            #expect(try publicKey(after) == publicKey(before))
            #expect(try Fixture.root(after, Fixture.key(1)) == root)
            let identity = try file.identity()
            _ = try file.sealed(under: Fixture.key(1))
            #expect(try file.identity() == identity)
        }
    }

    @Test("leaves nothing in the file from which a link's secret could be computed")
    func nothingInClear() throws {
        try withFile { file, root in
            let link = try #require(try file.contents()?.entries.first)
            let secret = try RootSecret(SecretBytes(copying: root.span))
            let shared = try secret.linkSecret(contactID: link.contactID, linkID: link.linkID)
            let identity = try secret.identityKey().scalar()
            _ = try file.sealed(under: Fixture.key(1))
            try file.add(Fixture.entry(2))
            let bytes = try Fixture.contents(file.path)
            #expect(!contains(bytes, root))
            #expect(!contains(bytes, identity.span.withUnsafeBufferPointer { Array($0) }))
            #expect(!contains(bytes, shared.bytes.span.withUnsafeBufferPointer { Array($0) }))
            #expect(try Fixture.mode(file.path) == 0o600)
        }
    }

    @Test("is never in clear in a file that is new")
    func newFile() throws {
        try Fixture.inFolder { folder in
            let file = AuthenticatorLinkFile(path: folder + "/deep/f")
            let contents = try file.sealed(under: Fixture.key(1))
            #expect(contents.isSealed && contents.entries.isEmpty)
            #expect(try !contains(Fixture.contents(file.path), Fixture.root(contents, Fixture.key(1))))
        }
    }

    @Test("opens with its own key only, and says which is missing")
    func otherKey() throws {
        try withFile { file, _ in
            let contents = try file.sealed(under: Fixture.key(1))
            #expect(try Fixture.code { _ = try Fixture.root(contents) } == .sealed)
            #expect(try Fixture.code { _ = try Fixture.root(contents, Fixture.key(2)) } == .otherVault)
            let before = try Fixture.contents(file.path)
            #expect(try file.sealed(under: Fixture.key(2)).isSealed)
            #expect(try Fixture.contents(file.path) == before)
        }
    }

    @Test("stays as it is while links are made, used and revoked without any key")
    func changes() throws {
        try withFile { file, root in
            let contact = try publicKey(file.sealed(under: Fixture.key(1)))
            try file.add(Fixture.entry(2))
            try file.markUsed(Fixture.entry(2).linkID, at: 500)
            try file.revoke(try #require(try file.contents()?.entries.first).linkID)
            let contents = try #require(try file.contents())
            #expect(contents.entries.map(\.lastUsed) == [500])
            #expect(try Fixture.root(contents, Fixture.key(1)) == root && publicKey(contents) == contact)
        }
    }

    @Test("does not open beside a contact key that somebody has put there")
    func otherContactKey() throws {
        try withFile { file, _ in
            _ = try file.sealed(under: Fixture.key(1))
            let other = try P256.PrivateKey.generate().scalar()
            var bytes = Array(try Fixture.contents(file.path).dropLast(64))
            bytes += other.span.withUnsafeBufferPointer { Array($0) }
            bytes += SHA256.hash(bytes.span)
            try Fixture.write(bytes, to: file.path)
            let contents = try #require(try file.contents())
            #expect(try Fixture.code { _ = try Fixture.root(contents, Fixture.key(1)) } == .otherVault)
        }
    }

    @Test("is the same for programs that come at once, and whatever a crash has left")
    func atOnce() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Fixture.write(file010, to: folder + "/f")
        try Fixture.write([1, 2, 3], to: folder + "/f.new")
        let roots = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let contents = try AuthenticatorLinkFile(path: folder + "/f").sealed(under: Fixture.key(1))
                    return try Fixture.root(contents, Fixture.key(1))
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(roots == [Array(file010.dropLast(32).suffix(32))])
    }

    @Test("that lacks a part, or stands beside no contact key, makes the file a damaged one")
    func damaged() throws {
        try withFile { file, _ in
            _ = try file.sealed(under: Fixture.key(1))
            let whole = try Fixture.contents(file.path)
            let header = try CBORValue.decodePrefix(whole.span)
            let map = try #require(header.value.mapValue)
            let secret = Array(whole[header.byteCount..<whole.count - SHA256.byteCount])
            var files: [[UInt8]] = []
            let changes: [(String, CBORValue)] = [
                ("root", .bytes([1])), ("root", 1), ("nonce", .bytes([1])), ("nonce", 1),
            ]
            for (key, value) in changes {
                var changed = map
                changed[.text(key)] = value
                files.append(changed.encoded() + secret)
            }
            var withoutNonce = map
            withoutNonce["nonce"] = nil
            files.append(withoutNonce.encoded() + secret)
            for secret in [[], [UInt8](repeating: 0, count: 32), secret + [1], Array(secret.dropLast())] {
                files.append(map.encoded() + secret)
            }
            for bytes in files {
                try Fixture.write(bytes + SHA256.hash(bytes.span), to: file.path)
                #expect(try Fixture.code { _ = try file.contents() } == .damaged)
            }
        }
    }
}
