/// Cases of what passes through a tunnel: messages, frames, control frames, and ends.
enum ServiceTunnelCases {
    private typealias Opcode = WireFrame.Opcode

    private static let relay = Group<ServiceStage>(
        role: .tunnelService, name: "relay", source: "CTAP 2.2 section 11.5.1, the tunnel service")
    private static let frame = Group<ServiceStage>(role: .tunnelService, name: "frame", source: "RFC 6455 section 5")
    private static let end = Group<ServiceStage>(role: .tunnelService, name: "end", source: "RFC 6455 section 7")

    static let all = sizes + relayed + goodFrames + badFrames + ends + endings

    // MARK: - Messages

    private static let handshake = (0..<81).map { UInt8($0) }

    private static let sizes = [
        (1, ConformanceCase.Certainty.certain), (48, .certain), (81, .certain), (125, .certain), (126, .certain),
        (512, .certain),
        (4_096, .certain), (16_384, .certain), (65_535, .secondHand), (65_536, .secondHand), (262_144, .secondHand),
        (1 << 20, .secondHand), ((1 << 20) + 1_024, .disputed),
    ].map { byteCount, certainty in
        relay.behaves(
            "message-of-\(byteCount)", "a message of \(byteCount) bytes arrives whole, in both directions", certainty
        ) { stage in
            let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let tunnel = try await stage.tunnel()
            try await stage.carries(message, from: tunnel.client, to: tunnel.authenticator)
            try await stage.carries(message, from: tunnel.authenticator, to: tunnel.client)
        }
    }

    private static let relayed = [
        relay.behaves("order", "a hundred messages arrive in their order", .secondHand) { stage in
            let tunnel = try await stage.tunnel()
            for index in 0..<100 { await tunnel.client.send([UInt8(index)]) }
            for index in 0..<100 { try await stage.arrives([UInt8(index)], at: tunnel.authenticator) }
        },
        relay.behaves("both-ways-at-once", "messages in both directions do not disturb each other") { stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.send([1])
            await tunnel.authenticator.send([2])
            try await stage.arrives([1], at: tunnel.authenticator)
            try await stage.arrives([2], at: tunnel.client)
        },
        relay.behaves("early-message", "what an authenticator sends before its client is there arrives", .disputed) {
            stage in
            let authenticator = try await stage.authenticator()
            await authenticator.socket.send([9, 8, 7])
            let client = try await stage.client(of: authenticator)
            try await stage.arrives([9, 8, 7], at: client)
        },
        relay.behaves("no-signal", "a client is sent nothing that its authenticator did not send") { stage in
            let tunnel = try await stage.tunnel()
            try await Task.sleep(for: .milliseconds(500))
            try await stage.carries([5], from: tunnel.authenticator, to: tunnel.client)
        },
        relay.behaves("waits-for-client", "a tunnel waits for its client: three seconds at least") { stage in
            let authenticator = try await stage.authenticator()
            try await Task.sleep(for: .seconds(3))
            let client = try await stage.client(of: authenticator)
            try await stage.carries(handshake, from: client, to: authenticator.socket)
        },
        relay.behaves("idle", "a tunnel on which nothing passes stays open: three seconds at least") { stage in
            let tunnel = try await stage.tunnel()
            try await Task.sleep(for: .seconds(3))
            try await stage.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
        },
        relay.behaves("no-cross-talk", "thirty tunnels at once carry each its own messages") { stage in
            var tunnels: [ServiceStage.Tunnel] = []
            for _ in 0..<30 { tunnels.append(try await stage.tunnel()) }
            for (index, tunnel) in tunnels.enumerated() { await tunnel.client.send([UInt8(index), 1]) }
            for (index, tunnel) in tunnels.enumerated().reversed() {
                await tunnel.authenticator.send([UInt8(index), 2])
            }
            for (index, tunnel) in tunnels.enumerated() {
                try await stage.arrives([UInt8(index), 1], at: tunnel.authenticator)
                try await stage.arrives([UInt8(index), 2], at: tunnel.client)
            }
        },
        relay.survives(
            "slow-reader", "a client that does not read does not keep others from their tunnels", .secondHand
        ) { stage in
            let authenticator = try await stage.authenticator()
            let connection = try await stage.connect(isReading: false)
            await connection.send(
                stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)").bytes)
            let message = [UInt8](repeating: 3, count: 256 << 10)
            let sending = Task { for _ in 0..<32 { await authenticator.socket.send(message) } }
            defer { sending.cancel() }
            try await Task.sleep(for: .milliseconds(300))
            try await stage.isAlive()
        },
        relay.survives(
            "waiting-tunnels", "fifty tunnels that wait for clients do not keep others from theirs", .secondHand
        ) { stage in
            for _ in 0..<50 { _ = try await stage.authenticator() }
            try await stage.isAlive()
        },
        relay.survives("churn", "fifty tunnels opened and closed leave no trace", .secondHand) { stage in
            for _ in 0..<50 { await (try await stage.authenticator()).socket.connection.reset() }
            try await stage.isAlive()
        },
    ]

    // MARK: - Frames that are right

    private static let goodFrames =
        [
            frame.behaves("fragments", "a message in several frames arrives whole") { stage in
                let tunnel = try await stage.tunnel()
                for part in WireFrame.fragments(handshake, byteCount: 10) { await tunnel.client.send(part) }
                try await stage.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("empty-fragments", "frames of a message may be empty") { stage in
                let tunnel = try await stage.tunnel()
                await tunnel.client.send(WireFrame(fin: false))
                await tunnel.client.send(WireFrame(fin: false, opcode: Opcode.continuation, payload: handshake))
                await tunnel.client.send(WireFrame(opcode: Opcode.continuation))
                try await stage.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("byte-by-byte", "a frame may come in any number of pieces") { stage in
                let tunnel = try await stage.tunnel()
                try await tunnel.client.connection.trickle(WireFrame(payload: handshake).masked.bytes())
                try await stage.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("with-request", "a frame may come in one packet with the request", .secondHand) { stage in
                let authenticator = try await stage.authenticator()
                let connection = try await stage.connect()
                let request = stage.request("/cable/connect/\(authenticator.routingID)/\(authenticator.tunnelID)")
                await connection.send(request.bytes + WireFrame(payload: handshake).masked.bytes())
                try await stage.arrives(handshake, at: authenticator.socket)
            },
        ]
        + [
            ("ping", [1, 2, 3]), ("empty-ping", []), ("longest-ping", [UInt8](repeating: 7, count: 125)),
        ].map { name, payload in
            frame.behaves(name, "a ping of \(payload.count) bytes is answered with a pong of the same payload") {
                stage in
                let tunnel = try await stage.tunnel()
                await tunnel.client.send(.ping(payload))
                let pong = try await within(stage.patience, "a pong") { try await tunnel.client.frame() }
                try demand(pong.opcode == Opcode.pong && pong.payload == payload, "it answers a ping otherwise")
                try await stage.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
            }
        } + [
            frame.behaves("ping-while-waiting", "a ping is answered before the client is there") { stage in
                let authenticator = try await stage.authenticator()
                await authenticator.socket.send(.ping([4]))
                let pong = try await within(stage.patience, "a pong") { try await authenticator.socket.frame() }
                try demand(pong.opcode == Opcode.pong && pong.payload == [4], "it answers a ping otherwise")
            },
            frame.behaves("ping-between-fragments", "a ping may come between the frames of a message") { stage in
                let tunnel = try await stage.tunnel()
                let parts = WireFrame.fragments(handshake, byteCount: 41)
                await tunnel.client.send(parts[0])
                await tunnel.client.send(.ping([6]))
                await tunnel.client.send(parts[1])
                try await stage.arrives(handshake, at: tunnel.authenticator)
            },
            frame.behaves("unasked-pong", "a pong that nobody asked for is ignored") { stage in
                let tunnel = try await stage.tunnel()
                await tunnel.client.send(WireFrame(opcode: Opcode.pong, payload: [1]))
                try await stage.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
            },
        ]

    // MARK: - Frames that are wrong

    private static func refuses(
        _ name: String, _ rule: String, _ certainty: ConformanceCase.Certainty = .certain,
        _ bytes: @escaping @Sendable () -> [UInt8]
    ) -> PlayedCase<ServiceStage> {
        frame.refuses(name, "\(rule): the connection ends, and nothing of it reaches the other end", certainty) {
            stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.send(raw: bytes())
            try await stage.ends(tunnel.client)
            try await stage.ends(tunnel.authenticator)
            try await stage.isAlive()
        }
    }

    private static let badFrames = [
        refuses("unmasked", "a client's frames are masked") { WireFrame(payload: handshake).bytes() },
        refuses("text", "messages are binary") {
            WireFrame(opcode: Opcode.text, payload: Array("hello".utf8)).masked.bytes()
        },
        refuses("empty-message", "an empty message is a violation", .secondHand) { WireFrame().masked.bytes() },
        refuses("rsv1", "the bit RSV1 is zero without an extension") {
            WireFrame(reserved: 4, payload: handshake).masked.bytes()
        },
        refuses("rsv2", "the bit RSV2 is zero") { WireFrame(reserved: 2, payload: handshake).masked.bytes() },
        refuses("rsv3", "the bit RSV3 is zero") { WireFrame(reserved: 1, payload: handshake).masked.bytes() },
        refuses("opcode-3", "opcode 3 is reserved") { WireFrame(opcode: 3, payload: handshake).masked.bytes() },
        refuses("opcode-7", "opcode 7 is reserved") { WireFrame(opcode: 7, payload: handshake).masked.bytes() },
        refuses("opcode-11", "opcode 11 is reserved") { WireFrame(opcode: 11, payload: [1]).masked.bytes() },
        refuses("opcode-15", "opcode 15 is reserved") { WireFrame(opcode: 15, payload: [1]).masked.bytes() },
        refuses("continues-nothing", "a continuation continues something") {
            WireFrame(opcode: Opcode.continuation, payload: handshake).masked.bytes()
        },
        refuses("interrupted-message", "a message begins after the end of the one before") {
            WireFrame(fin: false, payload: [1]).masked.bytes() + WireFrame(payload: [2]).masked.bytes()
        },
        refuses("fragmented-ping", "a control frame is whole") {
            WireFrame(fin: false, opcode: Opcode.ping).masked.bytes()
        },
        refuses("long-ping", "a control frame has 125 bytes at most") {
            WireFrame.ping([UInt8](repeating: 1, count: 126)).masked.bytes()
        },
        refuses("claims-2-to-40", "nobody waits for a frame of 2^40 bytes") {
            WireFrame(isMasked: true).bytes(.claiming(1 << 40))
        },
        refuses("claims-2-to-63", "the length of a frame is less than 2^63") {
            WireFrame(isMasked: true).bytes(.claiming(1 << 63))
        },
        refuses("half-close-code", "the code of a Close frame has two bytes") {
            WireFrame(opcode: Opcode.close, payload: [3]).masked.bytes()
        },
        refuses("close-code-1005", "the code 1005 is never sent") { WireFrame.close(1005).masked.bytes() },
        refuses("close-code-999", "codes below 1000 are never sent") { WireFrame.close(999).masked.bytes() },
        refuses("message-of-8-mib", "nobody takes a message of 8 MiB", .secondHand) {
            WireFrame(payload: [UInt8](repeating: 1, count: 8 << 20)).masked.bytes()
        },
        refuses("http-again", "what follows the upgrade is no HTTP") {
            Array("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: somebody who has missed the upgrade\r\n\r\n".utf8)
        },
    ]

    // MARK: - The end of one end

    /// Which end of a tunnel goes.
    private enum Goer: String, CaseIterable {
        case client, authenticator
    }

    private typealias Leave = (name: String, rule: String, leave: @Sendable (WebSocketEnd) async -> Void)

    private static let leaves: [Leave] = [
        ("close", "closes", { await $0.leave(1000) }),
        ("close-without-code", "closes without a code", { await $0.leave(nil) }),
        ("close-4000", "closes with a code of its own", { await $0.leave(4000, reason: "own") }),
        ("reset", "resets its connection", { await $0.connection.reset() }),
        ("end-without-close", "ends its connection without a Close frame", { await $0.connection.close() }),
        ("half-close", "closes its direction alone", { await $0.connection.closeOutput() }),
        (
            "end-inside-frame", "ends inside a frame",
            {
                await $0.send(raw: Array(WireFrame(payload: handshake).masked.bytes().prefix(20)))
                await $0.connection.close()
            }
        ),
    ]

    private static let ends = Goer.allCases.flatMap { goer in
        leaves.map { leave in
            end.behaves(
                "\(goer.rawValue)-\(leave.name)", "if the \(goer.rawValue) \(leave.rule), the other end is told"
            ) { stage in
                let tunnel = try await stage.tunnel()
                let (goes, stays) =
                    goer == .client ? (tunnel.client, tunnel.authenticator) : (tunnel.authenticator, tunnel.client)
                await leave.leave(goes)
                try await stage.ends(stays)
            }
        }
    }

    private static let endings = [
        end.behaves("last-message", "what was sent before a Close frame arrives") { stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.send(handshake)
            await tunnel.client.leave(1000)
            try await stage.arrives(handshake, at: tunnel.authenticator)
            try await stage.ends(tunnel.authenticator)
        },
        end.behaves("last-large-message", "even if it is half a megabyte", .secondHand) { stage in
            let message = [UInt8](repeating: 0x5A, count: 512 << 10)
            let tunnel = try await stage.tunnel()
            await tunnel.authenticator.send(message)
            await tunnel.authenticator.send(.close(1000))
            try await stage.arrives(message, at: tunnel.client)
        },
        end.behaves("close-answered", "a Close frame is answered with one of the same code") { stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.send(.close(1000))
            do {
                _ = try await stage.message(tunnel.client)
                throw Deviation("a message comes after its Close frame")
            } catch let closed as WebSocketEnd.Closed {
                try demand(closed.code == 1000, "it answers with the code \(closed.code.map(String.init) ?? "none")")
            }
        },
        end.behaves("close-relayed", "the code of one end's Close frame reaches the other end", .disputed) { stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.leave(4001)
            do { _ = try await stage.message(tunnel.authenticator) } catch let closed as WebSocketEnd.Closed {
                throw Observation("the other end gets the code \(closed.code.map(String.init) ?? "none")")
            }
        },
        end.survives(
            "waiting-authenticator-resets", "an authenticator that resets before its client comes does no harm"
        ) { stage in
            await (try await stage.authenticator()).socket.connection.reset()
            try await stage.isAlive()
        },
        end.survives("both-at-once", "both ends may go at once") { stage in
            let tunnel = try await stage.tunnel()
            await tunnel.client.connection.reset()
            await tunnel.authenticator.connection.reset()
            try await stage.isAlive()
        },
    ]
}
