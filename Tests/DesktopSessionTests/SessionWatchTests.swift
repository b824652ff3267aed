import Testing

@testable import LinuxSupport

/// The moments at which the vault should be locked.
@Suite(.timeLimit(.minutes(2))) struct SessionWatchTests {
    /// A watch and the bus that it watches.
    private struct Context {
        let peer: SessionPeer
        let watch: SessionWatch
        private let control: DBusConnection

        static func with(_ words: [String] = [], _ body: (Context) async throws -> Void) async throws {
            try await SessionPeer.with("session.py", words) { peer in
                let control = try await DBusConnection.open(peer.address) { _ in }
                let watch = try await SessionWatch.start(system: peer.address, session: peer.address)
                let outcome: Result<Void, any Error>
                do {
                    outcome = .success(try await body(Context(peer: peer, watch: watch, control: control)))
                } catch {
                    outcome = .failure(error)
                }
                await watch.close()
                await control.close()
                try outcome.get()
            }
        }

        func make(_ happening: String) async throws {
            try await control.call(
                DBusCall("Do", of: "org.example.Test", at: "/test", in: "org.example.Test", [.string(happening)]))
        }

        func next() async -> SessionEvent? { await watch.first { _ in true } }
    }

    @Test(arguments: [
        ("lock", SessionEvent.screenLocked), ("unlock", .screenUnlocked), ("hint-locked", .screenLocked),
        ("hint-unlocked", .screenUnlocked), ("saver", .screenLocked), ("saver-off", .screenUnlocked),
        ("sleep", .sleeping), ("wake", .woken), ("end", .sessionEnded),
        ("login-ends", .lost(.lost, reason: "logind has ended")),
    ])
    func `each signal is its event`(_ happening: String, _ event: SessionEvent) async throws {
        try await Context.with { context in
            #expect(context.watch.obstacles == [])
            // Another session's are passed over.
            try await context.make("other-lock")
            try await context.make("other-end")
            try await context.make(happening)
            #expect(await context.next() == event)
        }
    }

    @Test func `a screen that is locked already is the first event`() async throws {
        try await Context.with(["locked"]) { context in #expect(await context.next() == .screenLocked) }
    }

    @Test func `signals of other programs on the bus do not count`() async throws {
        try await Context.with { context in
            try await context.make("forge")
            try await context.make("lock")
            #expect(await context.next() == .screenLocked)
        }
    }

    @Test func `sleep is delayed until it is allowed, and again after it`() async throws {
        try await Context.with { context in
            #expect(await context.peer.said() == "inhibit sleep delay")
            try await context.make("sleep")
            #expect(await context.next() == .sleeping)
            context.watch.allowSleep()
            #expect(await context.peer.said() == "released")
            try await context.make("wake")
            #expect(await context.next() == .woken)
            #expect(await context.peer.said() == "inhibit sleep delay")
        }
    }

    @Test func `a new logind gets a new lock, and its signals count`() async throws {
        try await Context.with { context in
            #expect(await context.peer.said() == "inhibit sleep delay")
            try await context.make("restart")
            #expect(await context.next() == .lost(.lost, reason: "logind has ended"))
            // The old lock is let go when the new one is there, and either may be written first.
            let said = [await context.peer.said(), await context.peer.said()]
            #expect(Set(said) == ["inhibit sleep delay", "released"])
            try await context.make("lock")
            #expect(await context.next() == .screenLocked)
        }
    }

    @Test func `the end of the watch lets the machine sleep, and ends the sequence`() async throws {
        try await Context.with { context in
            #expect(await context.peer.said() == "inhibit sleep delay")
            await context.watch.close()
            #expect(await context.peer.said() == "released")
            #expect(await context.next() == nil)
        }
    }

    @Test(arguments: ["no-session", "no-inhibit", "no-login"])
    func `what cannot be watched is said, and the rest is watched`(_ word: String) async throws {
        try await Context.with([word]) { context in
            #expect(context.watch.obstacles.count == 1)
            try await context.make("saver")
            #expect(await context.next() == .screenLocked)
        }
    }

    @Test func `the loss of the buses is an event for each`() async throws {
        try await Context.with { context in
            try? await context.make("kill-bus")
            for _ in 1...2 {
                var event = await context.next()
                // logind's own end may be told before the bus's.
                if event == .lost(.lost, reason: "logind has ended") { event = await context.next() }
                guard case .lost(.lost, _) = event else {
                    Issue.record("\(String(describing: event))")
                    return
                }
            }
        }
    }

    @Test func `without any bus there is an error`() async throws {
        let nowhere = try DBusAddress(parsing: "unix:path=/nowhere", bus: .session)
        let code = await errorCode { () throws(DesktopSessionError) in
            _ = try await SessionWatch.start(system: nowhere, session: nowhere)
        }
        #expect(code == .noBus)
    }

    @Test func `one bus is enough`() async throws {
        let nowhere = try DBusAddress(parsing: "unix:path=/nowhere", bus: .session)
        try await SessionPeer.with("session.py") { peer in
            for (system, session) in [(peer.address, nowhere), (nowhere, peer.address)] {
                let watch = try await SessionWatch.start(system: system, session: session)
                #expect(watch.obstacles.map(\.code) == [.noBus])
                await watch.close()
            }
        }
    }
}
