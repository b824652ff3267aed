/// Places of nested networks, out of which the one can be taken that has been silent longest in the greediest network.
///
/// A network is as greedy as its places are many; of a network that many share, 8 (IPv4 /24, IPv6 /48) or 64 (IPv4 /16,
/// IPv6 /32) count as one of an address, unless a narrower one in it is greedier: neither does a carrier lose its
/// customers' places to those who have a network each, nor does it help to have a wide network for oneself. Of equally
/// greedy ones that goes first whose place has been silent longer.
///
/// Everything takes a time that grows with the logarithm of the number of networks.
final class NetworkQueue {
    /// A network with its places: those of an address, or those of the networks in it.
    final class Network {
        fileprivate let key: AddressKey.Prefix?
        fileprivate unowned let parent: Network?
        /// The number of places.
        fileprivate(set) var count = 0
        private var greed = 0
        /// The age of the place that is next.
        private var age = UInt64.max
        /// The networks in it, as a heap: one goes before the two at twice its index.
        private var networks: [Network] = []
        /// Its place in the heap of the wider one.
        private var index = 0
        private var oldest: Place?
        private unowned var newest: Place?

        fileprivate init(_ key: AddressKey.Prefix?, in parent: Network?) {
            self.key = key
            self.parent = parent
            guard let parent else { return }
            index = parent.networks.count
            parent.networks.append(self)
        }

        /// The place that goes first.
        var next: Place? {
            var network = self
            while let greediest = network.networks.first { network = greediest }
            return network.oldest
        }

        /// True if a place of this one goes before those of the other one.
        func goesBefore(_ other: Network) -> Bool {
            greed == other.greed ? age < other.age : greed > other.greed
        }

        /// Adds a place of this address that has just spoken.
        fileprivate func append(_ place: Place) {
            place.network = self
            place.previous = newest
            newest?.next = place
            newest = place
            if oldest == nil { oldest = place }
        }

        /// Removes a place of this address.
        fileprivate func remove(_ place: Place) {
            if place === newest { newest = place.previous }
            place.next?.previous = place.previous
            let next = place.next.take()
            if place === oldest {
                oldest = next
            } else {
                place.previous?.next = next
            }
            place.previous = nil
            place.network = nil
        }

        /// Removes a network that has no place.
        fileprivate func remove(_ network: Network) {
            let last = networks.removeLast()
            guard last !== network else { return }
            put(last, at: network.index)
            restore(at: last.index)
        }

        /// Counts places in or out, and puts this one and the wider ones where they belong now, as far as anything has
        /// changed for them.
        fileprivate func change(by change: Int) {
            let before = (greed, age)
            count += change
            greed = max(count * (key?.weight ?? 0), networks.first?.greed ?? 0)
            age = networks.first?.age ?? oldest?.age ?? .max
            guard let parent, change != 0 || before != (greed, age) else { return }
            parent.restore(at: index)
            parent.change(by: change)
        }

        private func put(_ network: Network, at index: Int) {
            networks[index] = network
            network.index = index
        }

        private func restore(at start: Int) {
            let moved = networks[start]
            var index = start
            while index > 0, moved.goesBefore(networks[(index - 1) / 2]) {
                put(networks[(index - 1) / 2], at: index)
                index = (index - 1) / 2
            }
            while true {
                var child = 2 * index + 1
                guard child < networks.count else { break }
                if child + 1 < networks.count, networks[child + 1].goesBefore(networks[child]) { child += 1 }
                guard networks[child].goesBefore(moved) else { break }
                put(networks[child], at: index)
                index = child
            }
            put(moved, at: index)
        }
    }

    private let all = Network(nil, in: nil)
    private var networks: [AddressKey.Prefix: Network] = [:]

    /// The number of places.
    var count: Int { all.count }

    /// The places of a network, or all; `nil` if there are none.
    subscript(key: AddressKey.Prefix?) -> Network? {
        guard let key else { return count > 0 ? all : nil }
        return networks[key]
    }

    /// Adds a place that has just spoken.
    func append(_ place: Place) {
        let network = network(of: place.address)
        network.append(place)
        network.change(by: 1)
    }

    /// Removes a place that is here.
    func remove(_ place: Place) {
        guard var network = place.network else { return }
        network.remove(place)
        network.change(by: -1)
        while network.count == 0, let key = network.key, let parent = network.parent {
            networks[key] = nil
            parent.remove(network)
            network = parent
        }
    }

    /// Takes note that a place that is here has spoken.
    func renew(_ place: Place) {
        guard let network = place.network else { return }
        network.remove(place)
        network.append(place)
        network.change(by: 0)
    }

    private func network(of address: AddressKey) -> Network {
        if let known = networks[address.alone] { return known }
        return [address.allocation, address.prefix, address.alone].reduce(all) { wider, key in
            if let known = networks[key] { return known }
            let new = Network(key, in: wider)
            networks[key] = new
            return new
        }
    }
}
