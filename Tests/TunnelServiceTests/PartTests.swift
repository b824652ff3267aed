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

@Suite("A fair queue")
struct FairQueueTests {
    @Test("gives the oldest of a largest group, whatever was added and removed before", arguments: 0..<20)
    func againstAModel(seed: UInt64) {
        var random = SplitMix(state: seed)
        var queue = FairQueue<Int, Int>()
        var model: [(group: Int, element: Int)] = []
        for element in 0..<3_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where !model.isEmpty:
                let index = Int.random(in: 0..<model.count, using: &random)
                queue.remove(model.remove(at: index).element)
            case 1 where seed % 2 == 0 || model.count > 100:
                let sizes = Dictionary(model.map { ($0.group, 1) }, uniquingKeysWith: +)
                let largest = sizes.values.max() ?? 0
                let given = queue.removeOldestOfLargestGroup()
                let index = model.firstIndex { $0.element == given }
                guard let index else {
                    #expect(given == nil && model.isEmpty)
                    continue
                }
                let group = model[index].group
                #expect(sizes[group] == largest)
                #expect(model.first { $0.group == group }?.element == given)
                model.remove(at: index)
            default:
                let group = Int.random(in: 0..<5, using: &random)
                queue.append(element, of: group)
                model.append((group, element))
            }
            #expect(queue.count == model.count)
        }
    }
}

@Suite("The counter of connections")
struct ConnectionCounterTests {
    private let one = AddressKey(try? SocketAddress(ipAddress: "192.0.2.1", port: 1))
    private let two = AddressKey(try? SocketAddress(ipAddress: "192.0.2.2", port: 1))

    @Test("serves up to a limit, refuses a sixteenth more, drops the rest, and serves again when some have left")
    func limits() {
        let counter = ConnectionCounter(limit: 64, limitPerAddress: 32, limitPerPrefix: 64)
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

    @Test("gives a network a part of what is free, so that however many networks take all they get, others are served")
    func shares() throws {
        let counter = ConnectionCounter(limit: 4_096, limitPerAddress: 256, limitPerPrefix: 512)
        var served: [Int] = []
        for network in 0..<48 {
            let count = try (0..<512).count { host in
                let address = try SocketAddress(ipAddress: "10.0.\(network).\(host / 2)", port: 1)
                return counter.arrive(AddressKey(address)) == .served
            }
            served.append(count)
        }
        #expect(served[0] > 100 && served[0] <= 128)
        #expect(served.allSatisfy { $0 >= ConnectionCounter.smallestShare })
        #expect(counter.count < 4_096)
        #expect(counter.arrive(one) == .served)
        for _ in 1..<ConnectionCounter.smallestShare { #expect(counter.arrive(two) == .served) }
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
