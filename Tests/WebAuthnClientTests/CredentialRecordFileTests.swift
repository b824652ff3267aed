import CTAP
import Foundation
import TestPeers
import Testing
import WebAuthnClient

@Suite struct CredentialRecordFileTests {
    static func record(_ byte: UInt8, name: String = "alice") throws -> RegisteredCredential {
        var authenticator = TestAuthenticator()
        authenticator.credentialID = [UInt8](repeating: byte, count: 32)
        let record = try authenticator.record()
        return RegisteredCredential(
            id: record.id, publicKey: record.publicKey, user: .init(id: [byte], name: name, displayName: nil),
            signCount: 0, aaguid: record.aaguid, isBackupEligible: true, isBackedUp: false, transports: ["hybrid"])
    }

    /// A verified sign-in of that record.
    static func signIn(_ record: RegisteredCredential, signCount: UInt32) throws -> VerifiedSignIn {
        var authenticator = TestAuthenticator()
        authenticator.credentialID = record.id
        authenticator.signCount = signCount
        authenticator.flags.formUnion([.backupEligible, .backupState])
        let signIn = try Lab.site().beginSignIn()
        let answer = try authenticator.signIn(signIn.request.clientDataHash, user: record.user.id)
        return try signIn.verify(answer) { _ in record }
    }

    static func contents(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    @Test("Credentials are kept by relying party, and read by another process's file object")
    func kept() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder + "/deep/er/credentials.json"
            let file = CredentialRecordFile(path: path)
            #expect(try file.credentials(of: "example.com").isEmpty)
            let (first, second) = (try Self.record(1), try Self.record(2, name: "Bob \"the\"\n\u{1}Ä🦊\\"))
            try file.add(first, of: "example.com", at: 100)
            try file.add(second, of: "example.com", at: 200)
            try file.add(Self.record(3), of: "example.org", at: 300)
            let read = try CredentialRecordFile(path: path).credentials(of: "example.com")
            #expect(read.map(\.credential) == [first, second])
            #expect(read.map(\.created) == [100, 200] && read.allSatisfy { $0.lastUsed == nil })
            #expect(try file.credentials(of: "example.org").count == 1)
            #expect(try file.credentials(of: "EXAMPLE.ORG").isEmpty)
        }
    }

    @Test("The file and its directories are the owner's only, and nothing is left beside it but the lock")
    func modes() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder + "/hybrid/credentials.json"
            try CredentialRecordFile(path: path).add(Self.record(1), of: "example.com")
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(path) == 0o600)
            #expect(try mode(folder + "/hybrid") == 0o700)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/hybrid")
            #expect(Set(names) == ["credentials.json", "credentials.json.lock"])
        }
    }

    @Test("A sign-in changes the counter, the backup state and the time, and nothing else")
    func record() async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            let (used, other) = (try Self.record(1), try Self.record(2))
            try file.add(used, of: "example.com", at: 100)
            try file.add(other, of: "example.com", at: 100)
            try file.record(Self.signIn(used, signCount: 4), of: "example.com", at: 500)
            let read = try file.credentials(of: "example.com")
            var expected = used
            expected.signCount = 4
            expected.isBackedUp = true
            #expect(read.map(\.credential) == [expected, other])
            #expect(read.map(\.lastUsed) == [500, nil] && read.map(\.created) == [100, 100])
        }
    }

    @Test("A sign-in that another program has overtaken is refused")
    func overtaken() async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            let record = try Self.record(1)
            try file.add(record, of: "example.com")
            let (first, second) = (try Self.signIn(record, signCount: 4), try Self.signIn(record, signCount: 5))
            try file.record(second, of: "example.com")
            #expect(try code { try file.record(first, of: "example.com") } == .counterWentBack)
            #expect(try file.credentials(of: "example.com").map(\.credential.signCount) == [5])
            try file.remove(record.id, of: "example.com")
            #expect(try code { try file.record(second, of: "example.com") } == .unknownCredential)
            #expect(try file.credentials(of: "example.com").isEmpty)
        }
    }

    @Test("A credential ID is registered once, with whatever relying party")
    func once() async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            try file.add(Self.record(1), of: "example.com")
            let before = try Self.contents(file.path)
            #expect(try code { try file.add(Self.record(1), of: "example.org") } == .alreadyRegistered)
            #expect(try Self.contents(file.path) == before)
        }
    }

    @Test("Programs that write at once lose nothing")
    func concurrent() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder + "/f"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for byte in UInt8(1)...8 {
                    group.addTask { try CredentialRecordFile(path: path).add(Self.record(byte), of: "example.com") }
                }
                try await group.waitForAll()
            }
            #expect(try CredentialRecordFile(path: path).credentials(of: "example.com").count == 8)
        }
    }

    static let damaged: [(String, RelyingPartyError.Code)] = {
        let key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE" + String(repeating: "A", count: 86)
        let credential = """
            {"id":"AQ","publicKey":"\(key)","userId":"AQ","signCount":0,"aaguid":"AAAAAAAAAAAAAAAAAAAAAA",\
            "backupEligible":false,"backedUp":false,"transports":[],"created":1}
            """
        return [
            ("", .fileDamaged), ("{", .fileDamaged), ("null", .fileDamaged), ("{}", .fileDamaged),
            ("{\"version\":\"1\"}", .fileDamaged), ("{\"version\":0,\"relyingParties\":{}}", .fileDamaged),
            ("{\"version\":1}", .fileDamaged), ("{\"version\":1,\"relyingParties\":[]}", .fileDamaged),
            ("{\"version\":1,\"relyingParties\":{\"a\":[{}]}}", .fileDamaged),
            ("{\"version\":1,\"relyingParties\":{\"a\":[\(credential)]}}", .fileDamaged),
            ("{\"version\":1,\"relyingParties\":{}}x", .fileDamaged),
            (String(repeating: "[", count: 100_000), .fileDamaged),
            ("{\"version\":2,\"relyingParties\":{}}", .fileNewerVersion),
            ("{\"version\":99,\"vault\":true}", .fileNewerVersion),
        ]
    }()

    @Test("A file that is damaged or newer is refused and left as it is", arguments: damaged)
    func refused(contents: String, expected: RelyingPartyError.Code) async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            let bytes = [UInt8](contents.utf8)
            try Data(bytes).write(to: URL(filePath: file.path))
            #expect(try code { _ = try file.credentials(of: "a") } == expected)
            #expect(try code { try file.add(Self.record(1), of: "a") } == expected)
            #expect(try code { try file.remove([1], of: "a") } == expected)
            #expect(try code { try file.record(Self.signIn(Self.record(1), signCount: 1), of: "a") } == expected)
            #expect(try Self.contents(file.path) == bytes)
        }
    }

    @Test("A file is refused or read as it was with any byte changed, and left as it is")
    func flipped() async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            try file.add(Self.record(1), of: "example.com", at: 1)
            let right = try Self.contents(file.path)
            for index in right.indices {
                var bytes = right
                bytes[index] ^= 1 << UInt8(index % UInt8.bitWidth)
                try Data(bytes).write(to: URL(filePath: file.path))
                let refusal = try code {
                    // The key cannot be changed unnoticed in one bit: the point would leave the curve.
                    let keys = try file.credentials(of: "example.com").map(\.credential.publicKey)
                    #expect(try keys.isEmpty || keys == [Self.record(1).publicKey], "byte \(index)")
                }
                #expect([nil, .fileDamaged, .fileNewerVersion].contains(refusal), "byte \(index)")
                #expect(try Self.contents(file.path) == bytes)
            }
        }
    }

    @Test("What is not a file, or in no directory that can be made, is refused")
    func inaccessible() async throws {
        try await TemporaryFolder.with { folder in
            #expect(try code { _ = try CredentialRecordFile(path: folder).credentials(of: "a") } == .fileInaccessible)
            try Data("x".utf8).write(to: URL(filePath: folder + "/x"))
            let below = CredentialRecordFile(path: folder + "/x/y/f")
            #expect(try code { _ = try below.credentials(of: "a") } == .fileInaccessible)
            #expect(try code { try below.add(Self.record(1), of: "a") } == .fileInaccessible)
        }
    }

    @Test("The file is in the state directory that the environment names")
    func place() throws {
        func path(_ environment: [String: String]) throws -> String {
            try CredentialRecordFile.defaultPath(environment: environment)
        }
        #expect(try path(["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/hybrid/credentials.json")
        #expect(try path(["HOME": "/h"]) == "/h/.local/state/hybrid/credentials.json")
        #expect(try path(["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/hybrid/credentials.json")
        #expect(try path(["XDG_STATE_HOME": "relative", "HOME": "/h"]) == "/h/.local/state/hybrid/credentials.json")
        #expect(try code { _ = try path([:]) } == .noStateDirectory)
        #expect(try code { _ = try path(["HOME": "h"]) } == .noStateDirectory)
    }

    @Test("The file is JSON that other programs can read")
    func json() async throws {
        try await TemporaryFolder.with { folder in
            let file = CredentialRecordFile(path: folder + "/f")
            try file.add(Self.record(1), of: "example.com", at: 7)
            let json = try #require(
                JSONSerialization.jsonObject(with: Data(Self.contents(file.path))) as? [String: Any])
            #expect(json["version"] as? Int == 1)
            let parties = try #require(json["relyingParties"] as? [String: [[String: Any]]])
            let credential = try #require(parties["example.com"]?.first)
            #expect(credential["userName"] as? String == "alice" && credential["created"] as? Int == 7)
            #expect(credential["lastUsed"] == nil)
        }
    }
}
