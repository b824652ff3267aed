import Edges
import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// Both ceremonies against each other when all goes well (PROTOCOL.md 0).
@Suite("The two ceremonies", .timeLimit(.minutes(2)))
struct CeremonyTests {
    @Test("carry a command and its answer, pass their stages in order, and leave nothing behind")
    func wholeCeremony() async {
        let scene = Scene()
        let asked = Mutex<[[UInt8]]>([])
        let (client, authenticator, _) = await scene.play(respond: { command in
            asked.withLock { $0.append(command) }
            return Scene.answer
        })
        #expect(client.value == Scene.answer)
        #expect(authenticator.value == 1)
        #expect(asked.withLock { $0 } == [Scene.command])
        #expect(
            client.stages == [
                .qrShown, .advertSeen, .advertOpened, .tunnelJoined, .handshaken, .ready, .commandSent,
                .commandAnswered, .closed,
            ])
        #expect(
            authenticator.stages == [
                .qrScanned, .tunnelOpened, .advertising, .handshaken, .ready, .commandSent, .commandAnswered, .closed,
            ])
        #expect(client.notices.isEmpty)
        #expect(scene.census.now == Census.Counts())
        #expect(scene.radio.onAir.isEmpty)
    }

    @Test("meet at the tunnel that the advert names")
    func urls() async throws {
        let scene = Scene()
        let (_, _, url) = await scene.play()
        let tunnelID = try Invitation(url: url).tunnelID().hex
        #expect(
            scene.tunnels.urls == [
                "wss://cable.ua5v.com/cable/new/\(tunnelID)", "wss://cable.ua5v.com/cable/connect/0a0b0c/\(tunnelID)",
            ])
    }

    @Test("carry several commands in one session")
    func severalCommands() async {
        let (client, authenticator, _) = await Scene().play(
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
        let (client, _, _) = await Scene().play(
            respond: { $0.reversed() }, session: { try await $0.send(long) })
        #expect(client.value == long)
    }

    @Test("pass a refusal by the user on as the answer that it is")
    func declined() async {
        let (client, authenticator, _) = await Scene().play(respond: { _ in [0x27] })
        #expect(client.value == [0x27])
        #expect(authenticator.value == 1)
    }

    @Test("end well when the client wants nothing but the first message")
    func noCommand() async {
        let (client, authenticator, _) = await Scene().play(session: { $0.firstMessage.getInfo ?? [] })
        #expect(client.value == Scene.getInfo)
        #expect(authenticator.value == 0)
    }

    @Test("end well when the client just stays after its answer")
    func clientStays() async {
        let gate = Gate()
        let log = EventLog { if $0 == .stage(.closed) { gate.open() } }
        let (client, authenticator, _) = await Scene().play(
            authenticator: .briefIdle, authenticatorLog: log,
            session: { connection in
                let answer = try await connection.send(Scene.command)
                await gate.wait()
                return answer
            })
        #expect(client.value == Scene.answer)
        #expect(authenticator.value == 1)
    }

    @Test("give the idle time anew after every answer")
    func idleAnew() async {
        let (client, authenticator, _) = await Scene().play(
            authenticator: .shortIdle,
            session: { connection in
                for _ in 0..<3 {
                    try await Task.sleep(for: .seconds(2))
                    _ = try await connection.send(Scene.command)
                }
                return []
            })
        #expect(client.value == [])
        #expect(authenticator.value == 3)
    }

    @Test("do not count the time of an answer as idle")
    func slowAnswer() async {
        let (client, authenticator, _) = await Scene().play(
            authenticator: .briefIdle,
            respond: { _ in
                try? await Task.sleep(for: .milliseconds(4500))
                return Scene.answer
            })
        #expect(client.value == Scene.answer)
        #expect(authenticator.value == 1)
    }

    @Test("let the errors of the caller's own closures pass as they are", arguments: [true, false])
    func callersErrors(inShow: Bool) async {
        struct Mine: Error {}
        let scene = Scene()
        if inShow {
            let client = await scene.client(show: { _ in throw Mine() })
            #expect(throws: Mine.self) { try client.result.get() }
        } else {
            let (client, authenticator, _) = await scene.play(session: { _ in throw Mine() })
            #expect(throws: Mine.self) { try client.result.get() }
            #expect(authenticator.value == 0)
        }
        #expect(scene.census.now == Census.Counts())
    }

    @Test("refuse a second command before the first is answered, and the first is none the worse for it")
    func secondCommand() async {
        let gate = Gate()
        let refused = Mutex<HybridTransportError?>(nil)
        let (client, authenticator, _) = await Scene().play(
            respond: { _ in
                await gate.wait()
                return Scene.answer
            },
            session: { connection in
                async let first = connection.send(Scene.command)
                do {
                    // Whichever of the two comes second is refused.
                    async let second = connection.send(Scene.command)
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
        let (client, authenticator, _) = await Scene().play(
            session: { connection in
                await #expect(throws: HybridTransportError(.invalidRequest, stage: .commandSent, cause: "", hint: "")) {
                    try await connection.send([UInt8](repeating: 1, count: byteCount))
                }
                return try await connection.send(Scene.command)
            })
        #expect(client.value == Scene.answer)
        #expect(authenticator.value == 1)
    }

    @Test(
        "blame the responder for an answer of no bytes or too many",
        arguments: [0, SecureChannel.maximumMessageByteCount])
    func badAnswer(byteCount: Int) async {
        let (client, authenticator, _) = await Scene().play(respond: { _ in [UInt8](repeating: 1, count: byteCount) })
        #expect(authenticator.failed(.invalidRequest, before: .commandAnswered))
        #expect(client.failed(.peerClosed, before: .commandAnswered))
    }

    @Test("let nobody use a connection when the ceremony is over")
    func usedTooLate() async {
        let kept = Mutex<ClientConnection?>(nil)
        _ = await Scene().play(
            session: { connection in
                kept.withLock { $0 = connection }
                return try await connection.send(Scene.command)
            })
        let connection = kept.withLock { $0 }
        await #expect(throws: HybridTransportError(.peerClosed, stage: .commandSent, cause: "", hint: "")) {
            try await connection?.send(Scene.command)
        }
    }
}

/// Lets tasks wait until somebody opens it.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func open() { continuation.finish() }

    func wait() async { for await _ in stream {} }
}
