import HybridProtocol
import HybridTransport
import Testing

/// Linking in a session from a QR code (the article Linking).
@Suite("Linking", .timeLimit(.minutes(2)))
struct LinkingTests {
    @Test("hands the client a link with the domain of the session's advert, and reports it at both ends")
    func linked() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context, name: "Bob's laptop")
        let events = LinkEvents()
        let offer = try device.offer()
        let (client, authenticator, url) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) }, AuthenticatorLinking(.atOnce) { offer })
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(client.stages.contains(.linked) && authenticator.stages.contains(.linked))
        #expect(try Invitation(url: url).details.supportsLinking == true)
        let link = try #require(events.links.first)
        #expect(link.link.name == "Bob's laptop" && link.link.domain == .google && events.count == 1)
        #expect(device.settlements == [true])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("waits after the shutdown for a decision that comes late")
    func lateUpdate() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let offer = try device.offer()
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) },
            AuthenticatorLinking(.afterAnswer) {
                try? await Task.sleep(for: .milliseconds(700))
                return offer
            })
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.links.count == 1 && device.settlements == [true])
        #expect(client.stages.suffix(2) == [.linked, .closed])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("gives a user more time to decide than a client may be idle")
    func slowDecision() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let offer = try device.offer()
        var limits = TimeLimits.generous
        limits.idle = .seconds(3)
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) },
            AuthenticatorLinking(.afterAnswer) {
                try? await Task.sleep(for: .milliseconds(4500))
                return offer
            }, authenticator: limits)
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.links.count == 1 && device.settlements == [true])
    }

    @Test(
        "waits for a late decision no longer than the limit, and the offer is taken back; also where the question blocks",
        arguments: [false, true])
    func tooLate(blocks: Bool) async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let offer = try device.offer()
        var limits = TimeLimits.generous
        limits.lateUpdate = .milliseconds(300)
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) },
            AuthenticatorLinking(.afterAnswer) {
                // A user who is being asked; the question is withdrawn when the client leaves.
                await EndlessQuestion.ask(blocking: blocks)
                return offer
            }, client: limits)
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.count == 0 && device.settlements == [false])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("is over at once when the authenticator offers nothing, whether or not a link was wanted")
    func nothingOffered() async {
        let context = TestContext()
        let events = LinkEvents()
        var limits = TimeLimits.generous
        limits.lateUpdate = .seconds(50)
        let start = ContinuousClock.now
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) }, AuthenticatorLinking(.afterAnswer) { nil },
            client: limits)
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.count == 0 && ContinuousClock.now - start < .seconds(30))
    }

    @Test("does not wait after a failure of the client's own")
    func failedClient() async throws {
        struct Mine: Error {}
        let context = TestContext()
        var limits = TimeLimits.generous
        limits.lateUpdate = .seconds(50)
        let start = ContinuousClock.now
        let (client, _, _) = await context.runLinking(
            ClientLinking(isOffered: true),
            AuthenticatorLinking(.afterAnswer) {
                try? await Task.sleep(for: .seconds(50))
                return nil
            }, client: limits,
            session: { connection in
                _ = try await connection.send(TestContext.command)
                throw Mine()
            })
        #expect(throws: Mine.self) { try client.result.get() }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test("makes no offer in a session in which nothing has succeeded, and the client gets the filler")
    func nothingSucceeded() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) },
            AuthenticatorLinking(.afterAnswer) {
                Issue.record("a link was offered")
                return try? device.offer()
            },
            session: { connection in
                _ = try await connection.send([0x04])
                return try await connection.send(TestContext.command)
            }, respond: { $0 == TestContext.command ? [0x27] : [0x00] })
        #expect(client.value == [0x27] && authenticator.value == 2 && events.count == 0)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("makes no offer where the client's QR code does not ask for it")
    func notOffered() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let (client, authenticator, url) = await context.runLinking(
            ClientLinking { events.note($0) },
            AuthenticatorLinking(.atOnce) {
                Issue.record("the user was asked")
                return try? device.offer()
            })
        #expect(client.value == TestContext.answer && authenticator.value == 1 && events.count == 0)
        #expect(try Invitation(url: url).details.supportsLinking == false)
    }

    @Test("does not show by lengths whether a link was offered", arguments: [nil, true, false] as [Bool?])
    func lengths(offers: Bool?) async throws {
        let (lengths, feed) = AsyncStream<Int>.makeStream()
        let updated = Gate()
        let context = TestContext(
            fates: .init(ofAuthenticator: { number, message in
                if number == 2 {
                    feed.yield(message.count)
                    updated.open()
                }
                return .delivered
            }))
        let offer = try LinkedDevice(context).offer()
        let (client, _, _) = await context.runLinking(
            // Nil: the client cannot be linked.
            ClientLinking(isOffered: offers != nil), AuthenticatorLinking(.atOnce) { offers == true ? offer : nil },
            session: { connection in
                // The update is the third message only if nothing is asked for before.
                await updated.wait()
                return try await connection.send(TestContext.command)
            })
        feed.finish()
        #expect(client.value == TestContext.answer)
        #expect(await lengths.reduce(into: []) { $0.append($1) } == [560])
    }

    @Test("drops what cannot be verified, tells each reason once, and the session goes on")
    func refused() async throws {
        let context = TestContext()
        let events = LinkEvents()
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = context.linkedClient(
            ClientLinking(isOffered: true) { events.note($0) }, show: { shown.yield($0) })
        let url = await urls.first { _ in true } ?? ""
        try await context.rawAuthenticator(url) { peer in
            try await peer.send(RawPeer.firstMessage)
            let key: [UInt8] = [4] + [UInt8](repeating: 1, count: 64)
            for map in Self.badMaps(key) + Self.badMaps(key) { try await peer.send([2] + map) }
            let command = try await peer.receive()
            #expect(command == [1] + TestContext.command)
            try await peer.send([1] + TestContext.answer)
            _ = try await peer.receive()
        }
        let ending = await client
        #expect(ending.value == TestContext.answer)
        #expect(events.links.isEmpty)
        let reasons = events.refused.map(\.code.rawValue)
        #expect(reasons.count > 1 && Set(reasons).count == reasons.count, "\(reasons)")
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    /// Updates with an empty linking map, one that is not a map, and one with a point off the curve.
    private static func badMaps(_ key: [UInt8]) -> [[UInt8]] {
        let wrongPoint: [UInt8] =
            [0xa1, 0x01, 0xa6, 0x01, 0x41, 0x01, 0x02, 0x48] + .init(repeating: 0, count: 8) + [0x03, 0x58, 0x20]
            + .init(repeating: 0, count: 32) + [0x04, 0x58, 0x41] + key + [0x05, 0x61, 0x61, 0x06, 0x58, 0x20]
            + .init(repeating: 0, count: 32)
        return [[0xa1, 0x01, 0xa0], [0xa1, 0x01, 0x01], wrongPoint]
    }
}
