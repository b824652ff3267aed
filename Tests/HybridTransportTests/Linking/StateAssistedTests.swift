import Cryptography
import Encodings
import HybridProtocol
import HybridTransport
import Testing

/// Sessions without a QR code, both ends (the article StateAssistedTransactions).
@Suite("A state-assisted session", .timeLimit(.minutes(2)))
struct StateAssistedTests {
    /// Runs a client against a device that answers its wake.
    private func run(
        _ device: LinkedDevice, _ linking: ClientLinking, show: (@Sendable (String) async throws -> Void)? = nil
    ) async throws -> (client: Ending<[UInt8]>, authenticator: Ending<Int>) {
        async let client = device.context.linkedClient(linking, show: show)
        let wake = try #require(await device.nextWake())
        let authenticator = try await device.serve(wake)
        return (await client, authenticator)
    }

    @Test("needs no QR code, passes its stages, and leaves nothing behind", arguments: [true, false])
    func whole(signals: Bool) async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let link = try await device.link(signals: signals)
        for _ in 0..<3 {
            let (client, authenticator) = try await run(device, ClientLinking(links: [link]) { events.note($0) })
            #expect(client.value == TestContext.answer && authenticator.value == 1)
            #expect(
                client.stages == [
                    .advertSeen, .advertOpened, .tunnelJoined, .handshaken, .ready, .commandSent, .commandAnswered,
                    .closed,
                ])
            #expect(
                authenticator.stages == [
                    .tunnelJoined, .advertising, .handshaken, .ready, .commandSent, .commandAnswered, .closed,
                ])
        }
        #expect(events.count == 0)
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(
            context.tunnels.urls.contains("wss://cable.ua5v.com/cable/contact/\(link.link.contactID.base64URL)"))
    }

    @Test("may have its advert received before the service has answered the client")
    func advertFirst() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let link = try await device.link()
        device.setContact(link.link.contactID, delay: .milliseconds(500))
        let (client, authenticator) = try await run(device, ClientLinking(links: [link]))
        #expect(client.value == TestContext.answer, "\(client)")
        #expect(authenticator.value == 1, "\(authenticator)")
    }

    @Test("carries no update, and takes none")
    func noUpdate() async throws {
        let context = TestContext(
            fates: .init(ofAuthenticator: { _, message in
                #expect(message.count != 560)
                return .delivered
            }))
        let device = try LinkedDevice(TestContext())
        let link = try await device.link()
        let there = try LinkedDevice(context, copying: device)
        there.setContact(link.link.contactID)
        let (client, authenticator) = try await run(there, ClientLinking(links: [link], isOffered: true))
        #expect(client.value == TestContext.answer && authenticator.value == 1)
    }

    @Test("is won by the first of two links and a QR code, and the others are closed", arguments: [0, 1])
    func firstLinkWins(winner: Int) async throws {
        let context = TestContext()
        let devices = [try LinkedDevice(context, name: "a"), try LinkedDevice(context, name: "b")]
        let events = LinkEvents()
        var links: [SharedLink] = []
        for device in devices { links.append(try await device.link()) }
        let linking = ClientLinking(links: links) { events.note($0) }
        async let client = context.linkedClient(
            linking, show: { _ in },
            session: { connection in
                #expect(connection.link?.link.name == ["a", "b"][winner])
                return try await connection.send(TestContext.command)
            })
        let wakes = [try #require(await devices[0].nextWake()), try #require(await devices[1].nextWake())]
        let served = try await devices[winner].serve(wakes[winner])
        let late = try await devices[1 - winner].serve(wakes[1 - winner])
        #expect(await client.value == TestContext.answer && served.value == 1)
        // Its tunnel is gone, or goes as it is joined.
        #expect(late.error?.code == .peerClosed || late.error?.code == .tunnelRefused)
        #expect(events.count == 0)
        #expect(await client.notices.isEmpty)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("loses to a QR code that is answered first, and is closed")
    func codeWins() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let link = try await device.link()
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(links: [link]) { events.note($0) }, .none,
            session: { connection in
                #expect(connection.link == nil)
                return try await connection.send(TestContext.command)
            })
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.count == 0)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test(
        "that is gone is reported as such and the QR code works; other refusals leave the link valid",
        arguments: [
            DataChannelError(.gone, reason: "410", httpStatus: 410),
            DataChannelError(.unavailable, reason: "503", httpStatus: 503),
            DataChannelError(.tooManyRequests, reason: "429", httpStatus: 429),
            DataChannelError(.upgradeRefused, reason: "404", httpStatus: 404),
            DataChannelError(.unreachable, reason: "nobody"),
        ])
    func refusedContact(error: DataChannelError) async throws {
        let context = TestContext()
        let link = try await LinkedDevice(context).link()
        let events = LinkEvents()
        context.tunnels.setContact(link.link.contactID, TestContact(refusal: error))
        let refused = Gate()
        let linking = ClientLinking(links: [link]) {
            events.note($0)
            refused.open()
        }
        let (client, authenticator, _) = await context.runLinking(linking, .none, after: refused)
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(events.gone.count == (error.code == .gone ? 1 : 0))
        #expect(events.unreachable.count == (error.code == .gone ? 0 : 1))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("fails with what became of the last link where there is no QR code", arguments: [true, false])
    func allRefused(isGone: Bool) async throws {
        let context = TestContext()
        let link = try await LinkedDevice(context).link()
        let events = LinkEvents()
        let refusal = DataChannelError(.unavailable, reason: "503", httpStatus: 503)
        context.tunnels.setContact(link.link.contactID, isGone ? nil : TestContact(refusal: refusal))
        let start = ContinuousClock.now
        let client = await context.linkedClient(ClientLinking(links: [link]) { events.note($0) })
        #expect(client.failed(.tunnelRefused, before: .tunnelJoined))
        #expect(events.gone.count == (isGone ? 1 : 0) && events.count == 1)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    // Found by the fuzzer of ceremonies.
    @Test("is not the link's end if its tunnel fails, whatever error the opener gives")
    func goneAfterTheUpgrade() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let link = try await device.link()
        let events = LinkEvents()
        async let client = context.linkedClient(ClientLinking(links: [link]) { events.note($0) })
        let wake = try #require(await device.nextWake())
        try await context.tunnels.end(wake.tunnelID, with: DataChannelError(.gone, reason: "not by the upgrade"))
        #expect(await client.error != nil)
        #expect(events.gone.isEmpty && events.unreachable.count == 1)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("that the user declines fails at once where there is no QR code", arguments: [true, false])
    func declined(hasCode: Bool) async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let link = try await device.link()
        let events = LinkEvents()
        var limits = TimeLimits.generous
        if hasCode { limits.discovery = .seconds(5) }
        async let client = context.linkedClient(
            ClientLinking(links: [link]) { events.note($0) }, limits: limits, show: hasCode ? { @Sendable _ in } : nil)
        let wake = try #require(await device.nextWake())
        // As the service does when the authenticator declines.
        try await context.tunnels.end(wake.tunnelID)
        let ending = await client
        if hasCode {
            #expect(ending.failed(.timeout, before: .advertSeen))
        } else {
            #expect(ending.failed(.peerClosed, before: .advertOpened))
        }
        #expect(events.unreachable.count == 1)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("does not come about with the secret of another link")
    func swappedSecrets() async throws {
        let context = TestContext()
        let devices = [try LinkedDevice(context), try LinkedDevice(context)]
        let links = [try await devices[0].link(), try await devices[1].link()]
        var limits = TimeLimits.generous
        limits.discovery = .seconds(5)
        let mixed = try SharedLink(links[0].link.withSecret(of: links[1].link))
        async let client = context.linkedClient(ClientLinking(links: [mixed]), limits: limits)
        let wake = try #require(await devices[0].nextWake())
        let authenticator = try await devices[0].serve(wake)
        #expect(await client.failed(.timeout, before: .advertOpened))
        #expect(authenticator.error?.code == .peerClosed)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("does not come about with another device that knows the link secret")
    func wrongKey() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let link = try await device.link()
        // The same secret under another public key: a client's forged link.
        let mixed = try SharedLink(link.link.withKey(P256.PrivateKey.generate().publicKey))
        let (client, authenticator) = try await run(device, ClientLinking(links: [mixed]))
        #expect(client.error?.stage == .handshaken)
        #expect(authenticator.failed(.protocolViolation, before: .handshaken))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("does not come about by a repeated request")
    func replayed() async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let link = try await device.link()
        async let client = context.linkedClient(ClientLinking(links: [link]))
        let wake = try #require(await device.nextWake())
        _ = try await device.serve(wake)
        _ = await client
        // The tunnel service, or who can see its logs, repeats it; the advert decrypts for no client, and noise is no
        // handshake. That a listener declines it before, WakeServerTests show.
        let headers = ContactHeaders(clientPayload: wake.clientPayload).fields
        let tunnel = try await context.tunnels.open(
            TunnelRequest(.contact(link.link.contactID, at: TunnelURL.Service(.google)), headers: headers))
        let again = try #require(await device.nextWake())
        #expect(again.clientPayload == wake.clientPayload)
        async let served = device.serve(again)
        let key = try P256.PrivateKey.generate().publicKey.uncompressed
        try await tunnel.channel.send(key + [UInt8](repeating: 0, count: 16))
        let ending = try await served
        #expect(ending.failed(.protocolViolation, before: .handshaken))
        await tunnel.channel.close()
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("is not for digital credentials, and not without a link")
    func nothingToTry() async throws {
        let context = TestContext()
        let link = try await LinkedDevice(context).link()
        let credentials = await context.linkedClient(ClientLinking(links: [link]), hint: .digitalCredentialPresentation)
        #expect(credentials.error?.code == .invalidRequest)
        #expect(await context.linkedClient(.none).error?.code == .invalidRequest)
    }

    @Test("takes contact IDs of 1 byte and of 4 KiB", arguments: [1, ContactID.maximumByteCount])
    func contactIDs(byteCount: Int) async throws {
        let context = TestContext()
        let device = try LinkedDevice(context)
        let events = LinkEvents()
        let offer = try device.offer(contactID: [UInt8](repeating: 9, count: byteCount))
        _ = await context.runLinking(
            ClientLinking(isOffered: true) { events.note($0) }, AuthenticatorLinking(.atOnce) { offer })
        let link = try #require(events.links.first)
        #expect(link.link.contactID.bytes.count == byteCount)
        let (client, authenticator) = try await run(device, ClientLinking(links: [link]))
        #expect(client.value == TestContext.answer && authenticator.value == 1)
    }
}

extension Link {
    /// A link with another's secret, as no client ever gets one.
    fileprivate func withSecret(of other: borrowing Link) throws -> Link {
        let stored = other.encoded()
        let secret = try #require(try CBORValue.decode(stored.span).mapValue?[3])
        return try with(3, secret)
    }

    /// A link to another's key.
    fileprivate func withKey(_ key: P256.PublicKey) throws -> Link { try with(4, .bytes(key.uncompressed)) }

    private func with(_ key: Int, _ value: CBORValue) throws -> Link {
        let stored = encoded()
        var map = try #require(try CBORValue.decode(stored.span).mapValue)
        map[key] = value
        let changed = map.encoded()
        return try Link(decoding: changed.span)
    }
}
