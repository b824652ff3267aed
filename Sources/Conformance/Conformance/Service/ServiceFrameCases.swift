/// Cases of the WebSocket frames that a tunnel service accepts or refuses from a client.
enum ServiceFrameCases {
    private typealias Opcode = WireFrame.Opcode

    private static let frame = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "frame", rule: "HT-TUN-61")

    static let all = goodFrames + badFrames

    private static let handshake = ServiceTunnelCases.handshake

    // MARK: - Frames that are right

    private static let goodFrames =
        [
            frame.behaves("fragments", "relay a message in several frames whole") { context in
                let tunnel = try await context.tunnel()
                for part in WireFrame.fragments(handshake, byteCount: 10) { await tunnel.client.send(part) }
                try await context.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("empty-fragments", "accept empty frames within a message") { context in
                let tunnel = try await context.tunnel()
                await tunnel.client.send(WireFrame(fin: false))
                await tunnel.client.send(WireFrame(fin: false, opcode: Opcode.continuation, payload: handshake))
                await tunnel.client.send(WireFrame(opcode: Opcode.continuation))
                try await context.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("byte-by-byte", "accept a frame that arrives byte by byte", rule: "HT-TUN-30") {
                context in
                let tunnel = try await context.tunnel()
                try await tunnel.client.connection.sendByteByByte(WireFrame(payload: handshake).masked.bytes())
                try await context.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves(
                "split-records", "accept a frame whose head and payload are two TLS records", rule: "HT-TUN-30"
            ) { context in
                let tunnel = try await context.tunnel()
                try await tunnel.client.connection.send(records: WireFrame(payload: handshake).masked.headAndPayload)
                try await context.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves(
                "own-records", "send the head of a frame and its payload in one TLS record",
                rule: "HT-TUN-83"
            ) { context in
                let tunnel = try await context.tunnel()
                try tunnel.client.connection.requireTLS()
                for message in [handshake, [UInt8](repeating: 6, count: 512)] {
                    try await context.carries(message, from: tunnel.authenticator, to: tunnel.client)
                }
                throw ObservedBehaviour(await tunnel.client.connection.frameRecords.text)
            },
            frame.behaves(
                "with-request", "relay a frame that arrives in one packet with the request",
                rule: "HT-TUN-30"
            ) { context in
                let authenticator = try await context.authenticator()
                let connection = try await context.connect()
                let request = context.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)")
                await connection.send(request.bytes + WireFrame(payload: handshake).masked.bytes())
                try await context.arrives(handshake, at: authenticator.socket)
            },
        ]
        + [
            ("ping", [1, 2, 3]), ("empty-ping", []), ("longest-ping", [UInt8](repeating: 7, count: 125)),
        ].map { name, payload in
            frame.behaves(
                name, "answer a ping of \(payload.count) bytes with a pong of the same payload", rule: "HT-TUN-62"
            ) {
                context in
                let tunnel = try await context.tunnel()
                await tunnel.client.send(.ping(payload))
                let pong = try await within(context.timeout, "a pong") { try await tunnel.client.frame() }
                try demand(
                    pong.opcode == Opcode.pong && pong.payload == payload,
                    "it does not answer the ping with a pong of the same payload")
                try await context.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
            }
        } + [
            frame.behaves("ping-while-waiting", "answer a ping before the client has joined", rule: "HT-TUN-62") {
                context in
                let authenticator = try await context.authenticator()
                await authenticator.socket.send(.ping([4]))
                let pong = try await within(context.timeout, "a pong") { try await authenticator.socket.frame() }
                try demand(
                    pong.opcode == Opcode.pong && pong.payload == [4],
                    "it does not answer the ping with a pong of the same payload")
            },
            frame.behaves("ping-between-fragments", "accept a ping between the frames of a message") { context in
                let tunnel = try await context.tunnel()
                let parts = WireFrame.fragments(handshake, byteCount: 41)
                await tunnel.client.send(parts[0])
                await tunnel.client.send(.ping([6]))
                await tunnel.client.send(parts[1])
                try await context.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("unasked-pong", "ignore an unsolicited pong", rule: "HT-TUN-63") { context in
                let tunnel = try await context.tunnel()
                await tunnel.client.send(WireFrame(opcode: Opcode.pong, payload: [1]))
                try await context.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
            },
        ]

    // MARK: - Frames that are wrong

    /// The rule on messages that are longer than a limit, which is the service's own.
    private static let tooLong = "HT-TUN-76"

    private static func refuses(
        _ name: String, _ mistake: String, rule: String,
        bytes: @escaping @Sendable () -> [UInt8]
    ) -> ScriptedCase<ServiceTestContext> {
        frame.refuses(name, "close the tunnel, and relay nothing of \(mistake)", rule: rule) {
            context in
            let tunnel = try await context.tunnel()
            await tunnel.client.send(raw: bytes())
            try await context.ends(tunnel.client)
            try await context.ends(tunnel.authenticator)
            try await context.isAlive()
        }
    }

    private static let badFrames = [
        refuses("unmasked", "an unmasked frame", rule: "HT-TUN-64") { WireFrame(payload: handshake).bytes() },
        refuses("text", "a text message", rule: "HT-TUN-59") {
            WireFrame(opcode: Opcode.text, payload: Array("hello".utf8)).masked.bytes()
        },
        refuses("empty-message", "an empty message", rule: "HT-TUN-60") { WireFrame().masked.bytes() },
        refuses("rsv1", "a frame with the bit RSV1", rule: "HT-TUN-66") {
            WireFrame(reserved: 4, payload: handshake).masked.bytes()
        },
        refuses("rsv2", "a frame with the bit RSV2", rule: "HT-TUN-66") {
            WireFrame(reserved: 2, payload: handshake).masked.bytes()
        },
        refuses("rsv3", "a frame with the bit RSV3", rule: "HT-TUN-66") {
            WireFrame(reserved: 1, payload: handshake).masked.bytes()
        },
        refuses("opcode-3", "a frame of the reserved opcode 3", rule: "HT-TUN-67") {
            WireFrame(opcode: 3, payload: handshake).masked.bytes()
        },
        refuses("opcode-7", "a frame of the reserved opcode 7", rule: "HT-TUN-67") {
            WireFrame(opcode: 7, payload: handshake).masked.bytes()
        },
        refuses("opcode-11", "a frame of the reserved opcode 11", rule: "HT-TUN-67") {
            WireFrame(opcode: 11, payload: [1]).masked.bytes()
        },
        refuses("opcode-15", "a frame of the reserved opcode 15", rule: "HT-TUN-67") {
            WireFrame(opcode: 15, payload: [1]).masked.bytes()
        },
        refuses("continues-nothing", "a continuation frame that continues no message", rule: "HT-TUN-68") {
            WireFrame(opcode: Opcode.continuation, payload: handshake).masked.bytes()
        },
        refuses("interrupted-message", "a new message inside a fragmented one", rule: "HT-TUN-68") {
            WireFrame(fin: false, payload: [1]).masked.bytes() + WireFrame(payload: [2]).masked.bytes()
        },
        refuses("fragmented-ping", "a fragmented ping", rule: "HT-TUN-69") {
            WireFrame(fin: false, opcode: Opcode.ping).masked.bytes()
        },
        refuses("long-ping", "a ping of 126 bytes", rule: "HT-TUN-69") {
            WireFrame.ping([UInt8](repeating: 1, count: 126)).masked.bytes()
        },
        refuses("claims-2-to-40", "a frame with a stated length of 2^40", rule: tooLong) {
            WireFrame(isMasked: true).bytes(.claiming(1 << 40))
        },
        refuses("claims-2-to-63", "a frame with a stated length of 2^63", rule: "HT-TUN-72") {
            WireFrame(isMasked: true).bytes(.claiming(1 << 63))
        },
        refuses("half-close-code", "a Close frame with a code of one byte", rule: "HT-TUN-70") {
            WireFrame(opcode: Opcode.close, payload: [3]).masked.bytes()
        },
        refuses("close-code-1005", "a Close frame with code 1005", rule: "HT-TUN-70") {
            WireFrame.close(1005).masked.bytes()
        },
        refuses("close-code-999", "a Close frame with code 999", rule: "HT-TUN-70") {
            WireFrame.close(999).masked.bytes()
        },
        refuses("message-of-8-mib", "a message of 8 MiB", rule: tooLong) {
            WireFrame(payload: [UInt8](repeating: 1, count: 8 << 20)).masked.bytes()
        },
        refuses("http-again", "an HTTP request after the upgrade", rule: "HT-TUN-66") {
            Array("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: somebody who has missed the upgrade\r\n\r\n".utf8)
        },
    ]
}
