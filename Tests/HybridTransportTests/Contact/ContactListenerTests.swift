import HybridProtocol
import HybridTransport
import Synchronization
import Testing

@Suite("A listener at a real tunnel service", .timeLimit(.minutes(5)))
struct ContactListenerTests {
    private let one: LinkID
    private let two: LinkID

    init() throws {
        one = try LinkID([UInt8](repeating: 1, count: 8))
        two = try LinkID([UInt8](repeating: 2, count: 8))
    }

    @Test("is woken by a linked client, and joins it")
    func woken() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one, two] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let contactID = try #require(try await events.registered()[two])
                let client = context.client(contactID)
                let wake = try await events.wake()
                #expect(wake.linkID == two)
                #expect(wake.contactID == contactID)
                #expect(wake.clientPayload == [0xA0])
                let channel = try await context.opener.open(
                    TunnelRequest(.connect(wake.tunnelID, routingID: wake.routingID, at: context.service))
                ).channel
                let tunnel = try await client.value.get()
                #expect(tunnel.signalsConnection)
                #expect(try await tunnel.channel.receive() == TunnelWebSocket.signalMessage)
                try await channel.send([1])
                #expect(try await tunnel.channel.receive() == [1])
                await channel.close()
                await tunnel.channel.close()
            }
        }
    }

    @Test(
        "comes back when the service has been restarted, under the same contact IDs, and a client that waits reaches it"
    )
    func restarted() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let contactIDs = try await events.registered()
                await context.stop()
                _ = try await events.reconnecting()
                try await context.startAgain()
                let client = context.client(try #require(contactIDs[one]))
                #expect(try await events.registered() == contactIDs)
                _ = try await events.wake()
                await (try client.value.get()).channel.close()
            }
        }
    }

    @Test("is woken by a contact ID that the service issued with its previous secret", arguments: [true, false])
    func otherSecret(takesPrevious: Bool) async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let contactID = try #require(try await events.registered()[one])
                context.issued.withLock { $0 = [one: contactID] }
                await context.stop()
                _ = try await events.reconnecting()
                try await context.startAgain(takingPrevious: takesPrevious)
                #expect(try await events.registered()[one] != contactID)
                let client = context.client(contactID)
                guard takesPrevious else {
                    let answer = await client.value
                    #expect(throws: DataChannelError(.gone, reason: "")) { try answer.get() }
                    return
                }
                let wake = try await events.wake()
                #expect(wake.linkID == one && wake.contactID == contactID)
                await (try client.value.get()).channel.close()
            }
        }
    }

    @Test("lets the service tell the client of a revoked link that it is gone")
    func revoked() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one, two] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let contactIDs = try await events.registered()
                context.links.withLock { $0 = [two] }
                listener.linksChanged()
                #expect(try await Set(events.registered().keys) == [two])
                let answer = await context.client(try #require(contactIDs[one])).value
                #expect(throws: DataChannelError(.gone, reason: "")) { try answer.get() }
            }
        }
    }

    @Test("declines the wake of a link that was revoked without its knowledge, and is then told the remaining ones")
    func revokedUnnoticed() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one, two] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let contactID = try #require(try await events.registered()[one])
                context.links.withLock { $0 = [two] }
                let answer = await context.client(contactID).value
                #expect(throws: DataChannelError(.unavailable, reason: "")) { try answer.get() }
                #expect(try await events.refusal() == .unknownLink)
                #expect(try await Set(events.registered().keys) == [two])
                let next = await context.client(contactID).value
                #expect(throws: DataChannelError(.gone, reason: "")) { try next.get() }
            }
        }
    }

    @Test("is woken by a link that was made elsewhere a moment ago")
    func newLink() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                _ = try await events.registered()
                let key = try context.key()
                let contactID = try await ContactListener.register(
                    two, key: key, service: context.service, opener: context.opener)
                context.links.withLock { $0 = [one, two] }
                let client = context.client(contactID)
                let wake = try await events.wake()
                #expect(wake.linkID == two)
                #expect(wake.contactID == contactID)
                await (try client.value.get()).channel.close()
            }
        }
    }

    @Test("goes on with the links that it knows when they cannot be read, and registers none that it cannot read")
    func unreadable() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = nil }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                #expect(try await events.reconnecting().code == .linksUnavailable)
                context.links.withLock { $0 = [one] }
                let contactID = try #require(try await events.registered()[one])
                context.links.withLock { $0 = nil }
                listener.linksChanged()
                let client = context.client(contactID)
                #expect(try await events.wake().linkID == one)
                await (try client.value.get()).channel.close()
            }
        }
    }

    @Test("closes the client's tunnel when the user declines")
    func declined() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one] }
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                let client = context.client(try #require(try await events.registered()[one]))
                let wake = try await events.wake()
                let tunnel = try await client.value.get()
                await listener.decline(wake)
                await #expect(throws: DataChannelError(.closed, reason: "")) { try await tunnel.channel.receive() }
            }
        }
    }

    @Test("admits a limited number of wakes, whatever the service lets through")
    func tooMany() async throws {
        try await ContactTestContext.with { context in
            context.links.withLock { $0 = [one] }
            let listener = try context.listener(wakes: 2)
            try await ContactTestContext.running(listener) { events in
                let contactID = try #require(try await events.registered()[one])
                for _ in 0..<2 { await (try context.client(contactID).value.get()).channel.close() }
                let answer = await context.client(contactID).value
                #expect(throws: DataChannelError(.unavailable, reason: "")) { try answer.get() }
                #expect(try await events.refusal() == .tooMany)
            }
        }
    }

    @Test("yields for good to another one with the same key")
    func replaced() async throws {
        try await ContactTestContext.with { context in
            let first = try context.listener()
            let end = try await ContactTestContext.running(first) { firstEvents in
                _ = try await firstEvents.registered()
                let second = try context.listener()
                try await ContactTestContext.running(second) { secondEvents in
                    _ = try await secondEvents.registered()
                    // The first one's events end by themselves.
                    while await firstEvents.next() != nil {}
                }
            }
            #expect(end?.code == .replaced)
        }
    }

    @Test("gives up at once at a service without a contact side, and waits for one that had one")
    func noContactSide() async throws {
        try await ContactTestContext.with { context in
            let listener = try context.listener()
            try await ContactTestContext.running(listener) { events in
                _ = try await events.registered()
                await context.stop()
                try await context.startAgain(withContacts: false)
                while try await events.reconnecting().httpStatus != 404 {}
            }
            let hopeless = try context.listener()
            await #expect(throws: DataChannelError(.upgradeRefused, reason: "")) { try await hopeless.run() }
        }
    }
}
