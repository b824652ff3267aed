import Cryptography
import HybridProtocol
import Synchronization
import Testing
import UserVerification

@testable import DesktopAuthenticator
@testable import HybridTransport

/// Decisions about the wakes of linked clients.
@Suite("A wake", .timeLimit(.minutes(2)))
struct WakeServerTests {
    private static let yes = ScriptedAnswer.approved(verified: false, account: nil)

    /// Adds a link to the file.
    private func entry(_ context: AgentTestContext) throws -> AuthenticatorLinkFile.Entry {
        let entry = AuthenticatorLinkFile.Entry(
            linkID: try LinkID(randomBytes(count: LinkID.byteCount)), contactID: try ContactID([1, 2, 3]),
            name: "desktop", created: 100)
        try context.links.add(entry)
        return entry
    }

    private func wake(_ entry: AuthenticatorLinkFile.Entry, payload: [UInt8]? = nil) throws -> ContactWake {
        let request = try ContactRequest(
            linkID: entry.linkID, nonce: ClientNonce(randomBytes(count: ClientNonce.byteCount)), hint: .getAssertion)
        return ContactWake(
            linkID: entry.linkID, contactID: entry.contactID, tunnelID: try TunnelID([UInt8](repeating: 7, count: 16)),
            routingID: try RoutingID([0, 0, 0]), clientPayload: payload ?? request.encoded())
    }

    /// Serves a wake.
    ///
    /// - Returns: the number of times that the tunnel service was told that nobody comes.
    private func serve(_ wake: ContactWake, _ server: WakeServer) async -> Int {
        let declines = Mutex(0)
        await server.serve(wake) { declines.withLock { $0 += 1 } }
        return declines.withLock { $0 }
    }

    @Test("that the user declines, or does not answer, is declined before anything is opened")
    func declined() async throws {
        try await AgentTestContext.with { context in
            let entry = try entry(context)
            let consent = ScriptedApproval(.declined)
            #expect(try await serve(wake(entry), context.server(consent: consent)) == 1)
            #expect(context.events.wakes == ["desktop declined"])
            #expect(consent.questions.map(\.operation) == [.answerLink] && consent.questions[0].details == ["desktop"])
            #expect(try await serve(wake(entry), context.server(consent: ScriptedApproval(.timedOut))) == 1)
            #expect(context.events.wakes == ["desktop declined", "desktop timedOut"])
            #expect(!context.events.contains { $0 is CeremonyEvent })
            #expect(try context.links.contents()?.entries.first?.lastUsed == nil)
        }
    }

    @Test("that came before is declined without a question")
    func replayed() async throws {
        try await AgentTestContext.with { context in
            let consent = ScriptedApproval(.declined)
            let server = try context.server(consent: consent)
            let wake = try wake(entry(context))
            _ = await serve(wake, server)
            #expect(await serve(wake, server) == 1)
            #expect(context.events.wakes == ["desktop declined", "- replayed"])
            #expect(consent.questions.count == 1)
        }
    }

    @Test(
        "of an unknown link or by another contact ID than its own, or with a payload that is not its request, is declined without a question"
    )
    func unknown() async throws {
        try await AgentTestContext.with { context in
            let consent = ScriptedApproval(Self.yes)
            let server = try context.server(consent: consent)
            let entry = try entry(context)
            let revoked = AuthenticatorLinkFile.Entry(
                linkID: try LinkID(randomBytes(count: LinkID.byteCount)), contactID: entry.contactID, name: "gone",
                created: 1)
            #expect(try await serve(wake(revoked), server) == 1)
            let contactID = try ContactID([1, 2, 4])
            let elsewhere = AuthenticatorLinkFile.Entry(
                linkID: entry.linkID, contactID: contactID, name: entry.name, created: entry.created)
            #expect(try await serve(wake(elsewhere), server) == 1)
            #expect(try await serve(wake(entry, payload: [0xa0]), server) == 1)
            #expect(try await serve(wake(entry, payload: wake(revoked).clientPayload), server) == 1)
            #expect(context.events.wakes == ["- unknownLink", "- unknownLink", "- invalid", "- invalid"])
            #expect(consent.questions.isEmpty)
        }
    }

    @Test("that comes before the session of the one before has ended is served as soon as that has")
    func ending() async throws {
        try await AgentTestContext.with { context in
            let (release, signal) = AsyncStream<Void>.makeStream()
            let server = try context.server(consent: ScriptedApproval(.declined, after: release))
            let entry = try entry(context)
            let (first, second, third) = (try wake(entry), try wake(entry), try wake(entry))
            async let served = serve(first, server)
            while !server.turn.isTaken { try await Task.sleep(for: .milliseconds(5)) }
            async let next = serve(second, server)
            while !server.turn.isAwaited { try await Task.sleep(for: .milliseconds(5)) }
            // One waits, no more.
            #expect(await serve(third, server) == 1)
            #expect(context.events.count { if case AgentEvent.busy = $0 { true } else { false } } == 1)
            #expect(context.events.wakes.isEmpty)
            signal.finish()
            #expect(await served == 1)
            #expect(await next == 1)
            #expect(context.events.wakes == ["desktop declined", "desktop declined"])
            #expect(context.events.count { if case AgentEvent.busy = $0 { true } else { false } } == 1)
        }
    }

    @Test("that comes while another one is served is declined, after the time that an end may take; the next is not")
    func busy() async throws {
        try await AgentTestContext.with { context in
            let (release, signal) = AsyncStream<Void>.makeStream()
            let consent = ScriptedApproval(.declined, after: release)
            let server = try context.server(consent: consent)
            let entry = try entry(context)
            let (first, second, third) = (try wake(entry), try wake(entry), try wake(entry))
            async let served = serve(first, server)
            while consent.questions.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            let begun = ContinuousClock.now
            #expect(await serve(second, server) == 1)
            #expect((.seconds(2)..<Duration.seconds(30)).contains(ContinuousClock.now - begun))
            #expect(context.events.wakes.isEmpty)
            #expect(context.events.contains { if case AgentEvent.busy = $0 { true } else { false } })
            signal.finish()
            #expect(await served == 1)
            #expect(await serve(third, server) == 1)
            #expect(context.events.wakes == ["desktop declined", "desktop declined"])
        }
    }

    @Test("that is approved but cannot be answered is declined, and the reason is told")
    func unreachable() async throws {
        try await AgentTestContext.with { context in
            let server = try context.server(
                consent: ScriptedApproval(Self.yes), service: .init(address: "ws://127.0.0.1:1"))
            #expect(try await serve(wake(entry(context)), server) == 1)
            #expect(context.events.wakes == ["desktop approved"])
            #expect(
                context.events.contains {
                    guard case AgentEvent.wakeFailed(let error) = $0 else { return false }
                    return (error as? HybridTransportError)?.code == .tunnelUnreachable
                })
            #expect(context.events.contains { if case AgentEvent.ceremonyEnded = $0 { true } else { false } })
            #expect(try context.links.contents()?.entries.first?.lastUsed == nil)
        }
    }
}
