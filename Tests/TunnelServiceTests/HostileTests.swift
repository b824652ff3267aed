import Testing

@testable import TunnelService

@Suite("Hostile bytes")
struct HostileTests {
    static let garbage: [(name: String, bytes: [UInt8])] = [
        ("zeros", [UInt8](repeating: 0, count: 100)),
        ("a TLS ClientHello's beginning", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]),
        ("HTTP/2's preface", Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)),
        ("a request line without an end", Array("GET\r\n\r\n".utf8)),
        ("a header without a name", Array("GET / HTTP/1.1\r\n: x\r\n\r\n".utf8)),
        ("a folded header", Array("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n".utf8)),
        ("a space before the colon", Array("GET / HTTP/1.1\r\nHost : x\r\n\r\n".utf8)),
        ("another version", Array("GET / HTTP/3.0\r\n\r\n".utf8)),
        ("two lengths", Array("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".utf8)),
        ("a zero byte in a header", Array("GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n".utf8)),
    ]

    @Test("instead of a request are refused with 400 or 404 and the connection's end", arguments: garbage.indices)
    func insteadOfARequest(index: Int) async throws {
        try await withService { service in
            let peer = try await RawPeer.connect(service.port)
            try await peer.send(Self.garbage[index].bytes)
            let answer = try await peer.lastAnswer()
            #expect([400, 404].contains(answer.status), "\(Self.garbage[index].name): \(answer.status)")
            await peer.close()
            try await until { service.connectionCount == 0 }
        }
    }

    @Test("at random, instead of a request, of a message, and cut at any place, harm no other peer", arguments: 0..<8)
    func random(seed: UInt64) async throws {
        var limits = TunnelService.Limits.generous
        limits.closeTime = .milliseconds(200)
        try await withService(limits: limits) { service in
            var random = SplitMix(state: seed)
            let (authenticator, client) = try await service.pair("ffffffffffffffffffffffffffffffff")
            for round in 0..<50 {
                let victim = try await service.authenticator()
                let noise = (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                if round % 2 == 0 {
                    try await victim.send(noise)
                } else {
                    let whole = WireFrame(payload: noise).bytes
                    try await victim.send(whole.prefix(Int.random(in: 0..<whole.count, using: &random)))
                }
                await victim.close()
                let foreign = try await RawPeer.connect(service.port)
                try await foreign.send(noise)
                await foreign.close()
                try await until { service.pendingTunnelCount == 0 }
            }
            try await client.send(WireFrame(payload: [1]))
            #expect(try await authenticator.message() == [1])
            await client.close()
            await authenticator.close()
        }
    }

    @Test("of a request cut at any place, and the connection's end after it, leave nothing behind")
    func cutRequest() async throws {
        try await withService { service in
            let request = Array(Handshake.new().text.utf8)
            for count in stride(from: 0, to: request.count, by: 7) {
                let peer = try await RawPeer.connect(service.port)
                try await peer.send(request.prefix(count))
                await peer.close()
            }
            try await until { service.connectionCount == 0 }
            #expect(service.pendingTunnelCount == 0)
        }
    }
}
