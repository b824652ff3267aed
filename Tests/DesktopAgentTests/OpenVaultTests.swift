import Cryptography
import Foundation
import PasskeyAuthenticator
import Synchronization
import Testing
import Vault

@testable import DesktopAuthenticator

@Suite(.timeLimit(.minutes(2)))
struct OpenVaultTests {
    @Test func `it is locked until its passphrase was typed`() async throws {
        try await AgentVaultContext.with { context in
            let vault = OpenVault(path: context.path)
            await #expect(throws: AgentRefusal(.locked, reason: "the vault is locked")) {
                try await vault.with(.reading) { _ in }
            }
            let asked = Mutex<[Int]>([])
            let wasTyped = try await vault.unlock(for: .seconds(600)) { attempt in
                asked.withLock { $0.append(attempt) }
                return AgentVaultContext.secret(attempt == 1 ? "shut" : "open")
            }
            #expect(wasTyped)
            #expect(asked.withLock { $0 } == [1, 2])
            #expect(try await vault.with(.reading) { try await $0.credentials().map(\.userName) } == ["user-1"])
        }
    }

    @Test func `three wrong passphrases are enough`() async throws {
        try await AgentVaultContext.with { context in
            let vault = OpenVault(path: context.path)
            let count = Mutex(0)
            await #expect(throws: VaultError(.wrongPassphrase, reason: "")) {
                try await vault.unlock(for: .seconds(600)) { _ in
                    count.withLock { $0 += 1 }
                    return AgentVaultContext.secret("shut")
                }
            }
            #expect(count.withLock { $0 } == 3)
            #expect(await vault.timeLeft == nil)
        }
    }

    @Test func `nobody is asked for what is left of its time, but for more`() async throws {
        try await AgentVaultContext.with { context in
            let vault = try await context.opened(for: .seconds(600))
            for time in [nil, Duration.seconds(60)] {
                let wasTyped = try await vault.unlock(for: time) { _ in throw CancellationError() }
                #expect(!wasTyped)
            }
            #expect(try #require(await vault.timeLeft) < .seconds(601))
            await #expect(throws: CancellationError.self) {
                try await vault.unlock(for: .seconds(3_600)) { _ in throw CancellationError() }
            }
            #expect(try await vault.unlock(for: .seconds(3_600)) { _ in AgentVaultContext.secret("open") })
            #expect(try #require(await vault.timeLeft) > .seconds(601))
        }
    }

    @Test func `another process can change it meanwhile, and is seen`() async throws {
        try await AgentVaultContext.with { context in
            let vault = try await context.opened(for: .seconds(600))
            let other = try Vault.open(at: context.path, context.passphrase())
            try await other.add(AgentVaultContext.credential(2))
            await other.close()
            #expect(try await vault.with(.changing) { try await $0.credentials().count } == 2)
            try await vault.with(.changing) { try await $0.remove(id: AgentVaultContext.credential(1).id) }
            let names = try await Vault.open(at: context.path, context.passphrase(), for: .reading).credentials()
            #expect(names.map(\.userName) == ["user-2"])
        }
    }

    @Test func `a vault that has got another passphrase is locked`() async throws {
        try await AgentVaultContext.with { context in
            let vault = try await context.opened(for: .seconds(600))
            let other = try Vault.open(at: context.path, context.passphrase())
            try await other.change(to: VaultSecrets(passphrase: AgentVaultContext.secret("new")), cost: .cheap)
            await other.close()
            await #expect(throws: VaultError(.noSecret, reason: "")) { try await vault.with(.reading) { _ in } }
            #expect(await vault.timeLeft == nil)
        }
    }

    @Test func `a lock ends what is done with it`() async throws {
        try await AgentVaultContext.with { context in
            let vault = try await context.opened(for: .seconds(600))
            let (begun, continuation) = AsyncStream<Void>.makeStream()
            let use = Task {
                try await vault.with(.changing) { open in
                    continuation.yield()
                    try? await Task.sleep(for: .seconds(600))
                    // Not even one that takes no notice of its cancellation can go on.
                    try await open.add(AgentVaultContext.credential(2))
                }
            }
            for await _ in begun { break }
            #expect(await vault.isInUse)
            await vault.lock()
            await #expect(throws: AgentRefusal(.lockedMeanwhile, reason: "the vault was locked in the middle")) {
                try await use.value
            }
            #expect(
                try await Vault.open(at: context.path, context.passphrase(), for: .reading).credentials().count == 1)
        }
    }

    @Test func `a lock while the passphrase is typed counts`() async throws {
        try await AgentVaultContext.with { context in
            let vault = OpenVault(path: context.path)
            await #expect(throws: AgentRefusal.self) {
                try await vault.unlock(for: .seconds(600)) { _ in
                    await vault.lock()
                    return AgentVaultContext.secret("open")
                }
            }
            #expect(await vault.timeLeft == nil)
        }
    }

    @Test func `it is locked when the time is over, and says so`() async throws {
        try await AgentVaultContext.with { context in
            let (changes, continuation) = AsyncStream<Bool>.makeStream()
            let vault = OpenVault(path: context.path) { continuation.yield($0) }
            try await vault.unlock(for: .milliseconds(200)) { _ in AgentVaultContext.secret("open") }
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next() == true)
            #expect(await iterator.next() == false)
            await #expect(throws: AgentRefusal.self) { try await vault.with(.reading) { _ in } }
        }
    }

    @Test func `a new vault is made if that is wanted, and never in the place of another`() async throws {
        try await AgentVaultContext.with { context in
            let path = context.path + ".new"
            let vault = OpenVault(path: path)
            let asking: OpenVault.Asking = { _ in AgentVaultContext.secret("open") }
            #expect(
                try await vault.unlock(for: nil, asking: asking, making: { AgentVaultContext.secret("brand new") }))
            try await vault.with(.changing) { try await $0.add(AgentVaultContext.credential(3)) }
            let opened = try Vault.open(
                at: path, VaultSecrets(passphrase: AgentVaultContext.secret("brand new")), for: .reading)
            #expect(try await opened.credentials().map(\.userName) == ["user-3"])
            let old = OpenVault(path: context.path)
            try await old.unlock(for: nil, asking: asking, making: { throw CancellationError() })
        }
    }

    @Test func `without a vault there is nothing to open`() async throws {
        let vault = OpenVault(path: "/nowhere/passkeys.vault")
        await #expect(throws: VaultError(.noVault, reason: "")) {
            try await vault.unlock(for: .seconds(1)) { _ in AgentVaultContext.secret("open") }
        }
    }
}
