internal import Synchronization

/// Cases of a tunnel's messages, and of its end.
enum ServiceTunnelCases {
    private static let relay = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "relay", rule: "HT-TUN-47")
    private static let end = CaseGroup<ServiceTestContext>(
        role: .tunnelService, name: "end", rule: "HT-TUN-52")

    static let all = sizes + relayed + ServiceFrameCases.all + ends + endings

    // MARK: - Messages

    /// Bytes of a handshake message's length, 81.
    static let handshake = (0..<81).map { UInt8($0) }

    private static let sizes = [
        1, 48, 81, 125, 126, 512, 4_096, 16_384, 65_535, 65_536, 262_144, 1 << 20, (1 << 20) + 1_024,
    ].map { byteCount in
        // Sessions without messages as long as the first three do not exist.
        let rule = byteCount > 16_384 ? "HT-TUN-75" : byteCount > 512 ? "HT-TUN-74" : "HT-TUN-47"
        let scripted = relay.behaves(
            "message-of-\(byteCount)", "relay a message of \(byteCount) bytes whole, in both directions", rule: rule
        ) { context in
            let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let tunnel = try await context.tunnel()
            try await context.carries(message, from: tunnel.client, to: tunnel.authenticator)
            try await context.carries(message, from: tunnel.authenticator, to: tunnel.client)
        }
        // The rule ends at 1 MiB.
        return byteCount > 1 << 20 ? scripted.observed : scripted
    }

    /// The plainest use of a tunnel service: both sides join a tunnel, and a message passes in each direction.
    static let plain = relay.behaves(
        "both-ways-at-once", "relay messages in both directions at once"
    ) { context in
        let tunnel = try await context.tunnel()
        await tunnel.client.send([1])
        await tunnel.authenticator.send([2])
        try await context.arrives([1], at: tunnel.authenticator)
        try await context.arrives([2], at: tunnel.client)
    }

    private static let relayed = [
        relay.behaves("order", "relay 100 messages in their order") { context in
            let tunnel = try await context.tunnel()
            for index in 0..<100 { await tunnel.client.send([UInt8(index)]) }
            for index in 0..<100 { try await context.arrives([UInt8(index)], at: tunnel.authenticator) }
        },
        plain,
        relay.behaves(
            "early-message", "relay messages sent before the client has joined",
            rule: "HT-TUN-49"
        ) {
            context in
            let authenticator = try await context.authenticator()
            await authenticator.socket.send([9, 8, 7])
            let client = try await context.client(of: authenticator)
            try await context.arrives([9, 8, 7], at: client)
        },
        relay.behaves(
            "no-signal", "not send a client anything that its authenticator did not send", rule: "HT-TUN-48"
        ) { context in
            let tunnel = try await context.tunnel()
            try await Task.sleep(for: .milliseconds(500))
            try await context.carries([5], from: tunnel.authenticator, to: tunnel.client)
        },
        relay.behaves(
            "waits-for-client", "keep a tunnel without a client open for at least 3 seconds",
            rule: "HT-TUN-50"
        ) {
            context in
            let authenticator = try await context.authenticator()
            try await Task.sleep(for: .seconds(3))
            let client = try await context.client(of: authenticator)
            try await context.carries(handshake, from: client, to: authenticator.socket)
        },
        relay.behaves("idle", "keep an idle tunnel open for at least 3 seconds", rule: "HT-TUN-50") {
            context in
            let tunnel = try await context.tunnel()
            try await Task.sleep(for: .seconds(3))
            try await context.carries(handshake, from: tunnel.client, to: tunnel.authenticator)
        },
        relay.behaves("no-cross-talk", "relay the messages of 30 simultaneous tunnels to their own ends alone") {
            context in
            var tunnels: [ServiceTestContext.Tunnel] = []
            for _ in 0..<30 { tunnels.append(try await context.tunnel()) }
            for (index, tunnel) in tunnels.enumerated() { await tunnel.client.send([UInt8(index), 1]) }
            for (index, tunnel) in tunnels.enumerated().reversed() {
                await tunnel.authenticator.send([UInt8(index), 2])
            }
            for (index, tunnel) in tunnels.enumerated() {
                try await context.arrives([UInt8(index), 1], at: tunnel.authenticator)
                try await context.arrives([UInt8(index), 2], at: tunnel.client)
            }
        },
        relay.survives(
            "slow-reader", "serve other tunnels while a client does not read", rule: "HT-TUN-31"
        ) { context in
            let tunnel = try await context.tunnel()
            // A client that has not joined its tunnel, or not ended TLS's handshake, holds nobody up.
            try await context.carries(handshake, from: tunnel.authenticator, to: tunnel.client)
            await tunnel.client.connection.stopReading()
            let sending = try await fill(from: tunnel.authenticator)
            defer { sending.cancel() }
            try await context.isAlive()
        },
        relay.survives(
            "waiting-tunnels", "serve other tunnels while 12 wait for their clients",
            rule: "HT-TUN-31"
        ) { context in
            for _ in 0..<12 { _ = try await context.authenticator() }
            try await context.isAlive()
        },
        relay.survives("churn", "survive 50 tunnels that are opened and reset", rule: "HT-TUN-31") {
            context in
            for _ in 0..<50 { await (try await context.authenticator()).socket.connection.reset() }
            try await context.isAlive()
        },
    ]

    /// More than the buffers of a service's system hold for a client that does not read: 32 messages of 256 KiB.
    private static let fillingFrame = WireFrame(payload: [UInt8](repeating: 3, count: 256 << 10)).masked.bytes()
    private static let fillingCount = 32
    /// The time without another message after which the service takes no more of them.
    private static let fillingPause = Duration.seconds(1)

    /// Sends an authenticator's messages to a client that does not read, and returns when the service takes no more of
    /// them, or has taken them all.
    ///
    /// - Returns: the sending of the rest, to be cancelled.
    private static func fill(from authenticator: WebSocketEnd) async throws -> Task<Void, Never> {
        let count = Mutex(0)
        let sending = Task {
            for _ in 0..<fillingCount where !Task.isCancelled {
                await authenticator.send(raw: fillingFrame)
                count.withLock { $0 += 1 }
            }
        }
        var last = -1
        while case let now = count.withLock(\.self), now != last, now < fillingCount {
            last = now
            do { try await Task.sleep(for: fillingPause) } catch {
                sending.cancel()
                throw error
            }
        }
        return sending
    }

    // MARK: - The end of one end

    /// The end of a tunnel that closes.
    private enum ClosingEnd: String, CaseIterable {
        case client, authenticator
    }

    private typealias Closing = (name: String, requirement: String, close: @Sendable (WebSocketEnd) async -> Void)

    private static let closings: [Closing] = [
        ("close", "closes with code 1000", { await $0.closeAndWait(1000) }),
        ("close-without-code", "closes without a code", { await $0.closeAndWait(nil) }),
        ("close-4000", "closes with code 4000", { await $0.closeAndWait(4000, reason: "own") }),
        ("reset", "resets its connection", { await $0.connection.reset() }),
        ("end-without-close", "ends without a Close frame", { await $0.connection.close() }),
        ("half-close", "closes its sending direction", { await $0.connection.closeOutput() }),
        (
            "end-inside-frame", "ends inside a frame",
            {
                await $0.send(raw: Array(WireFrame(payload: handshake).masked.bytes().prefix(20)))
                await $0.connection.close()
            }
        ),
    ]

    private static let ends = ClosingEnd.allCases.flatMap { closingEnd in
        closings.map { closing in
            end.behaves(
                "\(closingEnd.rawValue)-\(closing.name)",
                "close the other connection when the \(closingEnd.rawValue) \(closing.requirement)"
            ) { context in
                let tunnel = try await context.tunnel()
                let (goes, stays) =
                    closingEnd == .client
                    ? (tunnel.client, tunnel.authenticator) : (tunnel.authenticator, tunnel.client)
                await closing.close(goes)
                try await context.ends(stays)
            }
        }
    }

    private static let endings = [
        end.behaves("last-message", "relay messages sent before a Close frame", rule: "HT-TUN-53") { context in
            let tunnel = try await context.tunnel()
            await tunnel.client.send(handshake)
            await tunnel.client.closeAndWait(1000)
            try await context.arrives(handshake, at: tunnel.authenticator)
            try await context.ends(tunnel.authenticator)
        },
        end.behaves(
            "last-large-message", "relay 512 KiB that were sent before a Close frame",
            rule: "HT-TUN-53"
        ) {
            context in
            let message = [UInt8](repeating: 0x5A, count: 512 << 10)
            let tunnel = try await context.tunnel()
            await tunnel.authenticator.send(message)
            await tunnel.authenticator.send(.close(1000))
            try await context.arrives(message, at: tunnel.client)
        },
        end.behaves("close-answered", "answer a Close frame with a Close frame", rule: "HT-TUN-54") {
            context in
            let tunnel = try await context.tunnel()
            await tunnel.client.send(.close(1000))
            do {
                // With any code, or none: RFC 6455 section 5.5.1 says that the code is typically the same.
                let frame = try await within(context.timeout, "its Close frame") { try await tunnel.client.frame() }
                try demand(frame.opcode == WireFrame.Opcode.close, "a \(frame.name) comes after its Close frame")
            } catch is WebSocketEnd.Closed {
                throw Deviation("it ends the connection without a Close frame")
            }
        },
        end.behaves(
            "close-relayed", "relay the code of a Close frame to the other end", rule: "HT-TUN-55"
        ) { context in
            let tunnel = try await context.tunnel()
            await tunnel.client.closeAndWait(4001)
            do { _ = try await context.message(tunnel.authenticator) } catch let closed as WebSocketEnd.Closed {
                throw ObservedBehaviour("the other end gets the code \(closed.code.map(String.init) ?? "none")")
            }
        },
        end.survives(
            "waiting-authenticator-resets", "survive an authenticator that resets before its client has joined",
            rule: "HT-TUN-31"
        ) { context in
            await (try await context.authenticator()).socket.connection.reset()
            try await context.isAlive()
        },
        end.survives("both-at-once", "survive a tunnel whose two ends reset at once", rule: "HT-TUN-31") {
            context in
            let tunnel = try await context.tunnel()
            await tunnel.client.connection.reset()
            await tunnel.authenticator.connection.reset()
            try await context.isAlive()
        },
    ]
}
