import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// Both ceremonies against each other when all goes well (the article Ceremony of HybridProtocol).
@Suite("The two ceremonies", .timeLimit(.minutes(2)))
struct CeremonyTests {
    @Test("carry a command and its answer, pass their stages in order, and leave nothing behind")
    func wholeCeremony() async {
        let context = TestContext()
        let asked = Mutex<[[UInt8]]>([])
        let (client, authenticator, _) = await context.run(respond: { command in
            asked.withLock { $0.append(command) }
            return TestContext.answer
        })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
        #expect(asked.withLock { $0 } == [TestContext.command])
        #expect(
            client.stages == [
                .qrShown, .advertSeen, .advertOpened, .tunnelJoined, .handshaken, .ready, .commandSent,
                .commandAnswered, .closed,
            ])
        #expect(
            authenticator.stages == [
                .tunnelOpened, .advertising, .handshaken, .ready, .commandSent, .commandAnswered, .closed,
            ])
        #expect(client.notices.isEmpty)
        #expect(context.resources.now == ResourceCounter.Counts())
        #expect(context.radio.onAir.isEmpty)
    }

    @Test("do not let the client wait until the advert is off the air")
    func answeredWhileAdvertising() async {
        /// Takes its adverts off the air only when the client is ready.
        struct SlowAdvertiser: Advertiser {
            let radio: TestRadio
            let isReady: Gate

            func advertise<Value: Sendable>(
                _ serviceData: [UInt8], while body: @escaping @Sendable () async throws -> Value
            ) async throws -> Value {
                try await radio.advertise(serviceData) {
                    let value = try await body()
                    await isReady.wait()
                    return value
                }
            }
        }
        let context = TestContext()
        let isReady = Gate()
        let (urls, shown) = AsyncStream<String>.makeStream()
        async let client = context.client(
            log: EventLog { if $0 == .stage(.ready) { isReady.open() } }, show: { shown.yield($0) })
        for await url in urls {
            let advertiser = SlowAdvertiser(radio: context.radio, isReady: isReady)
            #expect(await context.authenticator(url, advertiser: advertiser).value == 1)
            break
        }
        #expect(await client.value == TestContext.answer)
    }

    @Test("use the tunnel that the advert names")
    func urls() async throws {
        let context = TestContext()
        let (_, _, url) = await context.run()
        let tunnelID = try Invitation(url: url).tunnelID().hex
        #expect(
            context.tunnels.urls == [
                "wss://cable.ua5v.com/cable/new/\(tunnelID)", "wss://cable.ua5v.com/cable/connect/0a0b0c/\(tunnelID)",
            ])
    }

    @Test("carry several commands in one session")
    func severalCommands() async {
        let (client, authenticator, _) = await TestContext().run(
            respond: { [0x00] + $0 },
            session: { connection in
                var last: [UInt8] = []
                for number in 1...20 as ClosedRange<UInt8> { last = try await connection.send([number]) }
                return last
            })
        #expect(client.value == [0x00, 20])
        #expect(authenticator.value == 20)
    }

    @Test("carry a message of almost 1 MiB either way")
    func longMessages() async {
        let long = [UInt8](repeating: 1, count: SecureChannel.maximumMessageByteCount - 1)
        let (client, _, _) = await TestContext().run(
            respond: { $0.reversed() }, session: { try await $0.send(long) })
        #expect(client.value == long)
    }

    @Test("pass a refusal by the user on as the answer that it is")
    func declined() async {
        let (client, authenticator, _) = await TestContext().run(respond: { _ in [0x27] })
        #expect(client.value == [0x27])
        #expect(authenticator.value == 1)
    }

    @Test("end cleanly when the client wants nothing but the first message")
    func noCommand() async {
        let (client, authenticator, _) = await TestContext().run(session: { $0.firstMessage.getInfo ?? [] })
        #expect(client.value == TestContext.getInfo)
        #expect(authenticator.value == 0)
    }

    @Test("end cleanly when the client just stays after its answer")
    func clientStays() async {
        let gate = Gate()
        let log = EventLog { if $0 == .stage(.closed) { gate.open() } }
        let (client, authenticator, _) = await TestContext().run(
            authenticator: .briefIdle, authenticatorLog: log,
            session: { connection in
                let answer = try await connection.send(TestContext.command)
                await gate.wait()
                return answer
            })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
    }

    @Test("give the idle time anew after every answer")
    func idleAnew() async {
        let (client, authenticator, _) = await TestContext().run(
            authenticator: .shortIdle,
            session: { connection in
                for _ in 0..<3 {
                    try await Task.sleep(for: .seconds(2))
                    _ = try await connection.send(TestContext.command)
                }
                return []
            })
        #expect(client.value == [])
        #expect(authenticator.value == 3)
    }

    @Test("do not count the time of an answer as idle")
    func slowAnswer() async {
        let (client, authenticator, _) = await TestContext().run(
            authenticator: .briefIdle,
            respond: { _ in
                try? await Task.sleep(for: .milliseconds(4500))
                return TestContext.answer
            })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
    }

    @Test("let the errors of the caller's own closures pass as they are", arguments: [true, false])
    func callersErrors(inShow: Bool) async {
        struct Mine: Error {}
        let context = TestContext()
        if inShow {
            let client = await context.client(show: { _ in throw Mine() })
            #expect(throws: Mine.self) { try client.result.get() }
        } else {
            let (client, authenticator, _) = await context.run(session: { _ in throw Mine() })
            #expect(throws: Mine.self) { try client.result.get() }
            #expect(authenticator.value == 0)
        }
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("refuse a second command before the first is answered, and the first is none the worse for it")
    func secondCommand() async {
        let gate = Gate()
        let refused = Mutex<HybridTransportError?>(nil)
        let (client, authenticator, _) = await TestContext().run(
            respond: { _ in
                await gate.wait()
                return TestContext.answer
            },
            session: { connection in
                async let first = connection.send(TestContext.command)
                do {
                    // Whichever of the two comes second is refused.
                    async let second = connection.send(TestContext.command)
                    _ = try await second
                } catch {
                    refused.withLock { $0 = error as? HybridTransportError }
                }
                gate.open()
                return try await first
            })
        let code = refused.withLock { $0?.code }
        if client.value == nil {
            #expect(client.failed(.invalidRequest, before: .commandSent))
        } else {
            #expect(code == .invalidRequest)
        }
        #expect(authenticator.error?.code != .protocolViolation)
    }

    @Test("refuse a command of no bytes or too many, and go on", arguments: [0, SecureChannel.maximumMessageByteCount])
    func badCommand(byteCount: Int) async {
        let (client, authenticator, _) = await TestContext().run(
            session: { connection in
                await #expect(
                    throws: HybridTransportError(.invalidRequest, stage: .commandSent, cause: "", advice: .startAgain)
                ) {
                    try await connection.send([UInt8](repeating: 1, count: byteCount))
                }
                return try await connection.send(TestContext.command)
            })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
    }

    @Test(
        "blame the responder for an answer of no bytes or too many",
        arguments: [0, SecureChannel.maximumMessageByteCount])
    func badAnswer(byteCount: Int) async {
        let (client, authenticator, _) = await TestContext().run(respond: { _ in [UInt8](repeating: 1, count: byteCount)
        })
        #expect(authenticator.failed(.invalidRequest, before: .commandAnswered))
        #expect(client.failed(.peerClosed, before: .commandAnswered))
    }

    @Test("refuse the use of a connection when the ceremony is over")
    func usedTooLate() async {
        let kept = Mutex<ClientConnection?>(nil)
        _ = await TestContext().run(
            session: { connection in
                kept.withLock { $0 = connection }
                return try await connection.send(TestContext.command)
            })
        let connection = kept.withLock { $0 }
        await #expect(throws: HybridTransportError(.peerClosed, stage: .commandSent, cause: "", advice: .startAgain)) {
            try await connection?.send(TestContext.command)
        }
    }
}

/// Lets tasks wait until it is opened.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
