import HybridProtocol
import HybridTransport
import Testing
import TunnelClient

@Suite("A tunnel whose service breaks the rules of the WebSocket", .serialized, .timeLimit(.minutes(5)))
struct FramingTests {
    @Test(
        "is ended with a named error, and the service is told by a close code",
        arguments: [
            ("peer.frame(TEXT, b'hello')", .framingViolation, 1003),
            ("peer.frame(TEXT, b'hel', fin=False)", .framingViolation, 1003),
            ("peer.frame(BINARY)", .framingViolation, 1002),
            ("peer.frame(BINARY, fin=False); peer.frame(CONTINUATION)", .framingViolation, 1002),
            ("peer.frame(BINARY, b'x', masked=True)", .webSocketViolation, 1002),
            ("peer.frame(BINARY, b'x', reserved=4)", .webSocketViolation, 1002),
            ("peer.frame(BINARY, b'x', reserved=1)", .webSocketViolation, 1002),
            ("peer.frame(3, b'x')", .webSocketViolation, 1002),
            ("peer.frame(15, b'x')", .webSocketViolation, 1002),
            ("peer.frame(CONTINUATION, b'x')", .webSocketViolation, 1002),
            ("peer.frame(BINARY, b'x', fin=False); peer.frame(BINARY, b'y')", .webSocketViolation, 1002),
            ("peer.frame(PING, b'x' * 126)", .webSocketViolation, 1002),
            ("peer.frame(PING, b'x', fin=False)", .webSocketViolation, 1002),
            ("peer.frame(CLOSE, b'x')", .webSocketViolation, 1002),
            ("peer.close(1005)", .webSocketViolation, 1002),
            ("peer.close(999)", .webSocketViolation, 1002),
            ("peer.close(5000)", .webSocketViolation, 1002),
            ("peer.close(1000, b'\\xff')", .webSocketViolation, 1007),
            ("peer.frame(BINARY, b'x' * ((1 << 20) + 1))", .messageTooLong, 1009),
            ("peer.frame(BINARY, length=(1 << 20) + 1)", .messageTooLong, 1009),
            ("peer.frame(BINARY, length=(1 << 63) - 1)", .messageTooLong, 1009),
            ("peer.frame(BINARY, length=(1 << 64) - 1)", .messageTooLong, 1009),
            (
                "peer.frame(BINARY, b'x' * (1 << 19), fin=False); peer.frame(CONTINUATION, b'x' * ((1 << 19) + 1))",
                .messageTooLong, 1009
            ),
            (
                "for n in range(1 << 11): peer.frame(BINARY if n == 0 else CONTINUATION, b'x' * 513, fin=False)",
                .messageTooLong, 1009
            ),
        ] as [(String, DataChannelError.Code, Int)])
    func violation(behaviour: String, code: DataChannelError.Code, closeCode: Int) async throws {
        try await ServicePeer.hostile("peer.accept()\n\(behaviour)") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let error = await failure { _ = try await channel.receive() }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(await peer.next("close") == "\(closeCode)")
            #expect(await failure { try await channel.send([1]) }?.code == code)
            await channel.close()
            #expect(await peer.ending() != nil)
        }
    }

    @Test("still gives the messages that came before")
    func messagesBeforeViolation() async throws {
        try await ServicePeer.hostile("peer.accept(); peer.frame(BINARY, b'good'); peer.frame(TEXT, b'bad')") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == Array("good".utf8))
            #expect(await failure { _ = try await channel.receive() }?.code == .framingViolation)
        }
    }

    @Test("takes a message of exactly 1 MiB, whole or in fragments with pings between them")
    func longestMessage() async throws {
        let behaviour = """
            peer.accept()
            peer.frame(BINARY, b"x" * (1 << 20))
            for n in range(256):
                peer.frame(BINARY if n == 0 else CONTINUATION, b"y" * (1 << 12), fin=n == 255)
                if n % 64 == 0: peer.frame(PING, str(n).encode())
                if n % 64 == 1: peer.frame(PONG, b"unasked")
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20))
            #expect(try await channel.receive() == [UInt8](repeating: UInt8(ascii: "y"), count: 1 << 20))
            for expected in ["0", "64", "128", "192"] { #expect(await peer.next("pong") == expected) }
            await channel.close()
        }
    }

    @Test("takes a message in a hundred thousand fragments in bounded time")
    func manyFragments() async throws {
        let behaviour = """
            peer.accept()
            peer.frame(BINARY, b"x", fin=False)
            peer.send(peer.bytes_of_frame(CONTINUATION, b"x", fin=False) * 99998)
            peer.frame(CONTINUATION, b"x")
            """
        try await ServicePeer.hostile(behaviour) { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(try await channel.receive() == [UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
            await channel.close()
        }
    }

    @Test(
        "is lost when the connection ends without a close, between messages or inside one",
        arguments: [
            "raise EOFError",
            "peer.send(peer.bytes_of_frame(BINARY, b'x' * 100)[:50]); raise EOFError",
            "peer.send(b'\\x82'); raise EOFError",
            "peer.frame(BINARY, b'x', fin=False); raise EOFError",
        ])
    func connectionLost(behaviour: String) async throws {
        try await ServicePeer.hostile("peer.accept(); peer.read_frame()\n\(behaviour)") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            try await channel.send([1])
            #expect(await failure { _ = try await channel.receive() }?.code == .connectionLost)
            await channel.close()
        }
    }

    @Test(
        "is told apart by the service's close code",
        arguments: [
            (1000, .closed), (1001, .closed), (1002, .framingViolation), (1003, .framingViolation),
            (1007, .framingViolation), (1008, .closed), (1009, .messageTooLong), (1013, .closed), (4999, .closed),
        ] as [(Int, DataChannelError.Code)])
    func closeCodes(closeCode: Int, code: DataChannelError.Code) async throws {
        try await ServicePeer.hostile("peer.accept(); peer.close(\(closeCode), b'secret words')") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            let error = await failure { _ = try await channel.receive() }
            #expect(error?.code == code)
            #expect(error?.reason.contains("secret") == false)
            #expect(await peer.next("close") == "\(closeCode)")
        }
    }

    @Test("is over as soon as the service answers a Close, though it keeps the connection")
    func answeredClose() async throws {
        try await ServicePeer.hostile("peer.accept(); peer.read_frame(); peer.frame(CLOSE)\npeer.wait_for_end()") {
            peer in
            var configuration = TunnelClient.Configuration()
            configuration.closeTimeout = .seconds(30)
            let channel = try await TunnelClient(configuration: configuration).open(peer.url).channel
            let begun = ContinuousClock.now
            await channel.close()
            #expect(await peer.ending() != nil)
            #expect(ContinuousClock.now - begun < .seconds(15))
        }
    }

    @Test("is closed cleanly by a close frame without a code")
    func closeWithoutCode() async throws {
        try await ServicePeer.hostile("peer.accept(); peer.frame(CLOSE)") { peer in
            let channel = try await TunnelClient().open(peer.url).channel
            #expect(await failure { _ = try await channel.receive() }?.code == .closed)
        }
    }
}
