import Foundation
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import Vault

/// Disks and files that do not do as they should.
@Suite(.timeLimit(.minutes(2)))
struct DiskTests {
    @Test func `one process at a time has it open for changes, and others can look`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            #expect(context.refusal(for: .changing) == .inUse)
            let reader = try Vault.open(at: context.path, VaultTestContext.passphrase("open"), for: .reading)
            #expect(try await reader.credentials().count == 1)
            let credential = try VaultTestContext.credential(2)
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await reader.add(credential) }
                    == "read-only")
            try await vault.add(credential)
            await vault.close()
            #expect(context.refusal(for: .changing) == nil)
        }
    }

    @Test func `what a crash left beside the file is not an obstacle`() async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            try Data("half a vault".utf8).write(to: URL(filePath: context.path + ".new"))
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            try await vault.add(VaultTestContext.credential(2))
            await vault.close()
            #expect(
                try await Vault.open(at: context.path, VaultTestContext.passphrase("open")).credentials().count == 2)
        }
    }

    @Test(arguments: [0o640, 0o604, 0o660]) func `a vault that others may use is refused`(mode: mode_t) async throws {
        try await VaultTestContext.with { context in
            try await context.makeVault(credentials: [])
            chmod(context.path, mode)
            #expect(context.refusal() == .exposed)
            #expect(context.refusal(for: .changing) == .exposed)
        }
    }

    @Test func `a link and a directory are not vaults`() async throws {
        try await VaultTestContext.with { context in
            try FileManager.default.createSymbolicLink(atPath: context.path, withDestinationPath: "/dev/null")
            #expect(context.refusal() == .notAFile)
            try FileManager.default.removeItem(atPath: context.path)
            try FileManager.default.createDirectory(atPath: context.path, withIntermediateDirectories: true)
            #expect(context.refusal() == .notAFile)
        }
    }

    @Test(.enabled("no file system can be mounted here") { await SmallDisk.canBeMounted() })
    func `on a full disk the old vault stays, and there is room again later`() async throws {
        try await SmallDisk.with(size: "64k") { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            let before = try context.bytes()
            let filler = context.directory + "/filler"
            _ = try? Data(count: 1 << 20).write(to: URL(filePath: filler))
            let vault = try Vault.open(at: context.path, VaultTestContext.passphrase("open"))
            let credential = try VaultTestContext.credential(2)
            #expect(
                await storeRefusal { () throws(CredentialStoreError) in try await vault.add(credential) } == "no-space")
            #expect(try context.bytes() == before)
            #expect(try await vault.credentials().count == 1)
            #expect(!FileManager.default.fileExists(atPath: context.path + ".new"))
            try FileManager.default.removeItem(atPath: filler)
            try await vault.add(credential)
            await vault.close()
            #expect(
                try await Vault.open(at: context.path, VaultTestContext.passphrase("open")).credentials().count == 2)
        }
    }

    @Test(.enabled("no file system can be mounted here") { await SmallDisk.canBeMounted() })
    func `on a read-only disk the vault can be read, and says that it cannot be changed`() async throws {
        try await SmallDisk.with(size: "64k") { context in
            try await context.makeVault(credentials: [VaultTestContext.credential(1)])
            try await SmallDisk.remount(context, "ro")
            #expect(context.refusal(for: .reading) == nil)
            #expect(throws: VaultError(.readOnly, reason: "")) {
                try Vault.create(
                    at: context.directory + "/other", id: Vault.newID(), VaultTestContext.passphrase(""),
                    cost: VaultTestContext.cheap)
            }
            #expect(context.refusal(for: .changing) == .readOnly)
        }
    }
}

/// A file system in memory, mounted for one test.
enum SmallDisk {
    static func canBeMounted() async -> Bool { (try? await with(size: "64k") { _ in true }) ?? false }

    static func with<Result>(size: String, _ body: (VaultTestContext) async throws -> Result) async throws -> Result {
        try await VaultTestContext.with { context in
            try await mount(["-t", "tmpfs", "-o", "size=\(size),mode=700", "tmpfs", context.directory])
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(try await body(context))
            } catch {
                outcome = .failure(error)
            }
            _ = try await ChildProcess.run(["umount", "-l", context.directory])
            return try outcome.get()
        }
    }

    static func remount(_ context: VaultTestContext, _ options: String) async throws {
        try await mount(["-o", "remount,\(options)", context.directory])
    }

    private static func mount(_ arguments: [String]) async throws {
        guard try await ChildProcess.run(["mount"] + arguments).status == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
