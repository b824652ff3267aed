import Cryptography
import Foundation
import HybridProtocol
import HybridTransport
import Testing

@Suite("A client's file of links")
struct ClientLinkFileTests {
    @Test("keeps links, and another object reads them whole")
    func kept() throws {
        try Fixture.inFolder { folder in
            let path = folder + "/deep/er/links"
            let file = ClientLinkFile(path: path)
            #expect(try file.links().isEmpty)
            let links = [
                try Fixture.link(1, contactID: [9]),
                try Fixture.link(2, contactID: .init(repeating: 3, count: 4096), name: "Bob's \u{1}Ä🦊"),
            ]
            try file.add(links[0], at: 100)
            try file.add(links[1], at: 200)
            let read = try ClientLinkFile(path: path).links()
            #expect(read.map(\.created) == [100, 200] && read.map(\.lastUsed) == [nil, nil])
            for (link, entry) in zip(links, read) {
                let kept = entry.link.link.encoded()
                let expected = link.link.encoded()
                let isSame = constantTimeEquals(kept.span, expected.span)
                #expect(isSame)
                #expect(entry.id == link.id && entry.id.count == 32)
            }
            #expect(try Fixture.mode(path) == 0o600)
            #expect(try Fixture.mode(folder + "/deep/er") == 0o700)
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: folder + "/deep/er")) == [
                    "links", "links.lock",
                ])
        }
    }

    @Test("takes a new link of the same authenticator in the place of the old one")
    func replaced() throws {
        try Fixture.inFolder { folder in
            let file = ClientLinkFile(path: folder + "/f")
            let key = try Fixture.publicKey()
            try file.add(Fixture.link(1, of: key), at: 100)
            try file.add(Fixture.link(2), at: 200)
            try file.add(Fixture.link(3, of: key), at: 300)
            #expect(try file.links().map(\.created) == [200, 300])
            #expect(try file.links().map { $0.link.link.linkID.bytes.first } == [2, 3])
        }
    }

    @Test("notes when a link was used, and forgets it, and nothing else")
    func usedAndForgotten() throws {
        try Fixture.inFolder { folder in
            let file = ClientLinkFile(path: folder + "/f")
            let links = [try Fixture.link(1), try Fixture.link(2)]
            for link in links { try file.add(link, at: 100) }
            try file.markUsed(links[0].id, at: 500)
            #expect(try file.links().map(\.lastUsed) == [500, nil])
            try file.markUsed([1, 2, 3], at: 600)
            #expect(try file.forget(links[0].id))
            #expect(try !file.forget(links[0].id))
            #expect(try file.links().map(\.id) == [links[1].id])
        }
    }

    @Test("does not forget a newer link for an older one's death")
    func newerLives() throws {
        try Fixture.inFolder { folder in
            let file = ClientLinkFile(path: folder + "/f")
            let key = try Fixture.publicKey()
            let (old, new) = (try Fixture.link(1, of: key), try Fixture.link(2, of: key))
            try file.add(new, at: 100)
            #expect(try !file.forget(old.id, onlyIf: old.link.linkID))
            #expect(try file.links().count == 1)
            #expect(try file.forget(new.id, onlyIf: new.link.linkID))
            #expect(try file.links().isEmpty)
        }
    }

    @Test("is not made, and not touched, where there is nothing to change")
    func untouched() throws {
        try Fixture.inFolder { folder in
            let file = ClientLinkFile(path: folder + "/f")
            try file.markUsed([1], at: 1)
            try file.forget([1])
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("takes 64 links and no more, and then still replaces and forgets")
    func full() throws {
        try Fixture.inFolder { folder in
            let file = ClientLinkFile(path: folder + "/f")
            let last = try Fixture.publicKey()
            // The longest that there can be: the file must be readable still.
            let contactID = [UInt8](repeating: 1, count: ContactID.maximumByteCount)
            let name = String(repeating: "ä", count: Link.maximumNameByteCount / 2)
            for number in UInt8(1)..<64 { try file.add(Fixture.link(number, contactID: contactID, name: name), at: 1) }
            try file.add(Fixture.link(64, of: last, contactID: contactID, name: name), at: 1)
            #expect(try Fixture.code { try file.add(Fixture.link(65), at: 1) } == .full)
            try file.add(Fixture.link(66, of: last), at: 2)
            #expect(try file.links().count == 64)
            try file.forget(file.links()[0].id)
            try file.add(Fixture.link(67), at: 3)
            #expect(try file.links().count == 64)
        }
    }

    @Test("loses nothing of programs that write at once")
    func concurrent() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "hybrid-test-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(1)...8 {
                group.addTask { try ClientLinkFile(path: folder + "/f").add(Fixture.link(number), at: 1) }
            }
            try await group.waitForAll()
        }
        #expect(try ClientLinkFile(path: folder + "/f").links().count == 8)
    }

    @Test("is in the state directory unless told otherwise")
    func place() throws {
        #expect(try ClientLinkFile.defaultPath(environment: ["HOME": "/h"]) == "/h/.local/state/hybrid/links")
        #expect(try ClientLinkFile.defaultPath(environment: ["XDG_STATE_HOME": "/s"]) == "/s/hybrid/links")
        #expect(try Fixture.code { _ = try ClientLinkFile.defaultPath(environment: [:]) } == .noDirectory)
    }
}
