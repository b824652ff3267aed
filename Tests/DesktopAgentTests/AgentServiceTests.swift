import Foundation
import LinuxSupport
import Synchronization
import TestPeers
import Testing
import Vault

@testable import DesktopAuthenticator

/// The agent and its clients, over a bus of their own.
@Suite(.timeLimit(.minutes(2)))
struct AgentServiceTests {
    /// Runs an agent on a bus while `body` runs.
    private static func with(
        passphrase: @escaping OpenVault.Asking = { _ in AgentVaultContext.secret("open") },
        answer: @escaping @Sendable (String, AgentWork.CodeSource, OpenVault) async throws -> String = { _, _, _ in ""
        },
        _ body: (DBusAddress, AgentVaultContext) async throws -> Void
    ) async throws {
        try await AgentVaultContext.with { context in
            try await withBus { address in
                let service = service(context, passphrase, answer)
                let (ready, continuation) = AsyncStream<Void>.makeStream()
                let serving = Task { try await service.run(at: address) { continuation.yield() } }
                for await _ in ready { break }
                do {
                    try await body(address, context)
                } catch {
                    serving.cancel()
                    throw error
                }
                serving.cancel()
                try await serving.value
            }
        }
    }

    private static func service(
        _ context: AgentVaultContext, _ passphrase: @escaping OpenVault.Asking,
        _ answer: @escaping @Sendable (String, AgentWork.CodeSource, OpenVault) async throws -> String,
        _ listen: AgentWork.Listening? = nil
    ) -> AgentService {
        AgentService(
            vault: context.path, hold: .seconds(900), version: "1.2.3", gate: QuestionGate(),
            work: AgentWork(passphrase: passphrase, answer: answer, listen: listen) { error in
                let code = (error as? AgentRefusal)?.code.rawValue ?? (error as? VaultError)?.code.rawValue
                return AgentFailure(code: code ?? "other", cause: "it failed", hint: "do it", exitStatus: 20)
            })
    }

    private static func withBus(_ body: (DBusAddress) async throws -> Void) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Peers/bus.py")
        try await ChildProcess.with(["/usr/bin/python3", script.path]) { child in
            var lines = child.lines.makeAsyncIterator()
            try await body(try DBusAddress(parsing: await lines.next() ?? "", bus: .session))
        }
    }

    private static func call<Value: Sendable>(
        _ address: DBusAddress, _ body: (AgentClient) async throws -> Value
    ) async throws -> Value {
        try await AgentClient.with(at: address, starting: false, body)
    }

    /// The code of the agent's failure.
    private static func code(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let failure as AgentFailure {
            #expect(failure.cause == "it failed")
            #expect(failure.hint == "do it")
            #expect(failure.exitStatus == 20)
            return failure.code
        } catch let refusal as AgentRefusal {
            return refusal.code.rawValue
        }
    }

    @Test func `it tells of the passkeys while it holds the vault open`() async throws {
        try await Self.with { address, context in
            #expect(
                try await Self.code { try await Self.call(address) { _ = try await $0.passkeys() } } == "agent-locked")
            try await Self.call(address) { try await $0.unlock(for: 600) }
            let (status, passkeys) = try await Self.call(address) { ($0.status, try await $0.passkeys()) }
            #expect(status.isUnlocked && status.secondsLeft > 500 && status.vault == context.path)
            #expect(status.version == "1.2.3" && !status.isBusy && status.reachableClients == 0)
            #expect(passkeys == [PasskeyMetadata(try AgentVaultContext.credential(1))])
            try await Self.call(address) { try await $0.lock() }
            #expect(try await Self.call(address) { $0.status }.isUnlocked == false)
            #expect(
                try await Self.code { try await Self.call(address) { _ = try await $0.passkeys() } } == "agent-locked")
        }
    }

    @Test func `nothing of the vault's crosses the bus but metadata`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        try await Self.with(answer: { code, source, vault in
            continuation.yield()
            return "\(code) \(source)"
        }) { address, _ in
            let outcome = try await Self.call(address) { try await $0.answer("FIDO:/1", from: .screen) }
            #expect(outcome == "FIDO:/1 screen")
            for await _ in asked { break }
        }
    }

    @Test func `one question at a time`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        try await Self.with(passphrase: { _ in
            continuation.yield()
            for await _ in answers { break }
            return AgentVaultContext.secret("open")
        }) { address, _ in
            let first = Task { try await Self.call(address) { try await $0.unlock(for: 600) } }
            for await _ in asked { break }
            #expect(try await Self.call(address) { $0.status }.isBusy)
            #expect(
                try await Self.code { try await Self.call(address) { try await $0.unlock(for: 600) } } == "agent-busy")
            answer.yield()
            try await first.value
            #expect(try await Self.call(address) { $0.status }.isUnlocked)
        }
    }

    @Test func `a question ends when the command that has caused it does`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Bool>.makeStream()
        try await Self.with(passphrase: { _ in
            continuation.yield()
            let wasCancelled = (try? await Task.sleep(for: .seconds(600))) == nil
            end.yield(wasCancelled)
            throw CancellationError()
        }) { address, _ in
            let first = Task { try await Self.call(address) { try await $0.unlock(for: 600) } }
            for await _ in asked { break }
            // The connection ends with it, as with a killed process.
            first.cancel()
            _ = await first.result
            for await wasCancelled in ends {
                #expect(wasCancelled)
                break
            }
            while try await Self.call(address, { $0.status }).isBusy { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    @Test func `a lock ends a question, and says so`() async throws {
        let (asked, continuation) = AsyncStream<Void>.makeStream()
        try await Self.with(passphrase: { _ in
            continuation.yield()
            try await Task.sleep(for: .seconds(600))
            return AgentVaultContext.secret("open")
        }) { address, _ in
            let unlocking = Task {
                try await Self.code { try await Self.call(address) { try await $0.unlock(for: 600) } }
            }
            for await _ in asked { break }
            try await Self.call(address) { try await $0.lock() }
            #expect(try await unlocking.value == "locked-meanwhile")
            #expect(try await Self.call(address) { $0.status }.isBusy == false)
        }
    }

    @Test func `nobody is waited for while the machine sleeps, and again afterwards`() async throws {
        let (events, continuation) = AsyncStream<String>.makeStream()
        try await AgentVaultContext.with { context in
            try await Self.withBus { address in
                let listen: AgentWork.Listening = { _, reachable in
                    reachable(3)
                    continuation.yield("begins")
                    try? await Task.sleep(for: .seconds(600))
                    continuation.yield("ends")
                }
                let service = Self.service(
                    context, { _ in AgentVaultContext.secret("open") }, { _, _, _ in "" }, listen)
                let serving = Task { try await service.run(at: address) }
                var iterator = events.makeAsyncIterator()
                #expect(await iterator.next() == "begins")
                #expect(await service.status().reachableClients == 3)
                await service.prepareForSleep()
                #expect(await iterator.next() == "ends")
                #expect(await service.status().reachableClients == 0)
                service.wake()
                #expect(await iterator.next() == "begins")
                // A wake without a sleep before changes nothing.
                service.wake()
                serving.cancel()
                try await serving.value
                #expect(await iterator.next() == "ends")
            }
        }
    }

    @Test func `the second agent says so and ends, and the first goes on`() async throws {
        try await Self.with { address, context in
            let second = Self.service(context, { _ in AgentVaultContext.secret("open") }, { _, _, _ in "" })
            await #expect(throws: AgentRefusal(.runsAlready, reason: "an agent runs already")) {
                try await second.run(at: address)
            }
            try await Self.call(address) { try await $0.unlock(for: 600) }
        }
    }

    @Test func `Stop ends it, and then there is none`() async throws {
        try await Self.with { address, _ in
            try await Self.call(address) { try await $0.stop() }
            while try await Self.code({ try await Self.call(address) { _ in } }) == nil {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await Self.code { try await Self.call(address) { _ in } } == "no-agent")
            // There is no file by which the bus could start one.
            #expect(
                try await Self.code { try await AgentClient.with(at: address, starting: true) { _ in } } == "no-agent")
        }
    }

    @Test func `arguments out of their bounds are refused`() async throws {
        try await Self.with { address, _ in
            let connection = try await DBusConnection.open(address) { _ in }
            for (member, body) in [
                ("Unlock", [.uint32(0)]), ("Unlock", [.uint32(86_401)]),
                ("AnswerCode", [.string("FIDO:/1"), .string("nowhere")]),
                ("AnswerCode", [.string(String(repeating: "1", count: 8_193)), .string("text")]),
            ] as [(String, [DBusValue])] {
                await #expect(throws: DBusError(.refused, reason: "", name: DBusError.Name.invalidArguments)) {
                    try await connection.call(
                        DBusCall(member, of: AgentBus.name, at: AgentBus.path, in: AgentBus.name, body))
                }
            }
            await connection.close()
        }
    }

    @Test func `an agent of another version is not used`() async throws {
        try await Self.withBus { address in
            let object = DBusObject(
                at: AgentBus.path, AgentBus.name, methods: [],
                properties: [.init("ProtocolVersion", "u") { .uint32(2) }]
            ) { _ in true }
            let other = try await DBusConnection.open(address, answer: { object.answer($0) }) { _ in }
            #expect(try await other.own(AgentBus.name))
            #expect(try await Self.code { try await Self.call(address) { _ in } } == "other-version")
            await other.close()
        }
    }

    @Test func `an agent that ends while it is asked is none`() async throws {
        try await Self.withBus { address in
            let asked = AsyncStream<Void>.makeStream()
            let ending = try await DBusConnection.open(
                address,
                answer: { _ in
                    asked.continuation.yield()
                    return .later {
                        try? await Task.sleep(for: .seconds(3_600))
                        return .reply([])
                    }
                }
            ) { _ in }
            #expect(try await ending.own(AgentBus.name))
            async let code = Self.code { try await Self.call(address) { _ in } }
            for await _ in asked.stream { break }
            await ending.close()
            #expect(try await code == "no-agent")
        }
    }

    @Test func `one whose program was replaced ends when the vault is locked`() async throws {
        try await AgentVaultContext.with { context in
            try await Self.withBus { address in
                let service = Self.service(context, { _ in AgentVaultContext.secret("open") }, { _, _, _ in "" })
                let isReplaced = Atomic(false)
                let (ready, continuation) = AsyncStream<Void>.makeStream()
                let serving = Task {
                    try await service.run(
                        at: address, endingWhenIdleFor: .milliseconds(600_000), ready: { continuation.yield() },
                        isReplaced: { isReplaced.load(ordering: .relaxed) })
                }
                for await _ in ready { break }
                try await Self.call(address) { try await $0.unlock(for: 1) }
                isReplaced.store(true, ordering: .relaxed)
                await #expect(
                    throws: AgentRefusal(.replaced, reason: "another version has replaced this program")
                ) { try await serving.value }
                #expect(await service.status().isUnlocked == false)
            }
        }
    }

    @Test func `without its bus it ends, and says so`() async throws {
        try await AgentVaultContext.with { context in
            let service = Self.service(context, { _ in AgentVaultContext.secret("open") }, { _, _, _ in "" })
            let serving = Mutex<Task<Void, any Error>?>(nil)
            let (ready, continuation) = AsyncStream<Void>.makeStream()
            try await Self.withBus { address in
                serving.withLock { $0 = Task { try await service.run(at: address) { continuation.yield() } } }
                for await _ in ready { break }
            }
            let task = try #require(serving.withLock { $0 })
            await #expect(throws: AgentRefusal.self) { try await task.value }
        }
    }
}
