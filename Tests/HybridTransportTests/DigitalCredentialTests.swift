import HybridProtocol
import HybridTransport
import Synchronization
import Testing

/// Digital credentials beside CTAP or alone, against our own ends and against peers that break the rules (HT-DC-2 to
/// HT-DC-13).
@Suite("Digital credentials", .timeLimit(.minutes(2)))
struct DigitalCredentialTests {
    private static let request = #"{"request":"ü"}"#
    private static let answer = #"{"response":"ü"}"#
    private static let json = TestContext.bytes(Self.request)
    /// First messages that offer digital credentials alone, and beside CTAP.
    private static let alone: [UInt8] = [0xa1, 0x03, 0x81, 0x62, 0x64, 0x63]
    private static let beside: [UInt8] =
        [0xa2, 0x01, 0x43] + TestContext.getInfo + [0x03, 0x82, 0x64] + TestContext.bytes("ctap") + [0x62, 0x64, 0x63]

    private static func offer(asking asked: Asked = Asked(), withCTAP: Bool) -> SessionOffer {
        let respond: SessionOffer.JSONResponder = { request in
            asked.note(request)
            return Self.answer
        }
        guard withCTAP else { return SessionOffer(digitalCredentials: respond) }
        return SessionOffer(getInfo: TestContext.getInfo, digitalCredentials: respond) { _ in TestContext.answer }
    }

    @Test("are asked for and answered, whether or not CTAP is offered too", arguments: [true, false])
    func exchange(withCTAP: Bool) async {
        let context = TestContext()
        let asked = Asked()
        let features: Set<FirstMessage.Feature> = withCTAP ? [.ctap, .digitalCredentials] : [.digitalCredentials]
        let (client, authenticator, _) = await context.run(
            offer: Self.offer(asking: asked, withCTAP: withCTAP),
            session: { connection in
                #expect(connection.firstMessage.features == features)
                #expect((connection.firstMessage.getInfo != nil) == withCTAP)
                return TestContext.bytes(try await connection.send(json: Self.request))
            })
        #expect(client.value == TestContext.bytes(Self.answer))
        #expect(authenticator.value == 1)
        #expect(asked.requests == [Self.request])
        #expect(client.stages.suffix(3) == [.commandSent, .commandAnswered, .closed])
        #expect(authenticator.stages.suffix(3) == [.commandSent, .commandAnswered, .closed])
        #expect(context.resources.now == ResourceCounter.Counts())
    }

    @Test("can be bound to the session by its handshake hash, which both ends read", arguments: [false, true])
    func handshakeHash(isNearby: Bool) async {
        let asked = Asked()
        var offer = Self.offer(asking: asked, withCTAP: true)
        offer.observeHandshakeHash = { asked.note("\($0)") }
        let context = isNearby ? NearbyTests.context() : TestContext()
        let (client, _, _) = await context.run(
            offer: offer,
            session: { connection in
                _ = try await connection.send(json: Self.request)
                return connection.handshakeHash
            })
        #expect(client.value?.count == 32)
        #expect(asked.requests == [client.value.map { "\($0)" }, Self.request])
    }

    @Test("and CTAP commands take turns in one session")
    func turns() async {
        let (client, authenticator, _) = await TestContext().run(
            offer: Self.offer(withCTAP: true),
            session: { connection in
                for _ in 0..<3 {
                    let answer = try await connection.send(json: Self.request)
                    #expect(answer == Self.answer)
                    // Neither makes nor uses a passkey.
                    let response = try await connection.send([0x04])
                    #expect(response == TestContext.answer)
                }
                return []
            })
        #expect(client.value == [])
        #expect(authenticator.value == 6)
    }

    @Test("may be of almost 1 MiB either way")
    func longMessages() async {
        let long = String(repeating: "x", count: SecureChannel.maximumMessageByteCount - 1)
        let (client, _, _) = await TestContext().run(
            offer: SessionOffer { request in request },
            session: { TestContext.bytes(try await $0.send(json: long)) })
        #expect(client.value == TestContext.bytes(long))
    }

    @Test(
        "are refused before anything is sent if they are empty or too long, and the session goes on",
        arguments: [0, SecureChannel.maximumMessageByteCount])
    func badRequest(byteCount: Int) async {
        let (client, authenticator, _) = await TestContext().run(
            offer: Self.offer(withCTAP: false),
            session: { connection in
                await #expect(
                    throws: HybridTransportError(.invalidRequest, stage: .commandSent, cause: "", advice: .startAgain)
                ) {
                    try await connection.send(json: String(repeating: "x", count: byteCount))
                }
                return TestContext.bytes(try await connection.send(json: Self.request))
            })
        #expect(client.value == TestContext.bytes(Self.answer))
        #expect(authenticator.value == 1)
    }

    @Test("are our own responder's fault if the answer is empty or too long", arguments: [0, 1 << 20])
    func badAnswer(byteCount: Int) async {
        let (client, authenticator, _) = await TestContext().run(
            offer: SessionOffer { _ in String(repeating: "x", count: byteCount) },
            session: { TestContext.bytes(try await $0.send(json: Self.request)) })
        #expect(authenticator.failed(.invalidRequest, before: .commandAnswered))
        #expect(client.failed(.peerClosed, before: .commandAnswered))
    }

    @Test("that are not offered are a clear error before anything is sent")
    func notOffered() async {
        let (client, authenticator, _) = await TestContext().run(session: { connection in
            await #expect(
                throws: HybridTransportError(.noDigitalCredentials, stage: .commandSent, cause: "", advice: .startAgain)
            ) { try await connection.send(json: Self.request) }
            return try await connection.send(TestContext.command)
        })
        #expect(client.value == TestContext.answer)
        #expect(authenticator.value == 1)
    }

    @Test("alone exclude CTAP commands")
    func noCTAP() async {
        let (client, authenticator, _) = await TestContext().run(offer: Self.offer(withCTAP: false))
        #expect(client.failed(.noCTAP, before: .commandSent))
        #expect(authenticator.value == 0)
    }

    @Test("asked for by a client to which they were not offered end the session, and so does CTAP", arguments: [3, 1])
    func uninvited(type: UInt8) async throws {
        let asked = Asked()
        let authenticator = try await TestContext().authenticatorFacing(
            respond: { _ in
                asked.note("CTAP")
                return TestContext.answer
            }, offer: type == 3 ? nil : Self.offer(asking: asked, withCTAP: false)
        ) { peer in
            try await peer.send([type] + (type == 3 ? Self.json : TestContext.command))
            _ = try await peer.receive()
        }
        #expect(authenticator.failed(.protocolViolation, before: .commandSent))
        #expect(asked.requests.isEmpty)
    }

    @Test(
        "that are not UTF-8, or nothing, end the session",
        arguments: [[3], [3, 0xff], [3, 0x22, 0xc3, 0x22]] as [[UInt8]])
    func notText(plaintext: [UInt8]) async throws {
        let authenticator = try await TestContext().authenticatorFacing(offer: Self.offer(withCTAP: false)) { peer in
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        #expect(authenticator.failed(.protocolViolation, before: .commandSent))
    }

    @Test("are asked for one at a time: a command beside them stops the asking and ends the session")
    func commandBeside() async throws {
        let wasCancelled = Mutex(false)
        let offer = SessionOffer(
            getInfo: TestContext.getInfo,
            digitalCredentials: { _ in
                do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
                return Self.answer
            }, respond: { _ in TestContext.answer })
        let authenticator = try await TestContext().authenticatorFacing(offer: offer) { peer in
            try await peer.send([3] + Self.json)
            try await peer.send([1] + TestContext.command)
            _ = try await peer.receive()
        }
        #expect(wasCancelled.withLock { $0 })
        #expect(authenticator.failed(.protocolViolation, before: .commandAnswered))
    }

    @Test(
        "answered in another type, by nothing, or by what is not UTF-8, end the session",
        arguments: [[1, 0], [3], [3, 0xff], [0, 1]] as [[UInt8]])
    func invalidAnswer(plaintext: [UInt8]) async throws {
        let client = try await TestContext().clientFacing(session: {
            TestContext.bytes(try await $0.send(json: Self.request))
        }) {
            peer in
            try await peer.send(Self.beside)
            let asked = try await peer.receive()
            #expect(asked == [3] + Self.json)
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        #expect(client.failed(.protocolViolation, before: .commandAnswered))
    }

    @Test("answered before they were asked for end the session")
    func unaskedAnswer() async throws {
        let refused = Gate()
        let client = try await TestContext().clientFacing(session: { connection in
            await refused.wait()
            return TestContext.bytes(try await connection.send(json: Self.request))
        }) { peer in
            try await peer.send(Self.alone)
            try await peer.send([3] + Self.json)
            _ = try? await peer.channel.receive()
            refused.open()
        }
        #expect(client.failed(.protocolViolation, before: .commandSent))
    }

    @Test(
        "without the feature, with getInfo but without CTAP, or neither, are refused or offer nothing",
        arguments: [
            // Key 1 exactly with `ctap`: both mismatches.
            ([0xa2, 0x01, 0x43] + TestContext.getInfo + [0x03, 0x81, 0x62, 0x64, 0x63], false),
            ([0xa1, 0x03, 0x82, 0x62, 0x64, 0x63, 0x64] + TestContext.bytes("ctap"), false),
            ([0xa1, 0x03, 0x80], true),
        ] as [([UInt8], Bool)])
    func firstMessages(plaintext: [UInt8], isFirstMessage: Bool) async throws {
        let client = try await TestContext().clientFacing(session: {
            TestContext.bytes(try await $0.send(json: Self.request))
        }) {
            peer in
            try await peer.send(plaintext)
            _ = try await peer.receive()
        }
        if isFirstMessage {
            #expect(client.failed(.noDigitalCredentials, before: .commandSent))
        } else {
            #expect(client.failed(.protocolViolation, before: .ready))
        }
    }
}

/// The requests of a responder.
private final class Asked: Sendable {
    private let state = Mutex<[String]>([])

    var requests: [String] { state.withLock { $0 } }

    func note(_ request: String) { state.withLock { $0.append(request) } }
}

extension TestContext {
    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
