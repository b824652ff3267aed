/// Cases of WebSocket frames that the tunnel service sends, right and wrong: the same for authenticators and clients.
///
/// They carry our handshake message.
enum FramingCases {
    private typealias Opcode = WireFrame.Opcode

    static func all<Context: TunnelTestContext>(_ role: ConformanceCase.Role) -> CaseGroup<Context>.Cases {
        let group = CaseGroup<Context>(role: role, name: "framing", rule: "HT-TUN-61")
        return good(group) + [ownRecords(group)] + wrong(group) + losses(group)
    }

    /// A way to send a message.
    private typealias Manner = (
        name: String, requirement: String, rule: String, send: @Sendable (OpenHandshake) async throws -> Void
    )

    private static let goodFramings: [Manner] = [
        ("two-fragments", "accept a message in two frames", "HT-TUN-61", { try await send($0, in: 40) }),
        (
            "one-byte-fragments", "accept a message in frames of one byte", "HT-TUN-61",
            { try await send($0, in: 1) }
        ),
        (
            "empty-fragments", "accept empty frames within a message", "HT-TUN-61",
            { handshake in
                let socket = handshake.socket
                await socket.send(WireFrame(fin: false))
                await socket.send(WireFrame(fin: false, opcode: Opcode.continuation, payload: handshake.message))
                await socket.send(WireFrame(opcode: Opcode.continuation))
            }
        ),
        (
            "byte-by-byte", "accept a frame that arrives byte by byte", "HT-TUN-30",
            {
                try await $0.socket.connection.sendByteByByte(WireFrame(payload: $0.message).bytes())
            }
        ),
        (
            "split-records", "accept a frame whose head and payload are two TLS records", "HT-TUN-30",
            { try await $0.socket.connection.send(records: WireFrame(payload: $0.message).headAndPayload) }
        ),
        (
            "one-record", "accept a message in two frames that arrive in one TLS record", "HT-TUN-30",
            { handshake in
                try handshake.socket.connection.requireTLS()
                let frames = WireFrame.fragments(handshake.message, byteCount: 40)
                await handshake.socket.send(raw: frames.flatMap { $0.bytes() })
            }
        ),
        (
            "ping-before", "answer a ping with a pong of the same payload", "HT-TUN-62",
            { try await ping($0, [1, 2, 3]) }
        ),
        ("empty-ping", "answer an empty ping with an empty pong", "HT-TUN-62", { try await ping($0, []) }),
        (
            "longest-ping", "answer a ping of 125 bytes with a pong of the same payload", "HT-TUN-62",
            { try await ping($0, [UInt8](repeating: 7, count: 125)) }
        ),
        (
            "ping-between-fragments", "answer a ping between the frames of a message", "HT-TUN-62",
            { handshake in
                let frames = WireFrame.fragments(handshake.message, byteCount: 41)
                await handshake.socket.send(frames[0])
                try await expectPong(handshake.socket, [9])
                await handshake.socket.send(frames[1])
            }
        ),
        (
            "many-pings", "accept a message after 100 pings", "HT-TUN-62",
            { handshake in
                for index in 0..<100 { await handshake.socket.send(.ping([UInt8(index)])) }
                await handshake.socket.send(handshake.message)
            }
        ),
        (
            "unasked-pong", "ignore an unsolicited pong", "HT-TUN-63",
            { handshake in
                await handshake.socket.send(WireFrame(opcode: Opcode.pong, payload: [1]))
                await handshake.socket.send(handshake.message)
            }
        ),
    ]

    private static func good<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        goodFramings.map { manner in
            group.behaves(manner.name, manner.requirement, rule: manner.rule) { context in
                let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                try await manner.send(handshake)
                try await handshake.complete()
            }
        }
    }

    private static func ownRecords<Context: TunnelTestContext>(
        _ group: CaseGroup<Context>
    ) -> ScriptedCase<Context> {
        group.behaves(
            "own-records", "send the head of a frame and its payload in one TLS record",
            rule: "HT-TUN-83"
        ) { context in
            let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
            try handshake.socket.connection.requireTLS()
            await handshake.socket.send(handshake.message)
            try await handshake.complete()
            throw ObservedBehaviour(await handshake.socket.connection.frameRecords.text)
        }
    }

    /// Frames that break a rule, around the right message.
    private typealias Wrong = (
        name: String, requirement: String, rule: String,
        bytes: @Sendable ([UInt8]) -> [UInt8]
    )

    private static let wrongFrames: [Wrong] = [
        (
            "text", "refuse a text message", "HT-TUN-59",
            { WireFrame(opcode: Opcode.text, payload: $0).bytes() }
        ),
        (
            "empty-message", "refuse an empty message", "HT-TUN-60",
            { WireFrame().bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "masked", "refuse a masked frame of a server", "HT-TUN-65",
            { WireFrame(payload: $0).masked.bytes() }
        ),
        (
            "rsv1", "refuse a frame with the bit RSV1 if no extension was negotiated", "HT-TUN-66",
            { WireFrame(reserved: 4, payload: $0).bytes() }
        ),
        (
            "rsv2", "refuse a frame with the bit RSV2", "HT-TUN-66",
            { WireFrame(reserved: 2, payload: $0).bytes() }
        ),
        (
            "rsv3", "refuse a frame with the bit RSV3", "HT-TUN-66",
            { WireFrame(reserved: 1, payload: $0).bytes() }
        ),
        (
            "opcode-3", "refuse the reserved opcode 3", "HT-TUN-67",
            { WireFrame(opcode: 3, payload: $0).bytes() }
        ),
        (
            "opcode-7", "refuse the reserved opcode 7", "HT-TUN-67",
            { WireFrame(opcode: 7, payload: $0).bytes() }
        ),
        (
            "opcode-11", "refuse the reserved opcode 11", "HT-TUN-67",
            { WireFrame(opcode: 11, payload: $0).bytes() }
        ),
        (
            "opcode-15", "refuse the reserved opcode 15", "HT-TUN-67",
            { WireFrame(opcode: 15, payload: $0).bytes() }
        ),
        (
            "continues-nothing", "refuse a continuation frame that continues no message", "HT-TUN-68",
            { WireFrame(opcode: Opcode.continuation, payload: $0).bytes() }
        ),
        (
            "interrupted-message", "refuse a new message before the end of a fragmented one",
            "HT-TUN-68",
            { WireFrame(fin: false, payload: Array($0.prefix(9))).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "fragmented-ping", "refuse a fragmented control frame", "HT-TUN-69",
            { WireFrame(fin: false, opcode: Opcode.ping).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "long-ping", "refuse a control frame of more than 125 bytes", "HT-TUN-69",
            { WireFrame.ping([UInt8](repeating: 1, count: 126)).bytes() + WireFrame(payload: $0).bytes() }
        ),
        (
            "claims-2-to-40", "refuse a frame with a stated length of 2^40 bytes, without waiting for it", "HT-TUN-76",
            {
                WireFrame(payload: $0).bytes(.claiming(1 << 40))
            }
        ),
        (
            "claims-2-to-63", "refuse a frame with a stated length of 2^63 bytes", "HT-TUN-72",
            {
                WireFrame(payload: $0).bytes(.claiming(1 << 63))
            }
        ),
        (
            "claims-all-ones", "refuse a frame with a stated length of 2^64 - 1 bytes", "HT-TUN-72",
            {
                WireFrame(payload: $0).bytes(.claiming(.max))
            }
        ),
        (
            "half-close-code", "refuse a Close frame with a code of one byte", "HT-TUN-70",
            { _ in WireFrame(opcode: Opcode.close, payload: [3]).bytes() }
        ),
    ]

    private static func wrong<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        wrongFrames.map { wrong in
            group.refuses(wrong.name, wrong.requirement, rule: wrong.rule) { context in
                let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                await handshake.socket.send(raw: wrong.bytes(handshake.message))
                try await context.givesUp(handshake.socket)
            }
        }
            + [
                group.refuses("close-then-message", "ignore frames after a Close frame", rule: "HT-TUN-71") {
                    context in
                    let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                    let frames = [WireFrame.close(1000), WireFrame(payload: handshake.message)]
                    await handshake.socket.send(raw: frames.flatMap { $0.bytes() })
                    // Whether the command calls that a failure says nothing of the frame.
                    try await context.staysSilent(handshake.socket)
                    try await context.peer.ended()
                }
            ]
            + [
                (WireFrame.LengthForm.two, "length-in-two-bytes"), (.eight, "length-in-eight-bytes"),
            ].map { form, name in
                group.refuses(
                    name, "refuse a length that is not in its shortest form", rule: "HT-TUN-73"
                ) { context in
                    let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                    await handshake.socket.send(WireFrame(payload: handshake.message), form)
                    do { try await handshake.complete() } catch {
                        throw ObservedBehaviour("refuses a length in a longer form")
                    }
                    throw ObservedBehaviour("takes a length in a longer form")
                }
            }
    }

    private static func losses<Context: TunnelTestContext>(_ group: CaseGroup<Context>) -> CaseGroup<Context>.Cases {
        func loses(
            _ name: String, _ requirement: String, rule: String = "HT-MSG-38",
            _ end: @escaping @Sendable (OpenHandshake) async throws -> Void
        ) -> ScriptedCase<Context> {
            group.survives(name, requirement, rule: rule) { context in
                let handshake = try await context.atHandshake(context.acceptance, sending: .atOnce)
                try await end(handshake)
                try await context.staysSilent(handshake.socket)
                try await context.peer.ended()
            }
        }
        return [
            loses("close-1000", "end in bounded time when the tunnel is closed (1000) before the handshake") {
                await $0.socket.send(.close(1000))
            },
            loses("close-1001", "end in bounded time when the tunnel service goes away (1001)") {
                await $0.socket.send(.close(1001, reason: "going away"))
            },
            loses("close-without-code", "end in bounded time on a Close frame without a code") {
                await $0.socket.send(.close(nil))
            },
            loses("close-and-end", "end in bounded time when the connection ends right after the Close frame") {
                await $0.socket.close()
            },
            loses("end-without-close", "end in bounded time when the connection ends without a Close frame") {
                await $0.socket.connection.close()
            },
            loses("reset", "end in bounded time when the connection is reset") {
                await $0.socket.connection.reset()
            },
            loses("half-close", "end in bounded time when the service closes its sending direction alone") {
                await $0.socket.connection.closeOutput()
            },
            loses("end-inside-frame", "end in bounded time when the connection ends inside a frame") {
                await $0.socket.send(raw: Array(WireFrame(payload: $0.message).bytes().prefix(30)))
                await $0.socket.connection.close()
            },
            loses("silence", "end in bounded time when nothing arrives", rule: "HT-MSG-39") { _ in },
            loses("silence-inside-frame", "end in bounded time when half a frame arrives", rule: "HT-MSG-39") {
                await $0.socket.send(raw: Array(WireFrame(payload: $0.message).bytes().prefix(30)))
            },
            loses("pings-only", "end in bounded time when nothing but pings arrives", rule: "HT-MSG-39") {
                handshake in
                for _ in 0..<12 {
                    await handshake.socket.send(.ping(), mustArrive: false)
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
