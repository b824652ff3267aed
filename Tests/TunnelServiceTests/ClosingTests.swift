import Testing

@testable import TunnelService

@Suite("The end of a tunnel")
struct ClosingTests {
    @Test(
        "a Close is answered, and its code relayed to the other end",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1014, 3000, 4321, 4999] as [UInt16], [true, false])
    func codeIsRelayed(code: UInt16, byClient: Bool) async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let (first, second) = byClient ? (client, authenticator) : (authenticator, client)
            try await first.send(.close(code, reason: "the reason is not relayed"))
            #expect(try await first.frame().payload == [UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(try await first.takeToEnd().isEmpty)
            #expect(try await second.frame().payload == [UInt8(code >> 8), UInt8(code & 0xFF)])
            try await second.send(.close(code))
            #expect(try await second.takeToEnd().isEmpty)
            await first.close()
            await second.close()
        }
    }

    @Test("a Close without a code is answered without one, and relayed as 1000")
    func closeWithoutCode() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            try await client.send(.close(nil))
            #expect(try await client.closeCode() == nil)
            #expect(try await authenticator.closeCode() == 1000)
            await client.close()
            await authenticator.close()
        }
    }

    enum Loss: CaseIterable { case end, reset, endInFrame }

    @Test("the loss of a connection without a Close is 1001 to the other end", arguments: Loss.allCases, [true, false])
    func loss(_ loss: Loss, ofClient: Bool) async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let (lost, left) = ofClient ? (client, authenticator) : (authenticator, client)
            switch loss {
            case .end: await lost.close()
            case .reset: try await lost.reset()
            case .endInFrame:
                try await lost.send(WireFrame(payload: [1, 2, 3]).bytes.dropLast())
                await lost.close()
            }
            #expect(try await left.closeCode() == 1001)
            try await until { service.pairedTunnelCount == 0 }
            await left.close()
        }
    }

    @Test("what was sent before the Close arrives before it")
    func messagesBeforeClose() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let message = [UInt8](repeating: 0x77, count: 1 << 20)
            try await authenticator.send(
                WireFrame(payload: message).bytes + WireFrame(payload: [1]).bytes + WireFrame.close(1000).bytes
            )
            await authenticator.closeOutput()
            #expect(try await client.message() == message)
            #expect(try await client.message() == [1])
            #expect(try await client.closeCode() == 1000)
            await client.close()
            await authenticator.close()
        }
    }

    @Test("a client that comes as its authenticator leaves is refused, or gets all that was sent and the code")
    func comesAtTheEnd() async throws {
        try await withService { service in
            var lateCount = 0
            for round in 0..<300 {
                let authenticator = try await service.authenticator()
                let client = try await RawPeer.connect(service.port)
                async let answer = client.shake(.connect())
                for _ in 0..<round % 10 { await Task.yield() }
                try await authenticator.send(WireFrame(payload: [7]).bytes + WireFrame.close(4321).bytes)
                let status = try await answer.status
                if status == 101 {
                    try #require(try await client.message() == [7])
                    try #require(try await client.closeCode() == 4321)
                } else {
                    // None any more, or one that has left since.
                    try #require(status == 404)
                    lateCount += 1
                }
                await client.close()
                await authenticator.close()
                try await until { service.pairedTunnelCount + service.pendingTunnelCount == 0 }
            }
            #expect(lateCount < 300)
        }
    }

    @Test("a waiting authenticator that goes away frees its tunnel ID", arguments: Loss.allCases)
    func waitingAuthenticatorGoes(_ loss: Loss) async throws {
        try await withService { service in
            let authenticator = try await service.authenticator()
            switch loss {
            case .end: await authenticator.close()
            case .reset: try await authenticator.reset()
            case .endInFrame:
                try await authenticator.send([0x82])
                await authenticator.close()
            }
            try await until { service.pendingTunnelCount == 0 }
            let client = try await RawPeer.connect(service.port)
            #expect(try await client.shake(.connect()).status == 404)
            await client.close()
        }
    }

    @Test("a peer that does not answer a Close is disconnected when the close time is over")
    func unansweredClose() async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(200)
        try await withService(limits: limits) { service in
            let (authenticator, client) = try await service.pair()
            await client.close()
            #expect(try await authenticator.closeCode() == 1001)
            #expect(try await authenticator.takeToEnd().isEmpty)
            try await until { service.connectionCount == 0 }
            await authenticator.close()
        }
    }

    @Test("a peer that goes on sending after its violation is disconnected, by the limit of bytes if it is fast")
    func sendsOn() async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(300)
        try await withService(limits: limits) { service in
            let authenticator = try await service.authenticator()
            try await authenticator.send(WireFrame(opcode: WireFrame.text, payload: [1]))
            let sending = Task {
                while (try? await authenticator.send([UInt8](repeating: 0x5A, count: 65_536))) != nil {}
            }
            try await until { service.connectionCount == 0 }
            await sending.value
            #expect(service.bufferedByteCount == 0)
            await authenticator.close()
        }
    }

    @Test(
        "a peer that is refused and then silent, and closes nothing, is disconnected when the close time is over",
        arguments: [true, false])
    func silentAfterRefusal(afterUpgrade: Bool) async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(200)
        try await withService(limits: limits) { service in
            let peer = try await RawPeer.connect(service.port)
            if afterUpgrade {
                #expect(try await peer.shake(.new()).status == 101)
                try await peer.send(WireFrame(opcode: WireFrame.text, payload: [1]))
                #expect(try await peer.closeCode() == 1003)
            } else {
                try await peer.send(Handshake(path: "/").text)
                #expect(try await peer.lastAnswer().status == 404)
            }
            try await until { service.connectionCount == 0 }
            await peer.close()
        }
    }

    @Test("a shutdown opens no tunnels, and lets those there are be joined and go on for the drain time")
    func drain() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let waitingID = "ffffffffffffffffffffffffffffffff"
            let waiting = try await service.authenticator(waitingID)
            let shutdown = Task { await service.shutdown(drain: .seconds(600)) }
            // It listens on, for those who join; others are told to come again.
            try await until { await service.unreadiness != nil }
            let refused = try await RawPeer.connect(service.port)
            try await refused.send(Handshake.new("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee").text)
            let answer = try await refused.lastAnswer()
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] == ["10"])
            let late = try await service.client(waitingID)
            try await late.send(WireFrame(payload: [2]))
            #expect(try await waiting.message() == [2])
            await refused.close()
            // Nobody can join any more.
            try await until { (try? await RawPeer.connect(service.port)) == nil }
            try await client.send(WireFrame(payload: [1]))
            #expect(try await authenticator.message() == [1])
            // The shorter drain time counts.
            let end = Task { await service.shutdown(drain: .milliseconds(100)) }
            for peer in [authenticator, client, waiting, late] {
                #expect(try await peer.closeCode() == 1001)
                await peer.close()
            }
            await shutdown.value
            await end.value
            #expect(service.connectionCount == 0)
        }
    }

    @Test("a shutdown closes with 1001 what waits when the drain time is over")
    func drainedWaiting() async throws {
        try await withService { service in
            let waiting = try await service.authenticator()
            let shutdown = Task { await service.shutdown(drain: .milliseconds(100)) }
            #expect(try await waiting.closeCode() == 1001)
            await waiting.close()
            await shutdown.value
        }
    }

    @Test("a shutdown returns as soon as the last tunnel has ended")
    func drainIsNoLongerThanNeeded() async throws {
        try await withService { service in
            let (authenticator, client) = try await service.pair()
            let shutdown = Task { await service.shutdown(drain: .seconds(600)) }
            try await client.send(.close(1000))
            #expect(try await authenticator.closeCode() == 1000)
            await client.close()
            await authenticator.close()
            await shutdown.value
        }
    }

    @Test("a shutdown ends although a peer neither reads nor closes")
    func drainDespiteStuckPeer() async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(200)
        try await withService(limits: limits) { service in
            let authenticator = try await service.authenticator()
            let stuck = try await service.client(reading: false)
            await service.shutdown(drain: .milliseconds(50))
            #expect(service.connectionCount == 0)
            await stuck.close()
            await authenticator.close()
        }
    }
}
