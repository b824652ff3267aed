import HybridProtocol
import HybridTransport
import NIOCore
import Testing

@testable import TunnelClient

@Suite("A page", .serialized, .timeLimit(.minutes(5)))
struct PageFetchTests {
    @Test("that comes from everywhere leads to nothing that only this machine, or its network, reaches")
    func redirects() async throws {
        let authority = try await TestAuthority.make()
        let page = "peer.answer('200 OK', body=str(peer.number).encode())"
        try await ServicePeer.hostile(page, identity: authority.loopback) { inner in
            let port = inner.port
            for host in ["localhost", "127.0.0.1", "[::1]"] {
                let site = "peer.redirect('https://\(host):\(port)/')"
                try await ServicePeer.hostile(site, identity: authority.loopback) { outer in
                    var pages = try PageFetch(authorityFiles: [authority.file])
                    let site = outer.port
                    pages.scope = { $0.port == site ? .everywhere : AddressScope($0) }
                    let error = await failure { [pages] in _ = try await pages.get("https://localhost:\(site)/") }
                    #expect(error?.code == .redirectRefused, "\(host): \(String(describing: error))")
                    pages.scope = { $0.port == site ? .network : AddressScope($0) }
                    let second = await failure { [pages] in _ = try await pages.get("https://localhost:\(site)/") }
                    #expect(second?.code == .redirectRefused)
                }
            }
            // Nobody has come there; who is here already may go on.
            let first = try await PageFetch(authorityFiles: [authority.file]).get("https://localhost:\(port)/")
            #expect(first.body == Array("1".utf8))
            let site = "peer.redirect('https://localhost:\(port)/')"
            try await ServicePeer.hostile(site, identity: authority.loopback) { outer in
                let pages = try PageFetch(authorityFiles: [authority.file])
                #expect(try await pages.get("https://127.0.0.1:\(outer.port)/").body == Array("2".utf8))
            }
        }
    }

    @Test("that is longer than was asked for is not read to its end")
    func length() async throws {
        let authority = try await TestAuthority.make()
        let page = "peer.answer('200 OK', body=b'x' * 5_000)"
        try await ServicePeer.hostile(page, identity: authority.loopback) { peer in
            let url = "https://localhost:\(peer.port)/"
            var pages = try PageFetch(authorityFiles: [authority.file])
            pages.maxByteCount = 5_000
            #expect(try await pages.get(url).body.count == 5_000)
            pages.maxByteCount = 4_999
            let error = await failure { [pages] in _ = try await pages.get(url) }
            #expect(error?.code == .upgradeRefused)
        }
    }

    @Test(
        "has an address of one of three scopes",
        arguments: [
            ("127.0.0.1", .machine), ("127.255.255.255", .machine), ("0.0.0.0", .machine), ("::", .machine),
            ("::1", .machine), ("::ffff:127.0.0.1", .machine), ("64:ff9b::7f00:1", .machine), ("::7f00:1", .machine),
            ("2002:7f00:1::", .machine), ("10.0.0.1", .network), ("172.16.0.1", .network),
            ("172.31.255.255", .network),
            ("192.168.1.1", .network), ("169.254.169.254", .network), ("100.64.0.1", .network),
            ("198.19.0.1", .network),
            ("224.0.0.1", .network), ("255.255.255.255", .network), ("fe80::1", .network), ("fd00::1", .network),
            ("ff02::1", .network), ("fec0::1", .network), ("::ffff:10.0.0.1", .network), ("64:ff9b:1::1", .network),
            ("2002:a00:1::", .network), ("172.32.0.1", .everywhere), ("100.128.0.1", .everywhere),
            ("1.1.1.1", .everywhere), ("192.0.1.1", .everywhere), ("2606:4700::1", .everywhere),
            ("64:ff9b::101:101", .everywhere), ("::ffff:1.1.1.1", .everywhere),
        ] as [(String, AddressScope)])
    func scope(_ text: String, _ expected: AddressScope) throws {
        #expect(AddressScope(try SocketAddress(ipAddress: text, port: 443)) == expected)
    }
}
