import NIOCore
import TestPeers
import Testing

@testable import TunnelService

@Suite("A limit", .timeLimit(.minutes(4)))
struct LimitTests {
    private func limits(_ change: (inout TunnelService.Limits) -> Void) -> TunnelService.Limits {
        var limits = TunnelService.Limits.generous
        change(&limits)
        return limits
    }

    /// Limits that a test's ticks do not reach, although they are minutes ahead.
    private func patientLimits(_ change: (inout TunnelService.Limits) -> Void) -> TunnelService.Limits {
        limits {
            $0.pendingLifetime = .seconds(600)
            $0.pingInterval = .seconds(600)
            $0.silence = .seconds(660)
            change(&$0)
        }
    }

    @Test("on the message's length holds to the byte")
    func messageLength() async throws {
        try await withService(limits: limits { $0.messageBytes = 100 }) { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(WireFrame(payload: [UInt8](repeating: 1, count: 100)))
            #expect(try await authenticator.message().count == 100)
            try await client.send(WireFrame(payload: [UInt8](repeating: 1, count: 101)))
            #expect(try await client.closeCode() == 1009)
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("below a control frame's length leaves control frames alone")
    func shortMessagesLongPings() async throws {
        try await withService(limits: limits { $0.messageBytes = 10 }) { service in
            let authenticator = try await service.authenticator()
            try await authenticator.send(WireFrame(opcode: WireFrame.ping, payload: [UInt8](repeating: 1, count: 125)))
            #expect(try await authenticator.frame().payload.count == 125)
            try await authenticator.send(WireFrame(payload: [UInt8](repeating: 1, count: 11)))
            #expect(try await authenticator.closeCode() == 1009)
            await authenticator.close()
        }
    }

    @Test("on the number of messages counts each side by itself, and closes with 1008")
    func messageCount() async throws {
        try await withService(limits: limits { $0.messagesPerSide = 3 }) { service in
            let (authenticator, client) = try await service.pair()
            for number in 0..<3 as Range<UInt8> {
                try await client.send(WireFrame(payload: [number]))
                #expect(try await authenticator.message() == [number])
                try await authenticator.send(WireFrame(payload: [number]))
                #expect(try await client.message() == [number])
            }
            try await authenticator.send(WireFrame(payload: [3]))
            #expect(try await authenticator.closeCode() == 1008)
            #expect(try await client.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test(
        "on the bytes of a side counts everything on the wire, endless fragments and pings too",
        arguments: [WireFrame.continuation, WireFrame.ping, WireFrame.pong])
    func byteCount(opcode: UInt8) async throws {
        try await withService(limits: limits { $0.bytesPerSide = 10_000 }) { service in
            let (authenticator, client) = try await service.pair()
            if opcode == WireFrame.continuation { try await client.send(WireFrame(fin: false, payload: [1])) }
            let frame = WireFrame(fin: opcode != WireFrame.continuation, opcode: opcode)
            let sending = Task {
                for _ in 0..<2_500 { try await client.send(frame) }
            }
            var last = try await client.frame()
            while last.opcode == WireFrame.pong { last = try await client.frame() }
            #expect(last == WireFrame(opcode: WireFrame.closeFrame, payload: [0x03, 0xF0], isMasked: false))
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            _ = await sending.result
            await authenticator.close()
        }
    }

    @Test("on the tunnel's life closes both ends with 1001")
    func tunnelLife() async throws {
        try await withService(limits: limits { $0.tunnelLifetime = .milliseconds(300) }) { service in
            let (authenticator, client) = try await service.pair()
            #expect(try await authenticator.closeCode() == 1001)
            #expect(try await client.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on the wait for the client closes the authenticator with 1001, and frees the ID")
    func pendingLife() async throws {
        try await withService(limits: limits { $0.pendingLifetime = .milliseconds(300) }) { service in
            let authenticator = try await service.authenticator()
            #expect(try await authenticator.closeCode() == 1001)
            let client = try await RawPeer.connect(service.port)
            #expect(try await client.shake(.connect()).status == 404)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on waiting tunnels closes the oldest one with 1013 when the next one opens")
    func pendingTunnels() async throws {
        try await withService(limits: limits { $0.pendingTunnels = 2 }) { service in
            let ids = (0..<3).map { String(repeating: "\($0)", count: 32) }
            let first = try await service.authenticator(ids[0])
            let second = try await service.authenticator(ids[1])
            let third = try await service.authenticator(ids[2])
            #expect(try await first.closeCode() == 1013)
            let late = try await RawPeer.connect(service.port)
            #expect(try await late.shake(.connect(ids[0])).status == 404)
            let client = try await service.client(ids[1])
            for peer in [first, second, third, client, late] { await peer.close() }
        }
    }

    @Test("on an address's waiting tunnels refuses the next one with 429, and takes it when one is joined")
    func pendingTunnelsPerAddress() async throws {
        try await withService(limits: limits { $0.pendingTunnelsPerAddress = 2 }) { service in
            let ids = (0..<3).map { String(repeating: "\($0)", count: 32) }
            let first = try await service.authenticator(ids[0])
            let second = try await service.authenticator(ids[1])
            let refused = try await RawPeer.connect(service.port)
            try await refused.send(Handshake.new(ids[2]).text)
            let answer = try await refused.lastAnswer()
            #expect(answer.status == 429)
            #expect(answer["Retry-After"] == ["10"])
            let client = try await service.client(ids[0])
            let third = try await service.authenticator(ids[2])
            for peer in [first, second, third, client, refused] { await peer.close() }
        }
    }

    @Test("on connections from one address refuses the next with 429, drops those beyond, and takes one when one goes")
    func connectionsPerAddress() async throws {
        try await withService(limits: limits { $0.connectionsPerAddress = 3 }) { service in
            try await expectRefusal(429, after: 3, service)
        }
    }

    @Test("on connections in all ends the one that has been silent longest, at once, when the next one comes")
    func connections() async throws {
        try await withService(limits: limits { $0.connections = 3 }) { service in
            let (authenticator, client) = try await service.pair()
            let idle = try await RawPeer.connect(service.port)
            try await until { service.connectionCount == 3 }
            let next = try await RawPeer.connect(service.port)
            #expect(try await idle.takeToEnd().isEmpty)
            #expect(try await next.shake(.new("11111111111111111111111111111111")).status == 101)
            // No request is left; the tunnel that waits came later than the pair.
            let last = try await RawPeer.connect(service.port)
            #expect(try await authenticator.closeCode() == 1013)
            #expect(try await client.closeCode() == 1013)
            for peer in [authenticator, client, idle, next, last] { await peer.close() }
        }
    }

    @Test("on connections in all leaves alone a pair in the middle of its ceremony, until its time is over")
    func ceremony() async throws {
        try await withService(limits: patientLimits { $0.connections = 4 }) { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(WireFrame(payload: [1]))
            #expect(try await authenticator.message() == [1])
            try await authenticator.send(WireFrame(payload: [2]))
            #expect(try await client.message() == [2])
            let other = try await service.pair("11111111111111111111111111111111")
            // They have spoken, but one of them alone, and after the others.
            try await other.client.send(WireFrame(payload: [3]))
            #expect(try await other.authenticator.message() == [3])
            let third = try await service.authenticator("22222222222222222222222222222222")
            #expect(try await other.client.closeCode() == 1013)
            #expect(try await other.authenticator.closeCode() == 1013)
            for peer in [other.client, other.authenticator] { await peer.close() }
            try await until { service.connectionCount == 3 }
            service.relay.forEachConnection { $0.tick(.now() + .seconds(121)) }
            await service.turn()
            await third.close()
            try await until { service.connectionCount == 2 }
            let fourth = try await service.authenticator("33333333333333333333333333333333")
            let fifth = try await service.authenticator("55555555555555555555555555555555")
            let sixth = try await service.authenticator("44444444444444444444444444444444")
            #expect(try await authenticator.closeCode() == 1013)
            #expect(try await client.closeCode() == 1013)
            for peer in [authenticator, client, fourth, fifth, sixth] { await peer.close() }
        }
    }

    @Test("on connections of a network ends another one of it when the next one comes")
    func connectionsPerPrefix() async throws {
        let limits = limits {
            $0.connections = 64
            $0.connectionsPerPrefix = 4
        }
        try await withService(limits: limits) { service in
            let pair = try await service.pair()
            let others = [
                try await service.authenticator("11111111111111111111111111111111"),
                try await service.authenticator("22222222222222222222222222222222"),
            ]
            let next = try await service.authenticator("33333333333333333333333333333333")
            #expect(try await pair.authenticator.closeCode() == 1013)
            #expect(try await pair.client.closeCode() == 1013)
            for peer in others + [next, pair.authenticator, pair.client] { await peer.close() }
        }
    }

    @Test("on silence under pressure ends what is silent and no ceremony, and nothing while there is room")
    func idle() async throws {
        try await withService(limits: patientLimits { $0.connections = 6 }) { service in
            let pair = try await service.pair()
            let speaking = try await service.pair("11111111111111111111111111111111")
            try await speaking.client.send(WireFrame(payload: [1]))
            #expect(try await speaking.authenticator.message() == [1])
            try await speaking.authenticator.send(WireFrame(payload: [2]))
            #expect(try await speaking.client.message() == [2])
            func pass(_ seconds: Int64) async {
                service.relay.forEachConnection { $0.tick(.now()) }
                service.relay.forEachConnection { $0.tick(.now() + .seconds(seconds)) }
                await service.turn()
            }
            await pass(61)
            #expect(service.pairedTunnelCount == 2)
            let waiting = try await service.authenticator("22222222222222222222222222222222")
            await pass(30)
            #expect(service.pairedTunnelCount == 2)
            await pass(61)
            #expect(try await pair.authenticator.closeCode() == 1013)
            #expect(try await pair.client.closeCode() == 1013)
            try await speaking.client.send(WireFrame(payload: [3]))
            #expect(try await speaking.authenticator.message() == [3])
            for peer in [waiting, speaking.client, speaking.authenticator, pair.client, pair.authenticator] {
                await peer.close()
            }
        }
    }

    @Test(
        "on the time of a message closes with 1008 a peer that begins one and does not go on", arguments: [false, true])
    func unfinishedMessage(isFragmented: Bool) async throws {
        try await withService(limits: patientLimits { _ in }) { service in
            let (authenticator, client) = try await service.pair()
            service.ticking.cancel()
            let start = NIODeadline.now()
            func pass(_ seconds: Int64) async {
                service.relay.forEachConnection { $0.tick(start + .seconds(seconds)) }
                await service.turn()
            }
            // 32 KiB of a message of 64: they take 2 seconds more.
            let half = [UInt8](repeating: 1, count: 32 << 10)
            if isFragmented {
                try await client.send(WireFrame(fin: false, payload: half))
            } else {
                try await client.send(WireFrame(payload: half + half).bytes.prefix(8 + half.count))
            }
            try await until { service.bufferedByteCount >= half.count }
            await pass(0)
            await pass(11)
            // Pings are no part of it.
            if isFragmented { try await client.send(WireFrame(opcode: WireFrame.pong)) }
            #expect(service.pairedTunnelCount == 1)
            await pass(13)
            #expect(try await client.closeCode() == 1008)
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on the time of a message lets 1 MiB come from a sender of 16 KiB a second")
    func slowMessage() async throws {
        try await withService(limits: patientLimits { _ in }) { service in
            let (authenticator, client) = try await service.pair()
            service.ticking.cancel()
            let start = NIODeadline.now()
            let message = [UInt8](repeating: 7, count: 1 << 20)
            let bytes = WireFrame(payload: message).bytes
            for second in 0..<64 {
                let count = min(bytes.count, (second + 1) << 14)
                try await client.send(bytes[(second << 14)..<count])
                try await until { service.bufferedByteCount >= count }
                service.relay.forEachConnection { $0.tick(start + .seconds(Int64(second))) }
                await service.turn()
            }
            try await client.send(bytes[(64 << 14)...])
            #expect(try await authenticator.message() == message)
            // The next message has a time of its own.
            for second in 64..<100 {
                try await client.send(WireFrame(fin: false, payload: [1]))
                await service.turn()
                service.relay.forEachConnection { $0.tick(start + .seconds(Int64(second))) }
                try await client.send(WireFrame(opcode: WireFrame.continuation, payload: [2]))
                #expect(try await authenticator.message() == [1, 2])
            }
            await client.close()
            await authenticator.close()
        }
    }

    private func expectRefusal(_ status: Int, after count: Int, _ service: RunningTunnelService) async throws {
        var idle: [RawPeer] = []
        for _ in 0..<count { idle.append(try await RawPeer.connect(service.port)) }
        try await until { service.connectionCount == count }
        let refused = try await RawPeer.connect(service.port)
        try await until { service.connectionCount == count + 1 }
        let dropped = try await RawPeer.connect(service.port)
        #expect(try await dropped.takeToEnd().isEmpty)
        #expect(service.connectionCount == count + 1)
        try await refused.send(Handshake.new().text)
        let answer = try await refused.lastAnswer()
        #expect(answer.status == status)
        #expect(answer["Retry-After"] == ["10"])
        await refused.close()
        await idle.removeLast().close()
        try await until { service.connectionCount == count - 1 }
        let served = try await service.authenticator()
        for peer in idle + [served, dropped] { await peer.close() }
    }

    @Test("on the time of a request ends a connection that says nothing, without an answer")
    func silentConnection() async throws {
        try await withService(limits: limits { $0.requestTime = .milliseconds(200) }) { service in
            let peer = try await RawPeer.connect(service.port)
            #expect(try await peer.takeToEnd().isEmpty)
            await peer.close()
        }
    }

    @Test("on the time of a request ends one that sends a byte now and then, with 408")
    func slowRequest() async throws {
        // A connection whose first byte came after that would be one that says nothing.
        try await withService(limits: limits { $0.requestTime = .seconds(6) }) { service in
            let peer = try await RawPeer.connect(service.port)
            let request = Array(Handshake.new().text.utf8)
            try await peer.send(Array(request.prefix(1)))
            let sending = Task {
                for byte in request.dropFirst() {
                    try await peer.send([byte])
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
            #expect(try await peer.lastAnswer().status == 408)
            await peer.close()
            _ = await sending.result
        }
    }

    @Test("on the length of a request holds although its head never ends")
    func endlessRequest() async throws {
        try await withService(limits: limits { $0.requestBytes = 1_000 }) { service in
            let peer = try await RawPeer.connect(service.port)
            try await peer.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 2_000))
            #expect(try await peer.lastAnswer().status == 431)
            await peer.close()
        }
    }

    @Test("on the bytes of a closing connection ends one that sends on, long before the close time is over")
    func closingBytes() async throws {
        try await withService(limits: limits { $0.closingBytes = 100_000 }) { service in
            for ended in [WireFrame(opcode: WireFrame.text, payload: [1]), WireFrame.close(1000)] {
                // One end that the service ends itself, and one that it waits for to answer.
                let (authenticator, client) = try await service.pair()
                try await client.send(ended)
                let sending = [client, authenticator].map { peer in
                    Task {
                        while (try? await peer.send(WireFrame(payload: [UInt8](repeating: 1, count: 10_000)))) != nil {}
                    }
                }
                try await until { service.connectionCount == 0 }
                for task in sending { await task.value }
                await client.close()
                await authenticator.close()
            }
        }
    }

    @Test("on silence closes a peer that does not answer pings, and its tunnel with 1001")
    func silence() async throws {
        let limits = limits {
            $0.pingInterval = .seconds(1)
            $0.silence = .seconds(10)
        }
        try await withService(limits: limits) { service in
            let (authenticator, client) = try await service.pair()
            var pings = 0
            var last = try await authenticator.frame()
            while last.opcode == WireFrame.ping, pings < 60 {
                pings += 1
                try await authenticator.send(WireFrame(opcode: WireFrame.pong, payload: last.payload))
                last = try await authenticator.frame()
            }
            #expect(last == WireFrame(opcode: WireFrame.closeFrame, payload: [0x03, 0xE9], isMasked: false))
            #expect(pings >= 2)
            #expect(try await client.frame().opcode == WireFrame.ping)
            _ = try await client.takeToEnd()
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on silence is no shorter than a tunnel's life: a pair that thinks for ten minutes sees no ping (HT-TUN-84)")
    func thinking() async throws {
        try await withService(limits: .init()) { service in
            let (authenticator, client) = try await service.pair()
            let start = NIODeadline.now()
            for seconds in [0, 31, 76, 590] {
                service.relay.forEachConnection { $0.tick(start + .seconds(Int64(seconds))) }
            }
            await service.turn()
            try await authenticator.send(WireFrame(payload: [1]))
            #expect(try await client.message() == [1])
            try await client.send(WireFrame(payload: [2]))
            #expect(try await authenticator.message() == [2])
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on a peer's acknowledgements ends the tunnel of a machine that is gone, though nobody is pinged (HT-TUN-84)")
    func goneMachine() async throws {
        let limits = limits {
            $0.keepAliveTime = .seconds(1)
            $0.userTimeout = .seconds(2)
            $0.pingInterval = .seconds(600)
            $0.silence = .seconds(660)
        }
        try await withService(limits: limits) { service in
            let (authenticator, client) = try await service.pair()
            try await client.dropWhatArrives()
            #expect(try await authenticator.closeCode() == 1001)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("on all buffered bytes closes with 1013 the peer that would pass it")
    func bufferedBytes() async throws {
        try await withService(limits: limits { $0.bufferedBytes = 130_000 }) { service in
            let first = try await service.authenticator("11111111111111111111111111111111")
            let second = try await service.authenticator("22222222222222222222222222222222")
            let unfinished = WireFrame(fin: false, payload: [UInt8](repeating: 1, count: 60_000))
            try await first.send(unfinished)
            try await until { service.bufferedByteCount >= 60_000 }
            try await second.send(unfinished)
            #expect(try await second.closeCode() == 1013)
            // Modest peers go on as if nothing were.
            let (authenticator, client) = try await service.pair()
            let modest = [UInt8](repeating: 2, count: 10_000)
            try await client.send(WireFrame(payload: modest))
            #expect(try await authenticator.message() == modest)
            await client.close()
            await authenticator.close()
            await second.close()
            try await until { service.bufferedByteCount <= 61_000 }
            await first.close()
            try await until { service.bufferedByteCount == 0 }
        }
    }

    @Test("on all buffered bytes gives a network no more than it leaves for others")
    func bufferShares() {
        func key(_ address: String) -> AddressKey { AddressKey(ip: IPAddress(address)) }
        let (greedy, beside, other) = (key("192.0.2.1"), key("192.0.2.200"), key("198.51.100.1"))
        let budget = BufferBudget(limit: 1_000, hasShares: true)
        #expect(budget.adjust(by: 400, of: greedy) && budget.adjust(by: 100, of: beside))
        #expect(!budget.adjust(by: 1, of: beside))
        #expect(budget.adjust(by: 249, of: other) && !budget.adjust(by: 2, of: other))
        #expect(budget.adjust(by: -501, of: greedy) && budget.heldBytes == 251)
        #expect(budget.adjust(by: 249, of: other) && !budget.adjust(by: 1, of: other))
        // So is a provider's: however many of its networks there are, half is left.
        let allocation = BufferBudget(limit: 1_000, hasShares: true)
        for network in 0..<256 { _ = allocation.adjust(by: 2, of: key("2a00:1:\(network)::1")) }
        #expect(!allocation.adjust(by: 1, of: key("2a00:1:ffff::1")))
        #expect(allocation.adjust(by: 200, of: other))
        // Behind a proxy that names nobody there is only the whole.
        let shared = BufferBudget(limit: 1_000, hasShares: false)
        #expect(shared.adjust(by: 1_000, of: greedy) && !shared.adjust(by: 1, of: other))
    }

    @Test("that makes no sense is refused at the start")
    func nonsense() async throws {
        let wrong: [TunnelService.Limits] = [
            limits { $0.messageBytes = 0 },
            limits { $0.messageBytes = Int.max },
            limits { $0.connections = -1 },
            limits { $0.pendingTunnelsPerAddress = 0 },
            limits { $0.connectionsPerPrefix = 0 },
            limits { $0.closingBytes = 0 },
            limits { $0.messageTime = .zero },
            limits { $0.ceremonyTime = .zero },
            limits { $0.idleTime = .zero },
            limits { $0.connectionRate.interval = .zero },
            limits { $0.connectionRatePerPrefix.burst = 0 },
            limits { $0.requestTime = .zero },
            limits { $0.userTimeout = .zero },
            limits { $0.silence = $0.pingInterval },
        ]
        for limits in wrong {
            await #expect(throws: TunnelServiceError(.invalidLimits, reason: "")) {
                try await TunnelService(configuration: .init(security: .plain, limits: limits)).start()
            }
        }
    }
}
