import Foundation
import HybridProtocol
import HybridTransport
import Testing

@Suite("An authenticator's file of links")
struct AuthenticatorLinkFileTests {
    private func root(_ contents: AuthenticatorLinkFile.Contents?) throws -> [UInt8] {
        try Fixture.root(#require(contents))
    }

    @Test("makes its root secret once, and keeps it whatever becomes of the links")
    func rootSecret() throws {
        try Fixture.inFolder { folder in
            let file = AuthenticatorLinkFile(path: folder + "/deep/f")
            #expect(try file.contents() == nil)
            let root = try self.root(file.contentsOrNew())
            #expect(root.count == RootSecret.byteCount && Set(root).count > 1)
            #expect(try self.root(file.contentsOrNew()) == root)
            try file.add(Fixture.entry(1))
            try file.revoke(Fixture.entry(1).linkID)
            #expect(try self.root(AuthenticatorLinkFile(path: file.path).contents()) == root)
            let other = AuthenticatorLinkFile(path: folder + "/other")
            #expect(try self.root(other.contentsOrNew()) != root)
            #expect(try Fixture.mode(file.path) == 0o600)
            #expect(try Fixture.mode(folder + "/deep") == 0o700)
        }
    }

    @Test("gives programs that come at once the same root secret")
    func oneRoot() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let roots = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 {
                group.addTask {
                    try Fixture.root(AuthenticatorLinkFile(path: folder + "/f").contentsOrNew())
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(roots.count == 1)
    }

    @Test("says nothing of the root secret")
    func discreet() throws {
        try Fixture.inFolder { folder in
            let contents = try AuthenticatorLinkFile(path: folder + "/f").contentsOrNew()
            let root = try root(contents)
            var text = ""
            dump(contents, to: &text)
            text += "\(contents)"
            #expect(!text.contains(root.map { String($0) }.joined(separator: ", ")))
            #expect(!text.lowercased().contains(root.map { String(format: "%02x", $0) }.joined()))
        }
    }

    @Test("keeps, uses and revokes links")
    func links() throws {
        try Fixture.inFolder { folder in
            let file = AuthenticatorLinkFile(path: folder + "/f")
            let entries = [
                try Fixture.entry(1),
                try Fixture.entry(2, contactID: .init(repeating: 1, count: 4096), name: "Ä\u{7}🦊"),
            ]
            for entry in entries { try file.add(entry) }
            #expect(try file.contents()?.entries == entries)
            try file.markUsed(entries[0].linkID, at: 500)
            #expect(try file.contents()?.entries.map(\.lastUsed) == [500, nil])
            try file.revoke(entries[0].linkID)
            #expect(try Fixture.code { try file.revoke(entries[0].linkID) } == .unknownLink)
            try file.markUsed(entries[0].linkID, at: 600)
            #expect(try file.contents()?.entries == [entries[1]])
        }
    }

    @Test("cuts a name that is too long between two characters")
    func longName() throws {
        let name = try Fixture.entry(1, name: String(repeating: "🦊", count: 100)).name
        #expect(name == String(repeating: "🦊", count: 32))
    }

    @Test("takes 64 links and no more, and then still revokes")
    func full() throws {
        try Fixture.inFolder { folder in
            let file = AuthenticatorLinkFile(path: folder + "/f")
            let contactID = [UInt8](repeating: 1, count: ContactID.maximumByteCount)
            for number in UInt8(1)...64 { try file.add(Fixture.entry(number, contactID: contactID)) }
            #expect(try Fixture.code { try file.add(Fixture.entry(65)) } == .full)
            #expect(try file.contents()?.entries.count == 64)
            try file.revoke(Fixture.entry(64).linkID)
            try file.add(Fixture.entry(65))
        }
    }

    @Test("shows every change of another program by its identity")
    func identity() throws {
        try Fixture.inFolder { folder in
            let (file, other) = (AuthenticatorLinkFile(path: folder + "/f"), AuthenticatorLinkFile(path: folder + "/f"))
            #expect(try file.identity() == nil)
            try other.add(Fixture.entry(1))
            let first = try #require(try file.identity())
            _ = try other.contents()
            #expect(try file.identity() == first)
            try other.revoke(Fixture.entry(1).linkID)
            #expect(try file.identity() != first)
        }
    }

    @Test("is in the data directory unless told otherwise")
    func place() throws {
        #expect(
            try AuthenticatorLinkFile.defaultPath(environment: ["HOME": "/h"])
                == "/h/.local/share/hybrid/linked-clients")
        #expect(
            try AuthenticatorLinkFile.defaultPath(environment: ["XDG_DATA_HOME": "/d"]) == "/d/hybrid/linked-clients")
        #expect(try Fixture.code { _ = try AuthenticatorLinkFile.defaultPath(environment: [:]) } == .noDirectory)
    }
}
