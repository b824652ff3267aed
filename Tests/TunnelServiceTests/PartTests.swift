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

    @Test("has the /24 network for IPv4, and the /48 for IPv6, as its prefix")
    func prefixes() throws {
        #expect(try key("192.0.2.1").prefix == key("192.0.2.255").prefix)
        #expect(try key("192.0.2.1").prefix != key("192.0.3.1").prefix)
        #expect(try key("2001:db8:1:2::1").prefix == key("2001:db8:1:ffff::2").prefix)
        #expect(try key("2001:db8:1:2::1").prefix != key("2001:db8:2:2::1").prefix)
        #expect(try key("::1").prefix != key("::ffff:0.0.0.1").prefix)
    }

    @Test("has the /16 network for IPv4, and the /32 for IPv6, as its allocation")
    func allocations() throws {
        #expect(try key("192.0.2.1").allocation == key("192.0.255.1").allocation)
        #expect(try key("192.0.2.1").allocation != key("192.1.2.1").allocation)
        #expect(try key("2001:db8:1:2::1").allocation == key("2001:db8:ffff::2").allocation)
        #expect(try key("2001:db8::1").allocation != key("2001:db9::1").allocation)
        #expect(try key("0.0.0.1").alone != key("0.0.1.0").prefix)
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

@Suite("A range of addresses")
struct AddressRangeTests {
    @Test(
        "contains addresses by its leading bits",
        arguments: [
            ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.0/25", "192.0.2.128", false), ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false), ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", false),
            ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::", false),
            ("::1/128", "::1", true), ("::1", "::2", false),
        ])
    func contains(range: String, address: String, isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "is nothing that could mean another one",
        arguments: [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.1/8", "10.0.0/8",
            "::/129", "::1/127", "[::1]", "localhost", "10.0.0.0/0008", " 10.0.0.0/8", "::ffff:10.0.0.0/104",
            "10.0.0.0/8 ", "0x0a.0.0.0/8",
        ])
    func malformed(text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite("The counter of connections")
struct ConnectionCounterTests {
    private let one = AddressKey(try? SocketAddress(ipAddress: "192.0.2.1", port: 1))
    private let two = AddressKey(try? SocketAddress(ipAddress: "192.0.2.2", port: 1))

    private func crowded(_ scope: EvictionOrder.Scope, isUrgent: Bool = false) -> ConnectionCounter.Admission {
        .crowded([.init(scope: scope, isUrgent: isUrgent)])
    }

    @Test("serves up to a limit, refuses some of an address, drops the rest, and serves again when some left")
    func limits() {
        let counter = ConnectionCounter(limit: 64, limitPerAddress: 32, limitPerPrefix: 64)
        for _ in 0..<32 { #expect(counter.arrive(one) == .served) }
        for _ in 0..<2 { #expect(counter.arrive(one) == .refused(.tooManyFromAddress)) }
        #expect(counter.arrive(one) == .dropped)
        for _ in 0..<30 { #expect(counter.arrive(two) == .served) }
        let three = AddressKey(ip: IPAddress("192.0.2.3"))
        for _ in 0..<2 { #expect(counter.arrive(three) == crowded(.service)) }
        for _ in 0..<2 { #expect(counter.arrive(three) == crowded(.service, isUrgent: true)) }
        #expect(counter.arrive(two) == .dropped)
        #expect(counter.count == 68)
        for _ in 0..<34 { counter.leave(one) }
        #expect(counter.arrive(one) == .served)
        #expect(counter.count == 35)
    }

    @Test("serves beyond the limit of a network, or of all, if another one makes room, urgently when few are left")
    func crowded() throws {
        let counter = ConnectionCounter(limit: 64, limitPerAddress: 64, limitPerPrefix: 32)
        for _ in 0..<32 { #expect(counter.arrive(one) == .served) }
        let network = EvictionOrder.Scope.network(one.prefix, limit: 32)
        #expect(counter.arrive(two) == crowded(network))
        #expect(counter.arrive(two) == crowded(network, isUrgent: true))
        #expect(counter.arrive(two) == .dropped)
        #expect(!counter.isUnderPressure)
        for host in 0..<30 {
            #expect(try counter.arrive(AddressKey(SocketAddress(ipAddress: "198.51.\(host).1", port: 1))) == .served)
        }
        #expect(counter.isUnderPressure)
        let far = AddressKey(try SocketAddress(ipAddress: "203.0.113.1", port: 1))
        for isUrgent in [false, false, true, true] {
            #expect(counter.arrive(far) == crowded(.service, isUrgent: isUrgent))
        }
        #expect(counter.arrive(far) == .dropped)
        for _ in 0..<3 { counter.leave(far) }
        // One beyond its address's limit takes no place that others have to make.
        let single = ConnectionCounter(limit: 64, limitPerAddress: 60, limitPerPrefix: 64)
        for _ in 0..<60 { #expect(single.arrive(one) == .served) }
        #expect(single.arrive(one) == .refused(.tooManyFromAddress))
        for _ in 0..<3 { #expect(single.arrive(far) == .served) }
        #expect(single.arrive(one) == .dropped)
        #expect(single.arrive(far) == crowded(.service))
    }

    @Test("lets an address connect so often, its network a little oftener, and loopback ever so often")
    func rates() throws {
        let counter = ConnectionCounter(
            limit: 4_096, limitPerAddress: 256, limitPerPrefix: 4_096, rate: .init(burst: 3, interval: .seconds(10)),
            prefixRate: .init(burst: 5, interval: .seconds(10)))
        let now = NIODeadline.now()
        for _ in 0..<3 { #expect(counter.arrive(one, at: now) == .served) }
        #expect(counter.arrive(one, at: now) == .dropped)
        for _ in 0..<2 { #expect(counter.arrive(two, at: now) == .served) }
        #expect(counter.arrive(two, at: now) == .dropped)
        #expect(counter.arrive(one, at: now + .seconds(10)) == .served)
        let far = AddressKey(try SocketAddress(ipAddress: "198.51.100.1", port: 1))
        #expect(counter.arrive(nil) == .served)
        #expect(counter.identify(far, at: now) == .served)
        let loopback = AddressKey(try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        for _ in 0..<100 { #expect(counter.arrive(loopback, at: now) == .served) }
        #expect(counter.count == 107)
    }
}
