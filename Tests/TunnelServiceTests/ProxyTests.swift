import NIOCore
import NIOPosix
import NIOSSL
import TestPeers
import Testing

@testable import TunnelService

@Suite("A proxy's header")
struct ProxyHeaderTests {
    private static let v4: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0x10, 0xE1, 0x01, 0xBB]
    private static let v6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 16)
        + [0x10, 0xE1, 0x01, 0xBB]

    @Test("names a peer over IPv4 and IPv6, or the proxy itself, and is read in any pieces")
    func whole() throws {
        let v4Source = ProxyHeader.Source.peer(try #require(IPAddress("192.0.2.7")), port: 4_321)
        let v6Source = ProxyHeader.Source.peer(try #require(IPAddress("2001:db8::7")), port: 4_321)
        let cases: [(bytes: [UInt8], source: ProxyHeader.Source)] = [
            (ProxyHeader.bytes(addresses: Self.v4), v4Source),
            (ProxyHeader.bytes(addresses: Self.v4, fields: [0x04, 0, 2, 1, 2, 0xEA, 0, 0]), v4Source),
            (ProxyHeader.bytes(addresses: Self.v4, fields: [UInt8](repeating: 0, count: 996)), v4Source),
            (ProxyHeader.bytes(family: 0x21, addresses: Self.v6), v6Source),
            (ProxyHeader.bytes(command: 0x20, family: 0, addresses: []), .proxy),
            (ProxyHeader.bytes(command: 0x20, addresses: Self.v4), .proxy),
        ]
        for (bytes, source) in cases {
            let header = ProxyHeader(source: source, byteCount: bytes.count)
            #expect(try ProxyHeader.read(bytes) == header)
            #expect(try ProxyHeader.read(bytes + [0x47, 0x45]) == header)
            for count in 0..<bytes.count { #expect(try ProxyHeader.read(Array(bytes.prefix(count))) == nil) }
        }
    }

    static let wrong: [(bytes: [UInt8], error: ProxyHeaderError)] = [
        (Array("GET /cable/new/".utf8), .noSignature),
        ([0x16, 0x03, 0x01], .noSignature),
        (Array("PROXY TCP4 192.0.2.7 192.0.2.8 1 2\r\n".utf8), .noSignature),
        (Array(ProxyHeader.signature.dropLast()) + [0x0D], .noSignature),
        (ProxyHeader.bytes(command: 0x11, addresses: v4), .unknownCommand),
        (ProxyHeader.bytes(command: 0x31, addresses: v4), .unknownCommand),
        (ProxyHeader.bytes(command: 0x22, addresses: v4), .unknownCommand),
        (ProxyHeader.bytes(family: 0x00, addresses: v4), .unknownFamily),
        (ProxyHeader.bytes(family: 0x12, addresses: v4), .unknownFamily),
        (ProxyHeader.bytes(family: 0x31, addresses: [UInt8](repeating: 0, count: 216)), .unknownFamily),
        (ProxyHeader.bytes(addresses: [], length: 0), .tooShort),
        (ProxyHeader.bytes(addresses: v4, length: 11), .tooShort),
        (ProxyHeader.bytes(family: 0x21, addresses: v6, length: 35), .tooShort),
        (ProxyHeader.bytes(addresses: v4, length: 1_009), .tooLong),
        (ProxyHeader.bytes(command: 0x20, family: 0, addresses: [], length: 0xFFFF), .tooLong),
        (ProxyHeader.bytes(addresses: v4, fields: [0x04]), .malformedField),
        (ProxyHeader.bytes(addresses: v4, fields: [0x04, 0]), .malformedField),
        (ProxyHeader.bytes(addresses: v4, fields: [0x04, 0, 2, 1]), .malformedField),
        (ProxyHeader.bytes(addresses: v4, fields: [0x03, 0, 3, 1, 2, 3]), .malformedField),
        (ProxyHeader.bytes(addresses: v4, fields: [0x03, 0, 4, 1, 2, 3, 4]), .wrongChecksum),
    ]

    @Test("of anything but TCP's addresses, or with fields that do not fill it, is refused", arguments: wrong.indices)
    func refused(index: Int) {
        let (bytes, error) = Self.wrong[index]
        #expect(throws: error) { try ProxyHeader.read(bytes) }
        // As soon as it is clear, and never as something else before.
        for count in 0..<bytes.count {
            let outcome = Result { () throws(ProxyHeaderError) in try ProxyHeader.read(Array(bytes.prefix(count))) }
            #expect(outcome == .success(nil) || outcome == .failure(error))
        }
    }

    @Test("with the right checksum is taken, and with any bit changed is not the same one")
    func checksum() throws {
        // The check value of CRC-32C, of the digits 1 to 9.
        #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
        let covered = ProxyHeader.bytes(addresses: Self.v4, fields: [0x03, 0, 4, 0, 0, 0, 0])
        let sum = CRC32C.checksum(of: covered)
        let bytes = covered.dropLast(4) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
        let header = try ProxyHeader.read(Array(bytes))
        #expect(header?.byteCount == covered.count)
        let fieldType = covered.count - 7
        // With another type, the field is not a checksum.
        for index in bytes.indices where index != fieldType {
            for bit in 0..<8 {
                var changed = Array(bytes)
                changed[index] ^= 1 << bit
                #expect((try? ProxyHeader.read(changed)) != header)
            }
        }
    }
}

@Suite("A service behind a proxy")
struct ProxyTests {
    private func withProxiedService<Value>(
        _ security: TunnelService.Security = .plainBehindProxy, proxies: String = "127.0.0.0/8",
        limits: TunnelService.Limits = .generous, _ body: (RunningTunnelService) async throws -> Value
    ) async throws -> Value {
        let proxies = [try #require(AddressRange(proxies))]
        return try await withService(security: security, limits: limits, trustedProxies: proxies, body)
    }

    @Test("counts the peers' addresses and not the proxy's")
    func addresses() async throws {
        try await withProxiedService(limits: .generous { $0.connectionsPerAddress = 2 }) { service in
            var peers: [RawPeer] = []
            for host in 1...5 {
                let address = host % 2 == 0 ? "192.0.2.\(host)" : "2001:db8:0:\(host)::1"
                let id = String(repeating: "\(host)", count: 32)
                let authenticator = try await RawPeer.connect(service.port, onBehalfOf: address)
                #expect(try await authenticator.shake(.new(id)).status == 101)
                let client = try await RawPeer.connect(service.port, onBehalfOf: address)
                #expect(try await client.shake(.connect(id)).status == 101)
                try await client.send(WireFrame(payload: [UInt8(host)]))
                #expect(try await authenticator.message() == [UInt8(host)])
                let refused = try await RawPeer.connect(service.port, onBehalfOf: address)
                #expect(try await refused.shake(.new()).status == 429)
                let dropped = try await RawPeer.connect(service.port, onBehalfOf: address)
                #expect(try await dropped.takeToEnd().isEmpty)
                await refused.close()
                await dropped.close()
                peers += [authenticator, client]
            }
            for peer in peers { await peer.close() }
            try await until { service.connectionCount == 0 }
            let again = try await RawPeer.connect(service.port, onBehalfOf: "192.0.2.2")
            #expect(try await again.shake(.new()).status == 101)
            await again.close()
        }
    }

    @Test("closes a connection from the proxy that does not begin with a header, unanswered", arguments: [false, true])
    func noHeader(isProxyItself: Bool) async throws {
        try await withProxiedService { service in
            let peer = try await RawPeer.connect(service.port)
            // A request of the proxy itself is a health check: it is served, and counts for the proxy.
            let header = isProxyItself ? ProxyHeader.bytes(command: 0x20, family: 0, addresses: []) : []
            try await peer.send(header + Array(Handshake.new().text.utf8))
            let bytes = try await isProxyItself ? peer.take(12) : peer.takeToEnd()
            #expect(String(decoding: bytes, as: UTF8.self) == (isProxyItself ? "HTTP/1.1 101" : ""))
            await peer.close()
        }
    }

    @Test("takes a header and a request that come byte by byte, and gives up one that never comes")
    func slowly() async throws {
        try await withProxiedService { service in
            let peer = try await RawPeer.connect(service.port)
            for byte in try ProxyHeader.of("192.0.2.1") + Array(Handshake.new().text.utf8) {
                try await peer.send([byte])
            }
            #expect(try await peer.answerHead().status == 101)
            await peer.close()
        }
        try await withProxiedService(limits: .generous { $0.requestTime = .milliseconds(200) }) { service in
            let peer = try await RawPeer.connect(service.port)
            try await peer.send(ProxyHeader.of("192.0.2.1").dropLast())
            #expect(try await peer.takeToEnd().isEmpty)
            await peer.close()
        }
    }

    @Test("serves nobody else where it speaks plainly, though they say a proxy's header")
    func unauthenticated() async throws {
        try await withProxiedService(proxies: "192.0.2.1") { service in
            for header in [[], try ProxyHeader.of("192.0.2.9")] {
                let peer = try await RawPeer.connect(service.port)
                try? await peer.send(header + Array(Handshake.new().text.utf8))
                #expect(try await peer.takeToEnd().isEmpty)
                await peer.close()
            }
        }
    }

    @Test("believes no header of others where they may connect")
    func unauthenticatedWithHeader() async throws {
        try await withProxiedService(.plain, proxies: "192.0.2.1") { service in
            let peer = try await RawPeer.connect(service.port, onBehalfOf: "192.0.2.9")
            #expect(try await peer.lastAnswer().status == 400)
            await peer.close()
            let plain = try await service.authenticator()
            await plain.close()
        }
    }

    @Test(
        "takes the header in front of TLS", .enabled(if: ForeignPeers.hasOpenSSL, ForeignPeers.needsOpenSSL))
    func beforeTLS() async throws {
        try await Certificate.with { certificate in
            let context = try certificate.clientContext()
            try await withProxiedService(.tls(certificate.identity)) { service in
                let peer = try await RawPeer.connect(service.port, onBehalfOf: "192.0.2.9")
                try await peer.startTLS(context)
                #expect(try await peer.shake(.new()).status == 101)
                await peer.close()
            }
        }
    }

    @Test("that does not say who its peers are counts nothing for an address")
    func unknownAddresses() async throws {
        let limits = TunnelService.Limits.generous {
            $0.connectionsPerAddress = 1
            $0.connectionsPerPrefix = 1
            $0.pendingTunnelsPerAddress = 1
        }
        try await withService(security: .plainBehindProxy, limits: limits) { service in
            var peers: [RawPeer] = []
            for number in 0..<50 {
                let id = String(repeating: "0", count: 30) + "\(10 + number)"
                peers.append(try await service.authenticator(id))
            }
            for peer in peers { await peer.close() }
        }
    }
}
