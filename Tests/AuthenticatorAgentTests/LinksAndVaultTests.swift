import Cryptography
import Foundation
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import Testing
import UserVerification
import Vault

@testable import DesktopAuthenticator

/// The root secret of links, in the keeping of the passkeys' vault.
@Suite("The links of a machine with a vault", .timeLimit(.minutes(2)))
struct LinksAndVaultTests {
    private static let yes = ScriptedAnswer.approved(verified: true, account: nil)

    private func secrets() -> VaultSecrets {
        let key = [UInt8](repeating: 7, count: VaultSecrets.keyringKeyByteCount)
        return VaultSecrets(keyringKey: SecretBytes(copying: key.span))
    }

    private func vault(_ context: AgentTestContext, _ name: String = "vault") throws -> Vault {
        let path = context.folder + "/" + name
        guard try Vault.summary(at: path) != nil else {
            return try Vault.create(at: path, id: Vault.newID(), secrets())
        }
        return try Vault.open(at: path, secrets())
    }

    /// Opens the vault for each wake, as the program does.
    private func access(_ context: AgentTestContext) -> WakeServer.StoreAccess {
        { body in
            let vault = try self.vault(context)
            try await body(vault)
            await vault.close()
        }
    }

    private func bytes(_ secret: borrowing RootSecret) -> [UInt8] { secret.span.withUnsafeBufferPointer { Array($0) } }

    private func file(_ context: AgentTestContext) throws -> Data {
        try Data(contentsOf: URL(filePath: context.links.path))
    }

    /// Has a linked client ask once, with the vault closed until the user has agreed.
    private func ask(_ context: AgentTestContext, _ link: SharedLink) async throws -> UInt8? {
        var status: UInt8?
        try await context.listening(
            consent: ScriptedApproval(Self.yes), approval: ScriptedApproval(Self.yes), store: access(context)
        ) {
            status = try await context.client(ClientLinking(links: [link])).first
        }
        return status
    }

    @Test("have no root secret in their file from the first one on, and wake the machine all the same")
    func linked() async throws {
        try await AgentTestContext.with { context in
            let vault = try self.vault(context)
            let link = try #require(try await context.link(with: vault))
            let root = bytes(try await context.links.open(with: vault).rootSecret())
            await vault.close()
            #expect(try context.links.contents()?.isSealed == true)
            #expect(try file(context).range(of: Data(root)) == nil)
            #expect(try await ask(context, link) == 0)
            #expect(context.events.wakes == ["desktop approved"])
        }
    }

    @Test("that 0.1.0 left in clear still work, and are sealed when the vault is next opened for them")
    func migrated() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link())
            let before = try #require(try context.links.contents())
            let root = bytes(try before.rootSecret(openedWith: nil))
            #expect(!before.isSealed)
            #expect(try file(context).range(of: Data(root)) != nil)
            #expect(try await ask(context, link) == 0)
            #expect(try file(context).range(of: Data(root)) == nil)
            let vault = try self.vault(context)
            let sealed = bytes(try await context.links.open(with: vault).rootSecret())
            #expect(sealed == root)
        }
    }

    @Test("are sealed by an opening that needs none of them, if there are any")
    func sealedWhenPlain() async throws {
        try await AgentTestContext.with { context in
            let vault = try self.vault(context)
            #expect(try await !context.links.sealIfPlain(with: vault))
            #expect(try context.links.contents() == nil)
            _ = try context.links.contentsOrNew()
            #expect(try await !context.links.sealIfPlain(with: InMemoryCredentialStore()))
            #expect(try context.links.contents()?.isSealed == false)
            #expect(try await context.links.sealIfPlain(with: vault))
            #expect(try await !context.links.sealIfPlain(with: vault))
        }
    }

    @Test("keep their root secret when a crash comes between the vault and their file")
    func crash() async throws {
        try await AgentTestContext.with { context in
            let root = bytes(try context.links.contentsOrNew().rootSecret(openedWith: nil))
            let first = try self.vault(context)
            _ = try await first.sealingKey()
            await first.close()
            let again = try self.vault(context)
            let sealed = bytes(try await context.links.open(with: again).rootSecret())
            #expect(sealed == root)
            #expect(try context.links.contents()?.isSealed == true)
        }
    }

    @Test("are of no use without the vault, or with another one, and stay as they are")
    func otherVault() async throws {
        try await AgentTestContext.with { context in
            let vault = try self.vault(context)
            let link = try await context.link(with: vault)
            #expect(link != nil)
            let before = try file(context)
            let unlinked = try await context.link(with: InMemoryCredentialStore())
            #expect(unlinked == nil && failure(context) == .sealed)
            let other = try self.vault(context, "other")
            let foreign = try await context.link(with: other)
            #expect(foreign == nil)
            await #expect(throws: LinkFileError(.otherVault, reason: "")) {
                _ = try await context.links.open(with: other).rootSecret()
            }
            #expect(try file(context) == before)
        }
    }

    private func failure(_ context: AgentTestContext) -> LinkFileError.Code? {
        for case LinkingEvent.failed(let error as LinkFileError) in context.events.all { return error.code }
        return nil
    }

    @Test("are waited for by a listener that has none yet")
    func waiting() async throws {
        try await AgentTestContext.with { context in
            async let first = WakeListener.contents(of: context.links)
            let made = try context.links.contentsOrNew()
            let found = try #require(try await first)
            #expect(try found.contactKey().publicKey == made.contactKey().publicKey)
            let none = AuthenticatorLinkFile(path: context.folder + "/none")
            let waiting = Task { try await WakeListener.contents(of: none) == nil }
            waiting.cancel()
            #expect(try await waiting.value)
        }
    }
}
