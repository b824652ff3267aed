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

@Suite("The census of connections")
struct ConnectionCensusTests {
    private let one = AddressKey(try? SocketAddress(ipAddress: "192.0.2.1", port: 1))
    private let two = AddressKey(try? SocketAddress(ipAddress: "192.0.2.2", port: 1))

    @Test("serves up to a limit, refuses a sixteenth more, drops the rest, and serves again when some have left")
    func limits() {
        let census = ConnectionCensus(limit: 64, limitPerAddress: 32)
        for _ in 0..<32 { #expect(census.arrive(one) == .served) }
        for _ in 0..<2 { #expect(census.arrive(one) == .refused(.tooManyFromAddress)) }
        #expect(census.arrive(one) == .dropped)
        for _ in 0..<30 { #expect(census.arrive(two) == .served) }
        for _ in 0..<4 { #expect(census.arrive(two) == .refused(.full)) }
        #expect(census.arrive(two) == .dropped)
        #expect(census.count == 68)
        for _ in 0..<34 { census.leave(one) }
        #expect(census.arrive(one) == .served)
        #expect(census.count == 35)
    }
}

@Suite("A routing ID")
struct RoutingIDTests {
    @Test("is three bytes, or six hexadecimal digits in either case")
    func forms() {
        #expect(RoutingID([0xA1, 0xB2, 0xC3])?.hexadecimal == "a1b2c3")
        #expect(RoutingID(hexadecimal: "A1b2C3") == RoutingID([0xA1, 0xB2, 0xC3]))
        #expect(RoutingID([1, 2]) == nil)
        #expect(RoutingID([1, 2, 3, 4]) == nil)
        for wrong in ["", "a1b2c", "a1b2c3d", "a1b2cg", "+1b2c3", " 1b2c3", "１b2c3", "a1b2c\u{301}3"] {
            #expect(RoutingID(hexadecimal: wrong) == nil)
        }
    }
}
