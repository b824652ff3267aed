import Foundation
import PasskeyAuthenticator
import TestPeers
import Testing

@testable import Vault

/// The desktop's keyring: GNOME's own, and a stand-in for the user at the screen. One after the other: the session
/// bus's address is the process's.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SecretServiceTests {
    private static func hasGNOME() async -> Bool {
        (try? await ChildProcess.run(["gnome-keyring-daemon", "--version"]).status) == 0
    }

    /// Runs a keyring while `body` runs; `body` gets the calls to it, line by line.
    private func with(_ behaviour: String..., body: (AsyncStream<String>) async throws -> Void) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/keyring.py").path
        try await ChildProcess.with(["/usr/bin/python3", script] + behaviour) { child in
            let address = try #require(await child.lines.first { _ in true })
            setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
            defer { unsetenv("DBUS_SESSION_BUS_ADDRESS") }
            try await body(child.lines)
        }
    }

    private func refusal(
        limit: Duration = .seconds(30), _ body: (Duration) async throws(VaultError) -> Void
    ) async -> VaultError.Code? {
        do throws(VaultError) {
            try await body(limit)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.enabled("gnome-keyring-daemon is not installed") { await hasGNOME() })
    func `GNOME's keyring keeps a vault's key, gives it again, and forgets it`() async throws {
        try await with("gnome") { _ in
            try await VaultTestContext.with { context in
                let id = Vault.newID()
                let new = try await SecretService.secretsOrNew(forVault: id)
                let vault = try Vault.create(at: context.path, id: id, new)
                try await vault.add(VaultTestContext.credential(1))
                await vault.close()
                let again = try await SecretService.secrets(forVault: id)
                #expect(try await Vault.open(at: context.path, again, for: .reading).credentials().count == 1)
                let same = try await SecretService.secretsOrNew(forVault: id)
                #expect(context.refusal(same) == nil)
                let other = Vault.newID()
                #expect(
                    await refusal { limit throws(VaultError) in
                        _ = try await SecretService.secrets(forVault: other, promptLimit: limit)
                    } == .wrongKeyring)
                let foreign = try await SecretService.secretsOrNew(forVault: other)
                #expect(context.refusal(foreign) == .wrongKeyring)
                try await SecretService.removeSecrets(forVault: id)
                try await SecretService.removeSecrets(forVault: id)
                #expect(
                    await refusal { limit throws(VaultError) in
                        _ = try await SecretService.secrets(forVault: id, promptLimit: limit)
                    } == .wrongKeyring)
            }
        }
    }

    @Test func `a locked keyring asks the user, and is used when it is unlocked`() async throws {
        try await with("unlocks") { lines in
            let id = [UInt8](repeating: 0xa5, count: 16)
            let new = try await SecretService.secretsOrNew(forVault: id)
            let again = try await SecretService.secrets(forVault: id)
            try await VaultTestContext.with { context in
                try await context.makeVault(new, credentials: [])
                #expect(context.refusal(again) == nil)
            }
            try await SecretService.removeSecrets(forVault: id)
            var said: [String] = []
            for await line in lines {
                said.append(line)
                if line == "delete" { break }
            }
            #expect(
                said.prefix(5) == [
                    "session dh-ietf1024-sha256-aes128-cbc-pkcs7",
                    "search application=hybrid vault=\(String(repeating: "a5", count: 16))", "unlock /collection",
                    "prompt", "create ss 32 keep",
                ])
        }
    }

    @Test func `a question that is dismissed leaves the keyring locked`() async throws {
        try await with("dismisses") { _ in
            #expect(
                await refusal { limit throws(VaultError) in
                    _ = try await SecretService.secretsOrNew(forVault: [1], promptLimit: limit)
                } == .keyringLocked)
        }
    }

    @Test func `a question that is not answered is taken off the screen`() async throws {
        try await with("waits") { lines in
            let begun = ContinuousClock.now
            #expect(
                await refusal(limit: .seconds(1)) { limit throws(VaultError) in
                    _ = try await SecretService.secretsOrNew(forVault: [1], promptLimit: limit)
                } == .keyringTimeout)
            #expect(ContinuousClock.now - begun < .seconds(20))
            #expect(await lines.first { $0 == "dismiss" } != nil)
        }
    }

    @Test(arguments: ["none": VaultError.Code.noKeyring, "misbehaves": .keyringFailed])
    func `no keyring, and one that agrees on no key, are told apart`(
        behaviour: String, code: VaultError.Code
    ) async throws {
        try await with(behaviour) { _ in
            #expect(
                await refusal { limit throws(VaultError) in
                    _ = try await SecretService.secrets(forVault: [1], promptLimit: limit)
                } == code)
        }
    }

    @Test func `a keyring on a bus that may be another machine's is not asked`() async throws {
        try await with("unlocks", "tcp") { lines in
            #expect(
                await refusal { limit throws(VaultError) in
                    _ = try await SecretService.secretsOrNew(forVault: [1], promptLimit: limit)
                } == .noKeyring)
        }
    }

    @Test(arguments: ["unix:path=/nowhere", "tcp:host=127.0.0.1,port=1", "nonsense"])
    func `without a bus on this machine there is no keyring`(address: String) async throws {
        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
        defer { unsetenv("DBUS_SESSION_BUS_ADDRESS") }
        #expect(
            await refusal { limit throws(VaultError) in
                _ = try await SecretService.secrets(forVault: [1], promptLimit: limit)
            } == .noKeyring)
    }
}
