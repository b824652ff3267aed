import NIOCore
import Testing

@testable import TunnelService

@Suite("Places of networks")
struct NetworkQueueTests {
    /// The place that goes first, found by looking at all of them.
    private func first(of places: [Place]) -> Place? { rank(of: places, by: [\.allocation, \.prefix, \.alone])?.first }

    private func rank(
        of places: [Place], by widths: ArraySlice<KeyPath<AddressKey, AddressKey.Prefix>>
    ) -> (greed: Int, first: Place)? {
        guard let width = widths.first else {
            return places.min { $0.age < $1.age }.map { (0, $0) }
        }
        return Dictionary(grouping: places) { $0.address[keyPath: width] }.compactMap { key, places in
            rank(of: places, by: widths.dropFirst()).map { (max($0.greed, places.count * key.weight), $0.first) }
        }.min { $0.greed == $1.greed ? $0.first.age < $1.first.age : $0.greed > $1.greed }
    }

    @Test("give the longest silent of the greediest, whatever came, spoke and went before", arguments: 0..<20)
    func againstAModel(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        let queue = NetworkQueue()
        var model: [Place] = []
        for number in 0..<400 as Range<UInt64> {
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where !model.isEmpty:
                queue.remove(model.remove(at: Int.random(in: 0..<model.count, using: &random)))
            case 1 where !model.isEmpty:
                let place = model[Int.random(in: 0..<model.count, using: &random)]
                place.age = number
                queue.renew(place)
            case 2 where seed % 2 == 0 || model.count > 60:
                if let place = queue[nil]?.next {
                    queue.remove(place)
                    model.removeAll { $0 === place }
                }
            default:
                let parts = (0..<3).map { _ in Int.random(in: 0..<4, using: &random) }
                let address = "10.\(parts[0]).\(parts[1]).\(parts[2] / 2)"
                let place = Place(address: AddressKey(ip: IPAddress(address)), connection: nil)
                place.age = number
                queue.append(place)
                model.append(place)
            }
            #expect(queue.count == model.count)
            #expect(queue[nil]?.next === first(of: model))
        }
        for place in model { queue.remove(place) }
        #expect(queue[nil] == nil)
    }
}

@Suite("The order of eviction")
struct EvictionOrderTests {
    private static let limit = 4_096

    /// Connections by name, of a service that is full when they are as many as the limit.
    private final class Crowd {
        let order = EvictionOrder(limit: EvictionOrderTests.limit)
        private var names: [ObjectIdentifier: String] = [:]
        private(set) var count = 0
        private(set) var evicted: [String: Int] = [:]

        @discardableResult
        func add(_ name: String, _ address: String, _ standing: Place.Standing) throws -> Place {
            let ip = IPAddress(address)
            try #require(ip != nil)
            let place = Place(address: AddressKey(ip: ip), connection: nil)
            if count >= EvictionOrderTests.limit { try evict() }
            order.insert(place)
            order.move(place, to: standing)
            names[ObjectIdentifier(place)] = name
            count += 1
            return place
        }

        /// Fills the service.
        func fill(_ name: String, _ standing: Place.Standing, _ address: (Int) -> String) throws {
            for number in 0..<(EvictionOrderTests.limit - count) { try add(name, address(number), standing) }
        }

        func evict(in scope: EvictionOrder.Scope = .service) throws {
            let place = try #require(order.removeFirst(in: scope))
            count -= 1
            evicted[names[ObjectIdentifier(place)] ?? "", default: 0] += 1
        }
    }

    /// Addresses of the users of a carrier: an IPv6 /32, or an IPv4 /16 with 2,048 addresses that its users share.
    private static func user(_ number: Int, isV4: Bool) -> String {
        isV4
            ? "100.64.\(number % 8).\(number / 8 % 250)"
            : "2001:db8:\(String(number % 100, radix: 16)):\(String(number, radix: 16))::1"
    }

    @Test("spares a carrier's users when many others attack, each from a network of its own", arguments: [false, true])
    func carrier(isV4: Bool) throws {
        let crowd = Crowd()
        for number in 0..<500 {
            try crowd.add("user", Self.user(number, isV4: isV4), [.waiting, .idle, .listening][number % 3])
        }
        // They came later, so that it is not their silence that has them go.
        try crowd.fill("attacker", .idle) { number in
            isV4 ? "\(number % 99 + 1).1.0.1" : "2a\(number % 90 + 10):1::1"
        }
        for number in 500..<1_000 { try crowd.add("user", Self.user(number, isV4: isV4), .waiting) }
        #expect(crowd.evicted == ["attacker": 500])
    }

    @Test("takes from an attacker inside a carrier's network what its users need", arguments: [false, true])
    func insideCarrier(isV4: Bool) throws {
        let crowd = Crowd()
        for number in 0..<200 { try crowd.add("user", Self.user(number, isV4: isV4), .idle) }
        try crowd.fill("attacker", .idle) { isV4 ? "100.64.\($0 % 8).25\($0 % 5)" : "2001:db8:ff:\($0 % 200)::1" }
        for number in 200..<400 { try crowd.add("user", Self.user(number, isV4: isV4), .waiting) }
        #expect(crowd.evicted == ["attacker": 200])
    }

    @Test("takes from an IPv6 /32 that fills the service from thousands of /48s, of which none has more than others")
    func allocation() throws {
        let crowd = Crowd()
        for number in 0..<100 { try crowd.add("user", "2001:db8:\(number)::1", .idle) }
        try crowd.fill("attacker", .idle) { "2a00:1:\($0)::1" }
        for number in 100..<1_000 { try crowd.add("user", "2001:\(number):\(number)::1", .waiting) }
        #expect(crowd.evicted == ["attacker": 900])
    }

    @Test("has those in the middle of a ceremony go last, from the greediest network too")
    func speaking() throws {
        let crowd = Crowd()
        let ceremonies = try (0..<40).map { _ in try crowd.add("ceremony", "192.0.2.1", .speaking) }
        try crowd.fill("attacker", .idle) { "192.0.\($0 % 256).1" }
        for number in 0..<3_000 { try crowd.add("attacker", "198.51.\(number % 256).1", .idle) }
        #expect(crowd.evicted == ["attacker": 3_000])
        // When their time is over, they are as any others.
        for place in ceremonies { crowd.order.move(place, to: .idle) }
        for _ in 0..<crowd.count { try crowd.evict() }
        #expect(crowd.evicted["ceremony"] == 40)
    }

    @Test("has attackers who speak go, greediest first, when they leave too little to others")
    func speakingAttackers() throws {
        let crowd = Crowd()
        for number in 0..<100 { try crowd.add("user", "2001:db8:\(number)::1", .speaking) }
        try crowd.fill("attacker", .speaking) { "2a00:1:\($0 % 256)::1" }
        for number in 0..<500 {
            let place = try crowd.add("user", "2001:\(number):1::1", .request)
            crowd.order.move(place, to: .waiting)
            if number % 2 == 0 { crowd.order.move(place, to: .speaking) }
        }
        #expect(crowd.evicted == ["attacker": 500])
    }

    @Test("takes from those who ask for nothing, before others, what is beyond an eighth")
    func requests() throws {
        let crowd = Crowd()
        for number in 0..<300 { try crowd.add("waiting", "10.1.1.\(number % 8)", .waiting) }
        for number in 0..<1_000 { try crowd.add("listener", "10.2.\(number % 200).1", .listening) }
        try crowd.fill("silent", .request) { "\($0 % 200 + 11).\($0 % 250).1.1" }
        for number in 0..<2_000 { try crowd.add("silent", "\(number % 200 + 11).\(number % 250).2.1", .request) }
        #expect(crowd.evicted == ["silent": 2_000])
    }

    @Test("leaves a quarter to those who wait to be woken, however many tunnels there are")
    func listeners() throws {
        let crowd = Crowd()
        for number in 0..<1_024 { try crowd.add("listener", "10.2.\(number % 256).1", .listening) }
        try crowd.fill("tunnel", .idle) { "\($0 % 200 + 11).\($0 % 250).\($0 / 200).1" }
        for number in 0..<2_000 { try crowd.add("tunnel", "\(number % 200 + 11).1.\(number / 200).2", .waiting) }
        #expect(crowd.evicted == ["tunnel": 2_000])
        for number in 0..<100 { try crowd.add("listener", "10.3.\(number).1", .listening) }
        #expect(crowd.evicted["listener", default: 0] > 0)
    }

    @Test("takes from the network that has too many, and from waiting tunnels if those are too many")
    func scopes() throws {
        let crowd = Crowd()
        try crowd.add("other", "198.51.100.1", .waiting)
        let oldest = try crowd.add("one", "192.0.2.1", .idle)
        try crowd.add("two", "192.0.2.2", .idle)
        try crowd.add("two", "192.0.2.2", .idle)
        let network = EvictionOrder.Scope.network(oldest.address.prefix, limit: 4)
        try crowd.evict(in: network)
        #expect(crowd.evicted == ["two": 1])
        crowd.order.renew(oldest)
        try crowd.evict(in: network)
        #expect(crowd.evicted == ["two": 2])
        try crowd.evict(in: .waitingTunnels(limit: 1))
        #expect(crowd.evicted == ["two": 2, "other": 1])
        #expect(crowd.order.removeFirst(in: .waitingTunnels(limit: 1)) == nil)
        try crowd.evict(in: network)
        #expect(crowd.order.removeFirst(in: network) == nil && crowd.order.removeFirst(in: .service) == nil)
        // One that has to go stays away.
        crowd.order.move(oldest, to: .speaking)
        #expect(crowd.order.count(.speaking) == 0)
    }

    @Test("has those go last that spoke last, whatever came and went since")
    func silence() {
        let order = EvictionOrder(limit: 8)
        func place(_ number: Int) -> Place {
            let address = AddressKey(ip: IPAddress("192.0.2.\(number)"))
            let place = Place(address: address, connection: nil, standing: .speaking)
            order.insert(place)
            return place
        }
        let places = (1...4).map(place)
        for index in [1, 0, 1, 3, 2] { order.renew(places[index]) }
        order.remove(places[3])
        let late = place(5)
        order.renew(places[0])
        order.move(places[1], to: .idle)
        order.move(places[1], to: .speaking)
        order.renew(late)
        let gone = (0..<4).map { _ in order.removeFirst(in: .service) }
        #expect(order.count(.speaking) == 0)
        #expect(gone[0] === places[2] && gone[1] === places[0] && gone[2] === places[1] && gone[3] === late)
    }

    @Test("has nobody go for those that close, and those themselves first where no more fit")
    func closing() {
        let order = EvictionOrder(limit: 3)
        func place(_ address: String) -> Place {
            let place = Place(address: AddressKey(ip: IPAddress(address)), connection: nil)
            order.insert(place)
            return place
        }
        let (one, two, three) = (place("192.0.2.1"), place("192.0.2.2"), place("198.51.100.1"))
        let network = EvictionOrder.Scope.network(one.address.prefix, limit: 2)
        #expect(order.isFull(.service) && order.isFull(network))
        #expect(order.removeFirstClosing(in: .service) == nil)
        for closed in [one, two, three] { order.move(closed, to: .closing) }
        #expect(!order.isFull(.service) && !order.isFull(network) && order.removeFirst(in: .service) == nil)
        // It does not come back.
        order.move(one, to: .speaking)
        #expect(order.count(.speaking) == 0 && order.count(.closing) == 3)
        #expect(order.removeFirstClosing(in: .network(three.address.prefix, limit: 2)) === three)
        #expect(order.removeFirstClosing(in: network) === one)
        #expect(order.removeFirstClosing(in: .service) === two)
        #expect(!order.isFull(.waitingTunnels(limit: 1)))
        order.move(place("192.0.2.3"), to: .waiting)
        #expect(order.isFull(.waitingTunnels(limit: 1)) && !order.isFull(.service))
    }

    @Test("is found without a look at every connection")
    func cost() throws {
        /// The time of a connection that comes, speaks and has another one go, with so many there.
        func time(_ count: Int) -> Duration {
            let order = EvictionOrder(limit: count)
            func place(_ number: Int) -> Place {
                let bytes = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } + [1]
                let place = Place(address: AddressKey(ip: IPAddress(bytes: bytes)), connection: nil, standing: .idle)
                order.insert(place)
                return place
            }
            for number in 0..<count { _ = place(number) }
            let clock = ContinuousClock()
            let rounds = 500
            let times = (0..<5).map { round in
                clock.measure {
                    for number in 0..<rounds {
                        let new = place(round * rounds + number)
                        order.renew(new)
                        _ = order.removeFirst(in: .service)
                    }
                }
            }
            while order.removeFirst(in: .service) != nil {}
            return (times.min() ?? .zero) / rounds
        }
        let (few, many) = (time(1_000), time(64_000))
        print("eviction: \(few) with 1,000 connections, \(many) with 64,000")
        // A look at every one of them would take 64 times as long.
        #expect(many < few * 16)
    }
}
