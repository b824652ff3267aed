import CTAP
import Cryptography
import Foundation
import Glibc
import Testing

@testable import PasskeyAuthenticator
@testable import Vault

/// Passkeys in a file, and their protection from loss.
@Suite final class FileCredentialStoreTests {
    let directory: URL
    var path: String { directory.appending(path: "store").path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "store-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func credential(_ number: UInt8, rpID: String = "example.org", isDiscoverable: Bool = true) throws
        -> Credential
    {
        Credential(
            id: [number, 1, 2], rpID: rpID, rpName: number == 1 ? nil : "Example", userHandle: [number],
            userName: "n\(number)", userDisplayName: nil, isDiscoverable: isDiscoverable,
            key: try CredentialKey(number == 2 ? .edDSA : .es256))
    }

    private func contents() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    private func refusal() -> CredentialStoreError.Code? {
        do throws(CredentialStoreError) {
            _ = try FileCredentialStore(path: path)
            return nil
        } catch {
            return error.code
        }
    }

    /// Makes a store of three credentials, the last with everything that one can have, and closes it.
    private func fill() async throws -> [Credential] {
        let full = Credential(
            id: [3, 1, 2], rpID: "example.org", rpName: "Example", userHandle: [3], userName: "alice",
            userDisplayName: "Alice", isDiscoverable: true, key: try CredentialKey(.rs256),
            protection: .verificationRequired, prf: PRFSecret(), created: 1_800_000_000, lastUsed: -5,
            largeBlob: LargeBlob(compressed: [1, 2, 3], originalByteCount: 9))
        let credentials = [try credential(1), try credential(2, isDiscoverable: false), full]
        let store = try FileCredentialStore(path: path)
        for credential in credentials { try await store.add(credential) }
        return credentials
    }

    @Test("What was kept is there after the store was opened again, keys included")
    func persistence() async throws {
        let kept = try await fill()
        let store = try FileCredentialStore(path: path)
        let found = await store.credentials(rpID: "example.org")
        #expect(found.map(\.id) == kept.reversed().map(\.id))
        for (found, kept) in zip(found, kept.reversed()) {
            #expect(found.rpName == kept.rpName)
            #expect(found.userHandle == kept.userHandle)
            #expect(found.userName == kept.userName)
            #expect(found.userDisplayName == kept.userDisplayName)
            #expect(found.isDiscoverable == kept.isDiscoverable)
            #expect(found.key.algorithm == kept.key.algorithm)
            let signature = try found.key.sign([1, 2, 3])
            if let point = kept.key.publicKey.es256Point {
                let key = try P256.PublicKey(x963: point.span)
                #expect(try key.verify(signature: signature.span, of: [1, 2, 3].span))
            } else {
                // EdDSA's and RS256's signatures are the same each time.
                #expect(try signature == kept.key.sign([1, 2, 3]))
            }
            #expect(found.protection == kept.protection)
            #expect(found.created == kept.created && found.lastUsed == kept.lastUsed)
            #expect(found.largeBlob == kept.largeBlob)
            let salt = [UInt8](repeating: 7, count: PRFSecret.byteCount)
            #expect(found.prf?.evaluate(salt) == kept.prf?.evaluate(salt))
        }
        #expect(await store.credentials(rpID: "example.com").isEmpty)
    }

    @Test("The file is its owner's only, and nothing else is left beside it but the lock")
    func permissions() async throws {
        _ = try await fill()
        for name in ["store", "store.lock"] {
            var status = stat()
            #expect(stat(directory.appending(path: name).path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: directory.path)) == ["store", "store.lock"])
    }

    @Test("No file is made before there is a credential")
    func lazy() throws {
        _ = try FileCredentialStore(path: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "A file that others may use is refused and left as it is",
        arguments: [0o640, 0o604, 0o620, 0o666, 0o610] as [mode_t])
    func exposed(_ mode: mode_t) async throws {
        _ = try await fill()
        let before = try contents()
        chmod(path, mode)
        #expect(refusal() == .exposed)
        #expect(try contents() == before)
    }

    @Test("A file of another user's is refused", .enabled(if: geteuid() == 0, "only root can give files away"))
    func wrongOwner() async throws {
        _ = try await fill()
        chown(path, 1, 1)
        #expect(refusal() == .wrongOwner)
    }

    @Test("A symbolic link, a directory and a pipe are refused")
    func notAFile() async throws {
        _ = try await fill()
        rename(path, path + ".real")
        symlink(path + ".real", path)
        #expect(refusal() == .notAFile)
        unlink(path)
        symlink(path + ".missing", path)
        #expect(refusal() == .notAFile)
        unlink(path)
        mkdir(path, 0o700)
        #expect(refusal() == .notAFile)
        rmdir(path)
        mkfifo(path, 0o600)
        #expect(refusal() == .notAFile)
    }

    @Test("A directory that is not there is an error of the system's")
    func noDirectory() {
        #expect(throws: CredentialStoreError(.inputOutput, reason: "")) {
            try FileCredentialStore(path: directory.path + "/none/store")
        }
    }

    @Test("A second opening is refused while the first lasts")
    func locked() async throws {
        var first: FileCredentialStore? = try FileCredentialStore(path: path)
        try await first?.add(credential(1))
        #expect(refusal() == .inUse)
        first = nil
        #expect(refusal() == nil)
    }

    @Test("Every truncation of a file is damaged, and is left as it is")
    func truncated() async throws {
        _ = try await fill()
        let whole = try contents()
        for count in 0..<whole.count {
            try Data(whole.prefix(count)).write(to: URL(filePath: path))
            #expect(refusal() == .damaged, "\(count) bytes")
            #expect(try contents().count == count)
        }
        try Data(whole + [0]).write(to: URL(filePath: path))
        #expect(refusal() == .damaged)
    }

    @Test(
        "A file of another format is named by its path, although others may read it",
        arguments: [0o600, 0o644] as [mode_t])
    func otherFormat(mode: mode_t) throws {
        for text in ["", "{}", "-----BEGIN CERTIFICATE-----\n"] {
            try Data(text.utf8).write(to: URL(filePath: path))
            chmod(path, mode)
            let error = #expect(throws: CredentialStoreError.self) { try FileCredentialStore(path: path) }
            #expect(error?.code == .damaged)
            #expect(error?.reason.hasPrefix("\(path): the file is damaged, or another kind of file: ") == true)
        }
    }

    @Test("Every flipped bit of a file is noticed")
    func flipped() async throws {
        _ = try await fill()
        var bytes = try contents()
        for index in bytes.indices {
            bytes[index] ^= 1 << UInt8(index % UInt8.bitWidth)
            let code = #expect(throws: CredentialStoreError.self) { try CredentialFile.decode(bytes.span) }?.code
            #expect(code == .damaged || code == .newerVersion)
            bytes[index] ^= 1 << UInt8(index % UInt8.bitWidth)
        }
        _ = try CredentialFile.decode(bytes.span)
    }

    @Test("A file of a newer version is told from a damaged one")
    func newerVersion() async throws {
        _ = try await fill()
        let bytes = try contents()
        let label = Array("version".utf8)
        let place = try #require(bytes.indices.first { bytes.dropFirst($0).starts(with: label) }) + label.count
        try Data(bytes[..<place] + [7] + bytes[(place + 1)...]).write(to: URL(filePath: path))
        #expect(refusal() == .newerVersion)
    }

    @Test("What a crash left of an unfinished change is cleared away with the next one")
    func leftovers() async throws {
        _ = try await fill()
        try Data("half a file".utf8).write(to: URL(filePath: path + ".new"))
        let store = try FileCredentialStore(path: path)
        try await store.add(credential(4))
        #expect(await store.credentials(rpID: "example.org").count == 4)
        #expect(!FileManager.default.fileExists(atPath: path + ".new"))
    }

    @Test("A change that cannot be written changes nothing")
    func failedWrite() async throws {
        _ = try await fill()
        let before = try contents()
        let store = try FileCredentialStore(path: path)
        // Root may write anywhere, but nobody can open a directory for writing.
        mkdir(path + ".new", 0o700)
        await #expect(throws: CredentialStoreError(.inputOutput, reason: "")) {
            try await store.add(self.credential(4))
        }
        #expect(try contents() == before)
        #expect(await store.credentials(rpID: "example.org").count == 3)
        rmdir(path + ".new")
        try await store.add(credential(4))
        #expect(try contents() != before)
    }

    /// Changes one credential, removes another, and tries the same with the one removed; then closes the store.
    private func change(_ changed: Credential, removing removed: Credential) async throws {
        let store = try FileCredentialStore(path: path)
        try await store.update(changed)
        try await store.remove(id: removed.id)
        let unknown = CredentialStoreError(.unknownCredential, reason: "")
        await #expect(throws: unknown) { try await store.remove(id: removed.id) }
        await #expect(throws: unknown) { try await store.update(removed) }
    }

    @Test("A credential is changed in its place, and removed, also on the disk; one that is not there is neither")
    func changes() async throws {
        let kept = try await fill()
        var changed = kept[0]
        changed.lastUsed = 1_900_000_000
        changed.largeBlob = LargeBlob(compressed: [], originalByteCount: 0)
        try await change(changed, removing: kept[1])
        let again = await (try FileCredentialStore(path: path)).credentials()
        #expect(again.map(\.id) == [kept[0].id, kept[2].id])
        #expect(again[0].lastUsed == 1_900_000_000 && again[0].largeBlob == changed.largeBlob)
        #expect(again[1].lastUsed == -5)
    }

    @Test("A file of version 1 is read, and written as the newest version with the next change")
    func versionOne() async throws {
        let scalar = [UInt8](repeating: 7, count: 32)
        var bytes = Self.versionOneHeader + scalar
        bytes += SHA256.hash(bytes.span)
        try Data(bytes).write(to: URL(filePath: path))
        chmod(path, 0o600)
        let store = try FileCredentialStore(path: path)
        let old = try #require(await store.credentials().first)
        #expect(old.id == [1, 2, 3] && old.rpID == "example.org" && old.userHandle == [9] && old.userName == "alice")
        #expect(old.rpName == nil && old.isDiscoverable && old.prf == nil && old.created == nil && old.lastUsed == nil)
        #expect(old.protection == .verificationOptional && old.largeBlob == nil)
        #expect(try old.key.publicKey == CredentialKey(.es256, privateKey: scalar.span).publicKey)
        try await store.add(credential(4))
        let new = try contents()
        let decoded = try CredentialFile.decode(new.span).list.credentials
        #expect(decoded.map(\.id) == [old.id, [4, 1, 2]])
        #expect(decoded[0].key.publicKey == old.key.publicKey)
    }

    /// `{"format": "hybrid credential store", "version": 1, "credentials": [{…}]}` as version 1 of the program wrote
    /// it.
    private static let versionOneHeader: [UInt8] =
        [0xa3, 0x66] + Array("format".utf8) + [0x77] + Array("hybrid credential store".utf8)
        + [0x67] + Array("version".utf8) + [0x01]
        + [0x6b] + Array("credentials".utf8) + [0x81, 0xa5, 0x01, 0x43, 1, 2, 3, 0x02, 0x6b]
        + Array("example.org".utf8) + [0x04, 0x41, 9, 0x05, 0x65] + Array("alice".utf8) + [0x07, 0xf5]

    @Test("A version that never was is not a store of ours")
    func versionZero() async throws {
        _ = try await fill()
        let bytes = try contents()
        let label = Array("version".utf8)
        let place = try #require(bytes.indices.first { bytes.dropFirst($0).starts(with: label) }) + label.count
        try Data(bytes[..<place] + [0] + bytes[(place + 1)...]).write(to: URL(filePath: path))
        #expect(refusal() == .damaged)
    }
}
