import TestPeers
import Testing

@testable import TunnelService

@Suite("A peer that does not read", .serialized)
struct BackPressureTests {
    @Test("stops its fast peer instead of filling memory", arguments: [true, false])
    func slowReader(isClient: Bool) async throws {
        var limits = TunnelService.Limits.generous
        limits.messagesPerSide = .max
        limits.bytesPerSide = .max
        try await withService(limits: limits) { service in
            let authenticator = try await service.authenticator(reading: isClient)
            let client = try await service.client(reading: !isClient)
            let sender = isClient ? authenticator : client
            let before = try ResidentMemory.ofThisProcess()
            let sent = Counter()
            let frame = WireFrame(payload: [UInt8](repeating: 0xEE, count: 256 << 10)).bytes
            let sending = Task {
                while sent.count < Counter.enough {
                    try await sender.send(frame)
                    sent.add(frame.count)
                }
            }
            let stalledAt = try await sent.stall(after: .seconds(1))
            // The kernel's buffers of both connections, and little more.
            #expect(stalledAt > 0 && stalledAt < 32 << 20, "\(stalledAt) bytes went through")
            #expect(service.bufferedByteCount < 4 << 20)
            #expect(try ResidentMemory.ofThisProcess() - before < 64 << 20)
            await client.close()
            await authenticator.close()
            _ = await sending.result
        }
    }

    @Test("stops an authenticator whose client has not come")
    func noReaderYet() async throws {
        var limits = TunnelService.Limits.generous
        limits.messagesPerSide = .max
        limits.bytesPerSide = .max
        try await withService(limits: limits) { service in
            let authenticator = try await service.authenticator()
            let sent = Counter()
            let frame = WireFrame(payload: [UInt8](repeating: 0xEE, count: 64 << 10)).bytes
            let sending = Task {
                while sent.count < Counter.enough {
                    try await authenticator.send(frame)
                    sent.add(frame.count)
                }
            }
            let stalledAt = try await sent.stall(after: .seconds(1))
            #expect(stalledAt > 0 && stalledAt < 16 << 20, "\(stalledAt) bytes went through")
            #expect(service.bufferedByteCount < 1 << 20)
            await authenticator.close()
            _ = await sending.result
        }
    }

    @Test("and pings all the time has its pongs dropped but for the latest")
    func pings() async throws {
        var limits = TunnelService.Limits.generous
        limits.bytesPerSide = .max
        limits.tunnelFrames = .init(burst: 10_000, interval: .microseconds(1))
        try await withService(limits: limits) { service in
            let peer = try await service.authenticator(reading: false)
            let rounds = 400
            let pingsInRound = 500
            for round in 0..<rounds {
                let payload = [UInt8(round & 0xFF), UInt8(round >> 8)] + [UInt8](repeating: 7, count: 123)
                let ping = WireFrame(opcode: WireFrame.ping, payload: payload).bytes
                var pings: [UInt8] = []
                for _ in 0..<pingsInRound { pings += ping }
                try await peer.send(pings)
            }
            #expect(service.bufferedByteCount < 1 << 20)
            try await peer.startReading()
            _ = try await peer.answerHead()
            var pongs = 0
            var last = WireFrame()
            while last.payload.prefix(2) != [UInt8((rounds - 1) & 0xFF), UInt8((rounds - 1) >> 8)] {
                last = try await peer.frame()
                #expect(last.opcode == WireFrame.pong)
                pongs += 1
            }
            // More than these do not fit into the kernel's buffers; the others were never written.
            #expect(pongs < rounds * pingsInRound / 2, "\(pongs) pongs")
            await peer.close()
        }
    }

    @Test("gets everything in the end, when it does read")
    func everythingArrives() async throws {
        var limits = TunnelService.Limits.generous
        limits.writeBufferBytes = 1_024
        try await withService(limits: limits) { service in
            let (authenticator, client) = try await service.pair()
            let messages = (0..<100).map { [UInt8](repeating: UInt8($0), count: 50_000 + $0) }
            let sending = Task {
                for message in messages { try await client.send(WireFrame(payload: message)) }
            }
            let answering = Task {
                for message in messages { try await authenticator.send(WireFrame(payload: message)) }
            }
            for message in messages {
                #expect(try await authenticator.message() == message)
                #expect(try await client.message() == message)
            }
            try await sending.value
            try await answering.value
            await client.close()
            await authenticator.close()
        }
    }
}
