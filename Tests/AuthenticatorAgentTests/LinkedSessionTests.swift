import CTAP
import Cryptography
import Foundation
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import Synchronization
import Testing
import UserVerification

@testable import DesktopAuthenticator

/// Links, from their offer to a session that needs no QR code.
@Suite("A linked client", .timeLimit(.minutes(2)))
struct LinkedSessionTests {
    private static let yes = ScriptedAnswer.approved(verified: true, account: nil)

    @Test("is linked after an approval, and then answered without a QR code once the user agrees")
    func linked() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link())
            #expect(link.link.name == "laptop")
            #expect(try context.links.contents()?.entries.map(\.name) == ["desktop"])
            #expect(
                context.events.contains { if case LinkingEvent.linked(name: "desktop") = $0 { true } else { false } })

            let consent = ScriptedApproval(.approved(verified: false, account: nil))
            let approval = ScriptedApproval(Self.yes)
            try await context.listening(consent: consent, approval: approval) {
                let answer = try await context.client(ClientLinking(links: [link]))
                #expect(answer.first == 0)
            }
            #expect(context.events.wakes == ["desktop approved"])
            #expect(consent.questions.map(\.operation) == [.answerLink])
            #expect(approval.questions.map(\.operation) == [.register])
            #expect(
                context.events.contains {
                    guard case AgentEvent.answered(let answers) = $0 else { return false }
                    return answers.map(\.command) == ["makeCredential"] && answers.allSatisfy { $0.failure == nil }
                })
            #expect(context.events.contains { if case CeremonyEvent.stage(.userVerified) = $0 { true } else { false } })
            #expect(try context.links.contents()?.entries.first?.lastUsed != nil)
        }
    }

    @Test("can ask again at once: nobody is busy with what is still to be written down")
    func again() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link())
            // Never closed: the thread below may still need it.
            let lock = open(context.folder + "/linked-clients.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(lock >= 0)
            try await context.listening(
                consent: ScriptedApproval(.approved(verified: false, account: nil)),
                approval: ScriptedApproval(Self.yes)
            ) {
                // Another process is at the file, until the second wake has come to something.
                try #require(flock(lock, LOCK_EX) == 0)
                let events = context.events
                Thread.detachNewThread {
                    let limit = ContinuousClock.now + .seconds(60)
                    while .now < limit, events.wakes.count < 2,
                        !events.contains({ if case AgentEvent.busy = $0 { true } else { false } })
                    {
                        usleep(5_000)
                    }
                    _ = flock(lock, LOCK_UN)
                }
                for _ in 0..<2 {
                    let answer = try await context.client(ClientLinking(links: [link]))
                    #expect(answer.first == 0)
                }
            }
            #expect(context.events.wakes == ["desktop approved", "desktop approved"])
        }
    }

    @Test("can ask again while the session before is being closed: its wake waits for that, and is not declined")
    func closing() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link())
            let (ends, end) = AsyncStream<Void>.makeStream()
            let isFirst = Mutex(true)
            let server = try context.server(
                consent: ScriptedApproval(.approved(verified: false, account: nil)),
                approval: ScriptedApproval(Self.yes)
            ) { body in
                try await body(InMemoryCredentialStore())
                // The passkeys are being closed, which takes until the next wake is here.
                let wasFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard wasFirst else { return }
                for await _ in ends { break }
            }
            try await context.listening(server) {
                let answer = try await context.client(ClientLinking(links: [link]))
                #expect(answer.first == 0)
                async let again = context.client(ClientLinking(links: [link]))
                while !server.turn.isAwaited,
                    !context.events.contains({ if case AgentEvent.busy = $0 { true } else { false } })
                { try await Task.sleep(for: .milliseconds(5)) }
                end.finish()
                #expect(try await again.first == 0)
            }
            #expect(context.events.wakes == ["desktop approved", "desktop approved"])
            #expect(!context.events.contains { if case AgentEvent.busy = $0 { true } else { false } })
        }
    }

    @Test("is still answered when the service has another contact secret beside its own, and the user is told")
    func otherSecret() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link())
            try context.replaceSecret(takingPrevious: true)
            try await context.listening(
                consent: ScriptedApproval(.approved(verified: false, account: nil)),
                approval: ScriptedApproval(Self.yes)
            ) {
                let answer = try await context.client(ClientLinking(links: [link]))
                #expect(answer.first == 0)
            }
            #expect(context.events.wakes == ["desktop approved"])
            #expect(
                context.events.contains {
                    if case AgentEvent.otherContactSecret(linkCount: 1) = $0 { true } else { false }
                })
            // Whose link is of the present secret is not told so.
            let again = try await context.link()
            try context.links.revoke(try #require(try context.links.contents()?.entries.first).linkID)
            context.events.clear()
            try await context.listening(
                consent: ScriptedApproval(.approved(verified: false, account: nil)),
                approval: ScriptedApproval(Self.yes)
            ) {
                let answer = try await context.client(ClientLinking(links: [try #require(again)]))
                #expect(answer.first == 0)
            }
            #expect(!context.events.contains { if case AgentEvent.otherContactSecret = $0 { true } else { false } })
        }
    }

    @Test("is told at once that the user has declined its wake")
    func declined() async throws {
        try await AgentTestContext.with { context in
            let link = try #require(try await context.link(asking: nil))
            let approval = ScriptedApproval(Self.yes)
            try await context.listening(consent: ScriptedApproval(.declined), approval: approval) {
                await #expect(throws: HybridTransportError.self) {
                    try await context.client(ClientLinking(links: [link]))
                }
            }
            #expect(context.events.wakes == ["desktop declined"] && approval.questions.isEmpty)
        }
    }

    @Test("is not asked about, and not linked, after a request that was refused")
    func refused() async throws {
        try await AgentTestContext.with { context in
            let wasAsked = Mutex(false)
            let link = try await context.link(approval: ScriptedApproval(.declined)) {
                wasAsked.withLock { $0 = true }
                return true
            }
            #expect(link == nil && !wasAsked.withLock { $0 })
            #expect(try context.links.contents()?.entries.isEmpty ?? true)
        }
    }

    @Test("is not linked by itself either before the user has approved anything, or when the request was refused")
    func refusedWithoutQuestion() async throws {
        try await AgentTestContext.with { context in
            let link = try await context.link(approval: ScriptedApproval(.declined), asking: nil)
            #expect(link == nil)
            #expect(try context.links.contents()?.entries.isEmpty ?? true)
            #expect(!context.events.contains { $0 is LinkingEvent })
        }
    }

    @Test("is not linked if the user says no, does not answer, or the service cannot be reached")
    func notLinked() async throws {
        try await AgentTestContext.with { context in
            let unwanted = try await context.link(asking: { false })
            #expect(unwanted == nil)
            #expect(!context.events.contains { $0 is LinkingEvent })
            let undecided = try await context.link(asking: { throw CancellationError() })
            #expect(undecided == nil)
            #expect(context.events.contains { if case LinkingEvent.undecided = $0 { true } else { false } })
            #expect(try context.links.contents()?.entries.isEmpty ?? true)
            let log = SessionLog(observe: { _ in })
            var parts = context.parts
            parts.service = .init(address: "ws://127.0.0.1:1")
            let offerer = LinkOfferer(
                file: context.links, parts: parts, names: .init(device: "laptop") { _ in "desktop" }, log: log,
                observe: context.events.note, ask: nil)
            #expect(await offerer.offer(with: InMemoryCredentialStore()) == nil)
            #expect(!context.events.contains { if case LinkingEvent.noContactID = $0 { true } else { false } })
            log.note(.init(command: "getInfo", outcome: .status(.ok), failure: nil))
            #expect(await offerer.offer(with: InMemoryCredentialStore()) == nil)
            #expect(!context.events.contains { if case LinkingEvent.noContactID = $0 { true } else { false } })
            log.note(.init(command: "getAssertion", outcome: .status(.ok), failure: nil))
            #expect(await offerer.offer(with: InMemoryCredentialStore()) == nil)
            #expect(context.events.contains { if case LinkingEvent.noContactID = $0 { true } else { false } })
            #expect(try context.links.contents()?.entries.isEmpty ?? true)
        }
    }
}
