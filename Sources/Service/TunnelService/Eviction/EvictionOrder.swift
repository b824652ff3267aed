/// The order in which connections go when others need their places: the one home of that decision.
///
/// Those in the middle of a ceremony go last. The others go as soon as their kind takes more than its part of the
/// places, so that no kind of them can keep the others out:
///
/// | standing | part |
/// |---|---|
/// | ``Place/Standing/request`` | 1/8; those beyond go before all others |
/// | ``Place/Standing/waiting``, ``Place/Standing/idle`` | 1/8 together |
/// | ``Place/Standing/listening`` | 1/4 |
/// | ``Place/Standing/speaking`` | the rest |
/// | ``Place/Standing/closing`` | none: nobody goes for them, and they have no more time when the reserve is short |
///
/// Among those of a standing the one goes that has been silent longest in the greediest network (``NetworkQueue``).
final class EvictionOrder {
    /// Whose places are short.
    enum Scope: Sendable, Equatable {
        /// Those of the service.
        case service
        /// Those of a network, which has only so many.
        case network(AddressKey.Prefix, limit: Int)
        /// Those of tunnels that wait for their second end.
        case waitingTunnels(limit: Int)
    }

    private static let open = Place.Standing.allCases.filter { $0 != .closing }

    private static let requestDivisor = 8
    private static let tunnelDivisor = 8
    private static let listenerDivisor = 4

    private let limit: Int
    private let queues = Place.Standing.allCases.map { _ in NetworkQueue() }
    private var lastAge: UInt64 = 0
    /// The places that have spoken since the queues were last in order. A message costs no more than a note of it.
    private var renewed: [Place] = []

    /// Nobody's order; `limit` is the number of connections that the service has at most.
    init(limit: Int) { self.limit = limit }

    /// The number of places of this standing.
    func count(_ standing: Place.Standing) -> Int { queue(standing).count }

    /// Adds a place that is not here.
    func insert(_ place: Place) {
        arrange()
        place.age = nextAge()
        queue(place.standing).append(place)
    }

    /// Removes a place, if it is here.
    func remove(_ place: Place) { queue(place.standing).remove(place) }

    /// Gives a place that is here another standing, unless its connection closes.
    func move(_ place: Place, to standing: Place.Standing) {
        guard place.network != nil, place.standing != standing, place.standing != .closing else { return }
        remove(place)
        place.standing = standing
        insert(place)
    }

    /// Takes note that a connection has spoken.
    func renew(_ place: Place) {
        if place.renewedAge == nil { renewed.append(place) }
        place.renewedAge = nextAge()
    }

    /// Puts the queues in order. It is done before each use of the order, and now and then, so that the notes stay few.
    func arrange() {
        if renewed.isEmpty { return }
        let places = renewed.sorted { ($0.renewedAge ?? 0) < ($1.renewedAge ?? 0) }
        renewed.removeAll(keepingCapacity: true)
        for place in places {
            guard let age = place.renewedAge.take() else { continue }
            place.age = age
            queue(place.standing).renew(place)
        }
    }

    /// True if those that do not close have all the places, so that one has to go for another one.
    func isFull(_ scope: Scope) -> Bool {
        let (standings, key, limit) = extent(of: scope)
        return standings.reduce(0) { $0 + (queue($1)[key]?.count ?? 0) } >= limit
    }

    /// Takes the place out that goes first, of those whose connections do not close.
    ///
    /// - Returns: `nil` if there is none.
    func removeFirst(in scope: Scope) -> Place? {
        arrange()
        let (_, key, limit) = extent(of: scope)
        if case .waitingTunnels = scope { return removeNext(of: queue(.waiting)[key]) }
        return removeNext(of: first(of: key, limit: limit))
    }

    /// Takes the place out that goes first, of those whose connections close.
    ///
    /// - Returns: `nil` if there is none.
    func removeFirstClosing(in scope: Scope) -> Place? {
        arrange()
        return removeNext(of: queue(.closing)[extent(of: scope).key])
    }

    private func removeNext(of network: NetworkQueue.Network?) -> Place? {
        guard let place = network?.next else { return nil }
        remove(place)
        return place
    }

    /// The standings that count in a scope, its network, and its number of places.
    private func extent(of scope: Scope) -> (standings: [Place.Standing], key: AddressKey.Prefix?, limit: Int) {
        switch scope {
        case .service: (Self.open, nil, limit)
        case .network(let key, let limit): (Self.open, key, limit)
        case .waitingTunnels(let limit): ([.waiting], nil, limit)
        }
    }

    /// The places of a network, or of all, that go first; those of one standing.
    private func first(of key: AddressKey.Prefix?, limit: Int) -> NetworkQueue.Network? {
        func places(_ standing: Place.Standing) -> NetworkQueue.Network? { queue(standing)[key] }
        let requests = places(.request)
        if let requests, requests.count > limit / Self.requestDivisor { return requests }
        let tunnels = [places(.waiting), places(.idle)].compactMap(\.self)
        let listeners = [places(.listening)].compactMap(\.self)
        var many: [NetworkQueue.Network] = []
        if tunnels.reduce(0, { $0 + $1.count }) > limit / Self.tunnelDivisor { many += tunnels }
        if listeners.reduce(0, { $0 + $1.count }) > limit / Self.listenerDivisor { many += listeners }
        return many.min { $0.goesBefore($1) } ?? places(.speaking)
            ?? (tunnels + listeners).min { $0.goesBefore($1) } ?? requests
    }

    private func queue(_ standing: Place.Standing) -> NetworkQueue { queues[standing.rawValue] }

    private func nextAge() -> UInt64 {
        lastAge += 1
        return lastAge
    }
}
