import NIOCore
import Testing

@testable import TunnelService

@Suite("An address's key")
struct AddressKeyTests {
    private func key(_ address: String) throws -> AddressKey {
        AddressKey(try SocketAddress(ipAddress: address, port: 1))
    }

    @Test("is the address for IPv4, whether mapped into IPv6 or not")
    func v4() throws {
        #expect(try key("192.0.2.1") == key("::ffff:192.0.2.1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
    }

    @Test("is the /64 network for IPv6")
    func v6() throws {
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:0:0:2"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("::1") != key("::2"))
        #expect(try key("::1") != key("0.0.0.0"))
        #expect(try key("::1") != AddressKey(nil))
    }

    @Test(
        "knows loopback",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("126.255.255.255", false), ("128.0.0.0", false), ("0.0.0.0", false), ("::", false), ("::2", false),
            ("::ffff:10.0.0.1", false), ("2001:db8::1", false),
        ])
    func loopback(address: String, isLoopback: Bool) throws {
        #expect(try key(address).isLoopback == isLoopback)
    }
}

@Suite("The counter of connections")
struct ConnectionCounterTests {
    private let one = AddressKey(try? SocketAddress(ipAddress: "192.0.2.1", port: 1))
    private let two = AddressKey(try? SocketAddress(ipAddress: "192.0.2.2", port: 1))

    @Test("serves up to a limit, refuses a sixteenth more, drops the rest, and serves again when some have left")
    func limits() {
        let counter = ConnectionCounter(limit: 64, limitPerAddress: 32)
        for _ in 0..<32 { #expect(counter.arrive(one) == .served) }
        for _ in 0..<2 { #expect(counter.arrive(one) == .refused(.tooManyFromAddress)) }
        #expect(counter.arrive(one) == .dropped)
        for _ in 0..<30 { #expect(counter.arrive(two) == .served) }
        for _ in 0..<4 { #expect(counter.arrive(two) == .refused(.full)) }
        #expect(counter.arrive(two) == .dropped)
        #expect(counter.count == 68)
        for _ in 0..<34 { counter.leave(one) }
        #expect(counter.arrive(one) == .served)
        #expect(counter.count == 35)
    }
}
