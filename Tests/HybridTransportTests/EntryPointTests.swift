import BluetoothLE
import HybridProtocol
import HybridTransport
import Synchronization
import Testing
import TunnelService

/// The library as a program of somebody else uses it: both ends, over the simulated radio and a tunnel service of this
/// machine.
@Suite("Entry points of the library", .timeLimit(.minutes(5)))
struct EntryPointTests {
    private static let getInfo: [UInt8] = [0xA1, 0x01, 0x80]
    private static let makeCredential: [UInt8] = [0x01, 0xA0]

    /// Both ends of one machine.
    private struct Ends {
        let client: HybridClient
        let responder: HybridResponder
    }

    private func withEnds<Value: Sendable>(_ body: (Ends) async throws -> Value) async throws -> Value {
        let service = try await TunnelService(
            configuration: .init(host: "127.0.0.1", port: 0, security: .plain)
        ).start()
        let radio = HybridRadio.simulated("\(try await SimulatedRadioAddress.unused())")
        let tunnel = HybridTunnelService.address("ws://127.0.0.1:\(service.port)")
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(
                try await body(
                    Ends(
                        client: HybridClient(radio: radio, tunnelService: tunnel, limits: .generous),
                        responder: HybridResponder(radio: radio, tunnelService: tunnel, limits: .generous))))
        } catch {
            outcome = .failure(error)
        }
        await service.shutdown(drain: .zero)
        return try outcome.get()
    }

    @Test("A client and an authenticator exchange opaque frames, and both read the handshake hash")
    func session() async throws {
        try await withEnds { ends in
            let hash = Mutex<[UInt8]>([])
            let (codes, shown) = AsyncStream<String>.makeStream()
            async let client = ends.client.withSession(command: 0x01) { events in
                for await _ in events {}
            } show: {
                shown.yield($0)
            } session: { session in
                (
                    session.getInfo, session.takesDigitalCredentials, session.handshakeHash,
                    try await session.send([0x01, 1])
                )
            }
            var iterator = codes.makeAsyncIterator()
            let code = try #require(await iterator.next())
            let count = try await ends.responder.answer(code, getInfo: Self.getInfo) { command, handshakeHash in
                hash.withLock { $0 = handshakeHash }
                return [0x00] + command
            }
            let (getInfo, takesDigitalCredentials, handshakeHash, answer) = try await client
            #expect(getInfo == Self.getInfo && !takesDigitalCredentials && answer == [0x00, 0x01, 1] && count == 1)
            #expect(handshakeHash.count == 32 && handshakeHash == hash.withLock { $0 })
        }
    }

    @Test(
        "The code says of what kind the request is, and the present time",
        arguments: [
            ([0x01, 0xA0], .makeCredential), ([0x02, 0xA0], .getAssertion), ([0x04], .getAssertion),
        ] as [([UInt8], RequestHint)])
    func hint(_ command: [UInt8], _ hint: RequestHint) async throws {
        let details = try await details { client, show in _ = try await client.send(command, show: show) }
        #expect(details.hint == hint)
        // Not earlier than this test was written.
        #expect((details.timestamp ?? 0) > 1_790_000_000)
    }

    @Test(
        "The code says of what kind a digital-credential request is",
        arguments: [
            ("credential.create", .digitalCredentialIssuance), ("credential.get", .digitalCredentialPresentation),
        ] as [(String, RequestHint)])
    func credentialHint(_ type: String, _ hint: RequestHint) async throws {
        let request = """
            {"origin":"https://example.com","requestType":"\(type)",\
            "request":{"digital":{"requests":[{"protocol":"p","data":{}}]}}}
            """
        #expect(try await details { client, show in _ = try await client.send(json: request, show: show) }.hint == hint)
    }

    private struct Shown: Error {}

    /// The contents of the code that a client shows.
    private func details(
        _ send: (HybridClient, @escaping @Sendable (String) async throws -> Void) async throws -> Void
    ) async throws -> Invitation.Details {
        let client = try HybridClient(
            radio: .simulated("\(try await SimulatedRadioAddress.unused())"), limits: .generous)
        let code = Mutex("")
        await #expect(throws: Shown.self) {
            try await send(client) { url in
                code.withLock { $0 = url }
                throw Shown()
            }
        }
        return try Invitation(url: code.withLock { $0 }).details
    }

    @Test("Digital credentials alone")
    func digitalCredentials() async throws {
        try await withEnds { ends in
            let (codes, shown) = AsyncStream<String>.makeStream()
            async let answer = ends.client.send(json: "{}") { shown.yield($0) }
            var iterator = codes.makeAsyncIterator()
            let code = try #require(await iterator.next())
            try await ends.responder.answer(code) { request in "[\(request)]" }
            #expect(try await answer == "[{}]")
        }
    }

    @Test("A reader of progress that blocks holds up nothing, and reads all events when it goes on")
    func slowReader() async throws {
        try await withEnds { ends in
            let (codes, shown) = AsyncStream<String>.makeStream()
            let (over, answered) = AsyncStream<Void>.makeStream()
            let read = Mutex<[CeremonyEvent]>([])
            async let answer = ends.client.send(Self.makeCredential) { events in
                // Nothing is read before the authenticator has answered.
                for await _ in over { break }
                for await event in events { read.withLock { $0.append(event) } }
            } show: {
                shown.yield($0)
            }
            var iterator = codes.makeAsyncIterator()
            let code = try #require(await iterator.next())
            try await ends.responder.answer(code, getInfo: Self.getInfo) { _, _ in [0x00] }
            answered.yield()
            #expect(try await answer == [0x00])
            let events = read.withLock { $0 }
            #expect(events.first == .stage(.qrShown) && events.last == .stage(.closed))
        }
    }

    @Test("A text that is no code is refused at its stage, before anything is opened")
    func noCode() async throws {
        let responder = try HybridResponder(
            radio: .simulated("127.0.0.1:9"), tunnelService: .address("ws://127.0.0.1:9"))
        let error = await #expect(throws: HybridTransportError.self) {
            try await responder.answer("FIDO:/1", getInfo: Self.getInfo) { _, _ in [] }
        }
        #expect(error?.stage == .qrScanned && error?.advice == .scanAgain)
    }

    @Test("A radio and a tunnel service that there cannot be are refused when they are chosen")
    func choices() {
        let radio = #expect(throws: HybridTransportError.self) {
            try HybridClient(radio: .simulated("192.0.2.1:9"))
        }
        #expect(radio?.code == .radio && radio?.advice == .checkRadio("invalid-address"))
        #expect(throws: HybridTransportError.self) { try HybridClient(radio: .bluetooth(adapter: "wlan0")) }
        #expect(throws: HybridTransportError.self) { try HybridTunnelService.domain(2) }
        let trust = #expect(throws: HybridTransportError.self) {
            try HybridClient(tunnelService: .address("wss://localhost", authorities: ["/nowhere"]))
        }
        #expect(trust?.code == .tunnelUnreachable)
    }

    @Test("The advert of a service that has no domain leads to no vendor")
    func unnamed() {
        #expect(TunnelDomain.unnamed.number == .max && TunnelDomain.unnamed.host().hasPrefix("cable."))
        #expect(![TunnelDomain.google, .apple].contains(.unnamed))
    }
}
