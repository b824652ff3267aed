import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// Channels without a tunnel, and when they are used (HT-BLE-1 to HT-BLE-16).
@Suite("The two ceremonies without a tunnel", .timeLimit(.minutes(10)))
struct NearbyTests {
    static func context(
        onNew: TestTunnels.Answer = .open, pieceByteCount: Int = 512, onListen: TestNearby.Answer = .open,
        onConnect: TestNearby.Answer = .open
    ) -> TestContext {
        TestContext(onNew: onNew) {
            TestNearby($0, pieceByteCount: pieceByteCount, onListen: onListen, onConnect: onConnect)
        }
    }

    @Test("need no tunnel service where both want Bluetooth alone")
    func bluetoothAlone() async {
        let context = Self.context()
        let (client, authenticator, _) = await context.run(channels: (.l2cap, .l2cap))
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(context.tunnels.urls.isEmpty)
        #expect(
            client.stages == [
                .qrShown, .advertSeen, .advertOpened, .channelOpened, .handshaken, .ready, .commandSent,
                .commandAnswered, .closed,
            ])
        #expect(
            authenticator.stages == [
                .advertising, .channelOpened, .handshaken, .ready, .commandSent, .commandAnswered,
                .closed,
            ])
        #expect(client.notices.isEmpty && authenticator.notices.isEmpty)
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(context.nearby?.isListening == false)
    }

    @Test("prefer Bluetooth where both can, and close the tunnel cleanly")
    func preferred() async {
        let context = Self.context()
        let (client, authenticator, _) = await context.run()
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(client.stages.contains(.channelOpened) && !client.stages.contains(.tunnelJoined))
        #expect(authenticator.stages.contains(.tunnelOpened) && authenticator.stages.contains(.channelOpened))
        #expect(context.tunnels.urls.count == 1)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("carry many commands and long messages in pieces of any size", arguments: [1, 7, 64, 1_000, 65_536])
    func pieces(byteCount: Int) async {
        let longest = byteCount == 1 ? 3_000 : 200_000
        let (client, authenticator, _) = await Self.context(pieceByteCount: byteCount).run(
            respond: { $0.reversed() },
            session: { connection in
                var last: [UInt8] = []
                for number in 1...20 {
                    let command = (0..<number * longest / 20).map { _ in UInt8.random(in: 10...13) }
                    last = try await connection.send(command)
                    #expect(last == command.reversed())
                }
                return last
            })
        #expect(client.value?.count == longest)
        #expect(authenticator.value == 20)
    }

    @Test("end messages over Bluetooth as the client does", arguments: TestNearby.Terminators.allCases)
    func endsOfMessages(terminators: TestNearby.Terminators) async {
        let context = TestContext { TestNearby($0, terminators: terminators) }
        let (client, authenticator, _) = await context.run(
            channels: (.l2cap, .l2cap),
            session: { connection in
                _ = try await connection.send(TestContext.command)
                return try await connection.send(TestContext.command)
            })
        #expect(client.value == TestContext.answer && authenticator.value == 2)
        // Message 2, the first message and the answers.
        let lengths = terminators == .none ? [81, 48, 48, 48] : [83, 50, 50, 50]
        #expect(context.nearby?.sentByteCounts == lengths)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("end when a client without terminators is gone before it is answered")
    func goneBeforeTheAnswer() async {
        let context = TestContext { TestNearby($0, terminators: .none) }
        let (urls, shown) = AsyncStream<String>.makeStream()
        let client = Task { await context.client(channel: .l2cap, show: { shown.yield($0) }) }
        let authenticator = await context.authenticator(
            await urls.first { _ in true } ?? "", channel: .l2cap,
            log: EventLog { if $0 == .stage(.channelOpened) { client.cancel() } })
        #expect(authenticator.failed(.peerClosed, before: .handshaken))
        #expect(await client.value.error?.code == .cancelled)
        // Message 2 may be on its way by then.
        #expect([[], [81]].contains(context.nearby?.sentByteCounts ?? []))
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("carry an update over Bluetooth only to a client that takes links", arguments: [true, false])
    func update(isOffered: Bool) async {
        let context = Self.context()
        let (client, authenticator, _) = await context.runLinking(
            ClientLinking(isOffered: isOffered), AuthenticatorLinking(.atOnce) { nil })
        #expect(client.value == TestContext.answer && authenticator.value == 1)
        #expect(client.stages.contains(.channelOpened))
        // The update's frame, and the terminator.
        #expect(context.nearby?.sentByteCounts.contains(562) == isOffered)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("go on with the tunnel when Bluetooth fails, and say so", arguments: [TestNearby.Answer.refuse, .hang])
    func fallsBack(answer: TestNearby.Answer) async {
        var limits = TimeLimits.generous
        limits.nearby = .milliseconds(300)
        let context = Self.context(onConnect: answer)
        let (client, authenticator, _) = await context.run(client: limits)
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(client.notices == [.tunnelInstead])
        #expect(client.stages.contains(.tunnelJoined) && !client.stages.contains(.channelOpened))
        #expect(context.nearby?.connectCount == 1)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("do not go on with the tunnel where that is not wanted")
    func noFallback() async {
        let context = Self.context(onConnect: .refuse)
        var limits = TimeLimits.generous
        limits.advertising = .seconds(5)
        let (client, authenticator, _) = await context.run(authenticator: limits, channels: (.l2cap, .any))
        #expect(client.failed(.radio, before: .channelOpened))
        #expect(authenticator.failed(.timeout, before: .handshaken))
        #expect(context.tunnels.urls.isEmpty)
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("manage without a tunnel service that cannot be reached")
    func noService() async {
        let context = Self.context(onNew: .refuse(DataChannelError(.unreachable, reason: "no network")))
        let (client, authenticator, _) = await context.run()
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(authenticator.notices == [.bluetoothOnly])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("manage without a tunnel that another device has taken, and tell the user of it")
    func takenTunnel() async {
        let context = Self.context(onNew: .refuse(DataChannelError(.upgradeRefused, reason: "", httpStatus: 409)))
        let (client, authenticator, _) = await context.run()
        #expect(client.value == TestContext.answer)
        #expect(authenticator.notices == [.tunnelTaken])
    }

    @Test("use the tunnel when the authenticator's adapter cannot listen")
    func cannotListen() async {
        let context = Self.context(onListen: .refuse)
        let (client, authenticator, _) = await context.run()
        #expect(client.value == TestContext.answer)
        #expect(authenticator.notices == [.tunnelInstead])
        #expect(context.nearby?.connectCount == 0)
        #expect(context.radio.onAir.isEmpty)
    }

    @Test("put no suffix behind an advert for a client that has not asked, since Chromium ignores such adverts")
    func noSuffix() async {
        let context = Self.context()
        let lengths = Mutex<Set<Int>>([])
        let log = EventLog { event in
            guard event == .stage(.advertising) else { return }
            lengths.withLock { $0.formUnion(context.radio.onAir.map(\.count)) }
        }
        let (client, _, url) = await context.run(channels: (.webSocket, .any), authenticatorLog: log)
        #expect(client.value == TestContext.answer)
        #expect(lengths.withLock { $0 } == [AdvertKey.advertByteCount])
        #expect((try? Invitation(url: url).details.channels) == [.webSocket])
    }

    @Test("name a QR code that offers only what is not wanted here")
    func nothingInCommon() async {
        let (client, authenticator, _) = await Self.context().run(
            client: .short(\.discovery), channels: (.l2cap, .webSocket))
        #expect(authenticator.failed(.noCommonChannel, before: .tunnelOpened))
        #expect(client.failed(.timeout, before: .advertSeen))
    }
}
