/// Cases of WebSocket frames that the tunnel service sends, right and wrong: the same for authenticators and clients.
///
/// What they carry is our handshake message.
enum FramingCases {
    private typealias Opcode = WireFrame.Opcode

    static func all<Stage: TunnelStage>(_ role: ConformanceCase.Role) -> Group<Stage>.Cases {
        let group = Group<Stage>(role: role, name: "framing", source: "RFC 6455 section 5")
        return good(group) + wrong(group) + losses(group)
    }

    /// A way to send a message.
    private typealias Manner = (name: String, rule: String, send: @Sendable (OpenHandshake) async throws -> Void)

    private static let goodManners: [Manner] = [
        ("two-fragments", "a message may come in two frames", { try await send($0, in: 40) }),
        ("one-byte-fragments", "a message may come in as many frames as it has bytes", { try await send($0, in: 1) }),
        (
            "empty-fragments", "frames of a message may be empty",
            { handshake in
                let socket = handshake.socket
                await socket.send(WireFrame(fin: false))
                await socket.send(WireFrame(fin: false, opcode: Opcode.continuation, payload: handshake.message))
                await socket.send(WireFrame(opcode: Opcode.continuation))
            }
        ),
        (
            "byte-by-byte", "a frame may come in any number of pieces",
            {
                try await $0.socket.connection.trickle(WireFrame(payload: $0.message).bytes())
            }
        ),
        ("ping-before", "a ping is answered with a pong of the same payload", { try await ping($0, [1, 2, 3]) }),
        ("empty-ping", "a ping may be empty", { try await ping($0, []) }),
        ("longest-ping", "a ping may have 125 bytes", { try await ping($0, [UInt8](repeating: 7, count: 125)) }),
        (
            "ping-between-fragments", "a ping may come between the frames of a message",
            { handshake in
                let frames = WireFrame.fragments(handshake.message, byteCount: 41)
                await handshake.socket.send(frames[0])
                try await expectPong(handshake.socket, [9])
                await handshake.socket.send(frames[1])
            }
        ),
        (
            "many-pings", "a hundred pings do no harm",
            { handshake in
                for index in 0..<100 { await handshake.socket.send(.ping([UInt8(index)])) }
                await handshake.socket.send(handshake.message)
            }
        ),
        (
            "unasked-pong", "a pong that nobody asked for is ignored",
            { handshake in
                await handshake.socket.send(WireFrame(opcode: Opcode.pong, payload: [1]))
                await handshake.socket.send(handshake.message)
            }
        ),
    ]

    private static func good<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        goodManners.map { manner in
            group.behaves(manner.name, manner.rule) { stage in
                let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                try await manner.send(handshake)
                try await handshake.complete()
            }
        }
    }

    /// Frames that break a rule, around the right message.
    private typealias Wrong = (
        name: String, rule: String, certainty: ConformanceCase.Certainty,
        bytes: @Sendable ([UInt8]) -> [UInt8]
    )

    private static let wrongFrames: [Wrong] = [
        ("text", "messages are binary", .certain, { WireFrame(opcode: Opcode.text, payload: $0).bytes() }),
        (
            "empty-message", "an empty message is a violation", .secondHand,
            { WireFrame().bytes() + WireFrame(payload: $0).bytes() }
        ),
        ("masked", "a server's frames are not masked", .certain, { WireFrame(payload: $0).masked.bytes() }),
        (
            "rsv1", "the bit RSV1 is zero without an extension", .certain,
            { WireFrame(reserved: 4, payload: $0).bytes() }
        ),
        ("rsv2", "the bit RSV2 is zero", .certain, { WireFrame(reserved: 2, payload: $0).bytes() }),
        ("rsv3", "the bit RSV3 is zero", .certain, { WireFrame(reserved: 1, payload: $0).bytes() }),
        ("opcode-3", "opcode 3 is reserved", .certain, { WireFrame(opcode: 3, payload: $0).bytes() }),
        ("opcode-7", "opcode 7 is reserved", .certain, { WireFrame(opcode: 7, payload: $0).bytes() }),
        ("opcode-11", "opcode 11 is reserved", .certain, { WireFrame(opcode: 11, payload: $0).bytes() }),
        ("opcode-15", "opcode 15 is reserved", .certain, { WireFrame(opcode: 15, payload: $0).bytes() }),
        (
            "continues-nothing", "a continuation continues something", .certain,
            { WireFrame(opcode: Opcode.continuation, payload: $0).bytes() }
        ),
        (
            "interrupted-message", "a message begins after the end of the one before", .certain,
            { WireFrame(fin: false, payload: Array($0.prefix(9))).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "fragmented-ping", "a control frame is whole", .certain,
            { WireFrame(fin: false, opcode: Opcode.ping).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "long-ping", "a control frame has 125 bytes at most", .certain,
            { WireFrame.ping([UInt8](repeating: 1, count: 126)).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "claims-2-to-40", "nobody waits for a frame of 2^40 bytes", .certain,
            {
                WireFrame(payload: $0).bytes(.claiming(1 << 40))
            }
        ),
        (
            "claims-2-to-63", "the length of a frame is less than 2^63", .certain,
            {
                WireFrame(payload: $0).bytes(.claiming(1 << 63))
            }
        ),
        (
            "claims-all-ones", "the length of a frame is less than 2^63", .certain,
            {
                WireFrame(payload: $0).bytes(.claiming(.max))
            }
        ),
        (
            "half-close-code", "the code of a Close frame has two bytes", .certain,
            { _ in WireFrame(opcode: Opcode.close, payload: [3]).bytes() }
        ),
        (
            "close-then-message", "nothing counts after a Close frame", .certain,
            {
                WireFrame.close(1000).bytes() + WireFrame(payload: $0).bytes()
            }
        ),
    ]

    private static func wrong<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        wrongFrames.map { wrong in
            group.refuses(wrong.name, wrong.rule, wrong.certainty) { stage in
                let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                await handshake.socket.send(raw: wrong.bytes(handshake.message))
                try await stage.givesUp(handshake.socket)
            }
        }
            + [
                (WireFrame.LengthForm.two, "length-in-two-bytes"), (.eight, "length-in-eight-bytes"),
            ].map { form, name in
                group.refuses(name, "the length of a frame is written in its shortest form", .disputed) { stage in
                    let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                    await handshake.socket.send(WireFrame(payload: handshake.message), form)
                    do { try await handshake.complete() } catch {
                        throw Observation("refuses a length in a longer form")
                    }
                    throw Observation("takes a length in a longer form")
                }
            }
    }

    private static func losses<Stage: TunnelStage>(_ group: Group<Stage>) -> Group<Stage>.Cases {
        func loses(
            _ name: String, _ rule: String, _ end: @escaping @Sendable (OpenHandshake) async throws -> Void
        ) -> PlayedCase<Stage> {
            group.survives(name, rule) { stage in
                let handshake = try await stage.atHandshake(stage.acceptance, sending: .atOnce)
                try await end(handshake)
                try await stage.givesUp(handshake.socket)
            }
        }
        return [
            loses("close-1000", "a tunnel that is closed before the handshake ends the session") {
                await $0.socket.send(.close(1000))
            },
            loses("close-1001", "a tunnel whose service goes away ends the session") {
                await $0.socket.send(.close(1001, reason: "going away"))
            },
            loses("close-without-code", "a Close frame may have no code") { await $0.socket.send(.close(nil)) },
            loses("close-and-end", "a tunnel may be closed without waiting for an answer") { await $0.socket.close() },
            loses("end-without-close", "a connection may end without a Close frame") {
                await $0.socket.connection.close()
            },
            loses("reset", "a connection may be reset") { await $0.socket.connection.reset() },
            loses("half-close", "a service may close its direction alone") { await $0.socket.connection.closeOutput() },
            loses("end-inside-frame", "a connection may end inside a frame") {
                await $0.socket.send(raw: Array(WireFrame(payload: $0.message).bytes().prefix(30)))
                await $0.socket.connection.close()
            },
            loses("silence", "a session in which nothing comes ends in bounded time") { _ in },
            loses("silence-inside-frame", "a session in which half a frame comes ends in bounded time") {
                await $0.socket.send(raw: Array(WireFrame(payload: $0.message).bytes().prefix(30)))
            },
            loses("pings-only", "a session in which nothing but pings come ends in bounded time") { handshake in
                for _ in 0..<12 {
                    await handshake.socket.send(.ping())
                    try await Task.sleep(for: .milliseconds(250))
                }
            },
        ]
    }

    private static func send(_ handshake: OpenHandshake, in byteCount: Int) async throws {
        for frame in WireFrame.fragments(handshake.message, byteCount: byteCount) { await handshake.socket.send(frame) }
    }

    private static func ping(_ handshake: OpenHandshake, _ payload: [UInt8]) async throws {
        try await expectPong(handshake.socket, payload)
        await handshake.socket.send(handshake.message)
    }

    private static func expectPong(_ socket: WebSocketEnd, _ payload: [UInt8]) async throws {
        await socket.send(.ping(payload))
        let frame = try await within(.seconds(5), "a pong") { try await socket.frame() }
        try demand(frame.opcode == Opcode.pong, "it answers a ping with a frame of opcode \(frame.opcode)")
        try demand(frame.payload == payload, "its pong does not repeat the ping's payload")
    }
}
