import NIOConcurrencyHelpers
import NIOCore

/// Counts the open connections, in all, per address and per prefix, and knows when the last one is gone.
///
/// When there are too many in all, or of a prefix, a new one is served if another one goes. Those that go may take a
/// moment, for which there is a small reserve of connections beyond a limit. Beyond that they are closed without an
/// answer, so that the limits hold whatever happens.
final class ConnectionCounter: Sendable {
    /// The outcome for a new connection.
    enum Admission: Sendable, Equatable {
        /// It is served.
        case served
        /// It is served if there are places without those that close, or if others make room.
        case crowded([Shortage])
        /// It is let in, but only to be refused.
        case refused(HTTPRefusal)
        /// It is closed at once, and not counted.
        case dropped
    }

    /// More connections than there are places.
    struct Shortage: Sendable, Equatable {
        /// Whose places are short.
        let scope: EvictionOrder.Scope
        /// True if half of the reserve is used up: one of those that close has no more time.
        let isUrgent: Bool
    }

    private struct Counts {
        var all = 0
        var perAddress: [AddressKey: Int] = [:]
        var perPrefix: [AddressKey.Prefix: Int] = [:]
        var whenEmpty: [EventLoopPromise<Void>] = []
    }

    /// A reserve is this part of its limit, and at least one connection.
    private static let reserveDivisor = 16
    /// The part of the connections beyond which those that are silent are ended early.
    private static let pressure = (used: 3, of: 4)

    private let counts = NIOLockedValueBox(Counts())
    private let limit: Int
    private let limitPerAddress: Int
    private let limitPerPrefix: Int
    private let addressRates: TokenBuckets<AddressKey>?
    private let prefixRates: TokenBuckets<AddressKey.Prefix>?

    /// Makes a counter for `limit` connections in all, their reserve included.
    ///
    /// - Parameters:
    ///   - limitPerAddress: the most from one address.
    ///   - limitPerPrefix: the most from one prefix; no fewer than `limit` for no such limit.
    ///   - rate: the rate of one address's new connections; `nil` for any.
    ///   - prefixRate: the rate of one prefix's.
    init(
        limit: Int, limitPerAddress: Int, limitPerPrefix: Int, rate: TunnelService.Rate? = nil,
        prefixRate: TunnelService.Rate? = nil
    ) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.limitPerPrefix = limitPerPrefix
        addressRates = rate.map { TokenBuckets($0) }
        prefixRates = prefixRate.map { TokenBuckets($0) }
    }

    /// The number of open connections.
    var count: Int { counts.withLockedValue { $0.all } }

    /// True if so many connections are in use that those that are silent are ended early.
    var isUnderPressure: Bool { count * Self.pressure.of > limit * Self.pressure.used }

    /// Counts a connection in, unless it is dropped.
    ///
    /// - Parameter address: `nil` if it is not known yet; see ``identify(_:at:)``.
    func arrive(_ address: AddressKey?, at now: NIODeadline = .now()) -> Admission {
        if let address, !mayConnect(address, at: now) { return .dropped }
        return counts.withLockedValue { counts in
            guard counts.all < limit + Self.reserve(limit) else { return .dropped }
            counts.all += 1
            guard let address else { return admission([shortage(counts)]) }
            let admission = count(address, in: &counts)
            if admission == .dropped { counts.all -= 1 }
            return admission
        }
    }

    /// Counts a connection for an address that has arrived without one, unless it is dropped: then it stays counted
    /// without one.
    func identify(_ address: AddressKey, at now: NIODeadline = .now()) -> Admission {
        guard mayConnect(address, at: now) else { return .dropped }
        return counts.withLockedValue { count(address, in: &$0) }
    }

    /// Counts a connection out that had been counted in; with the address for which it was counted, if any.
    func leave(_ address: AddressKey?) {
        let promises = counts.withLockedValue { counts -> [EventLoopPromise<Void>] in
            counts.all -= 1
            if let address {
                Self.decrement(&counts.perAddress[address])
                Self.decrement(&counts.perPrefix[address.prefix])
            }
            guard counts.all == 0 else { return [] }
            defer { counts.whenEmpty = [] }
            return counts.whenEmpty
        }
        for promise in promises { promise.succeed(()) }
    }

    /// Succeeds when no connection is open. Called after the listener is closed.
    func whenEmpty(on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        let isEmpty = counts.withLockedValue { counts in
            if counts.all > 0 { counts.whenEmpty.append(promise) }
            return counts.all == 0
        }
        if isEmpty { promise.succeed(()) }
        return promise.futureResult
    }

    /// The number of connections beyond `limit` that are let in to be refused.
    static func reserve(_ limit: Int) -> Int { max(1, limit / reserveDivisor) }

    /// True if the rates of new connections let this one in. Those of this machine have no rate: nobody else comes from
    /// there but by a proxy, for which it would be everybody's.
    private func mayConnect(_ address: AddressKey, at now: NIODeadline) -> Bool {
        if address.isLoopback { return true }
        if let addressRates, addressRates.take(address, at: now) != nil { return false }
        if let prefixRates, prefixRates.take(address.prefix, at: now) != nil { return false }
        return true
    }

    private func count(_ address: AddressKey, in counts: inout Counts) -> Admission {
        let fromAddress = counts.perAddress[address, default: 0]
        let fromPrefix = counts.perPrefix[address.prefix, default: 0]
        // The service's own limit says more than that of a prefix that may have everything.
        let prefixReserve = limitPerPrefix < limit ? Self.reserve(limitPerPrefix) : .max - limitPerPrefix
        guard fromAddress < limitPerAddress + Self.reserve(limitPerAddress),
            fromPrefix < limitPerPrefix + prefixReserve
        else { return .dropped }
        let isCrowded = fromPrefix >= limitPerPrefix && limitPerPrefix < limit
        // A refused connection takes a place for a while, and nobody goes for it.
        if fromAddress >= limitPerAddress, isCrowded || counts.all > limit { return .dropped }
        counts.perAddress[address] = fromAddress + 1
        counts.perPrefix[address.prefix] = fromPrefix + 1
        if fromAddress >= limitPerAddress { return .refused(.tooManyFromAddress) }
        let network = Shortage(
            scope: .network(address.prefix, limit: limitPerPrefix),
            isUrgent: fromPrefix >= limitPerPrefix + prefixReserve / 2)
        return admission([isCrowded ? network : nil, shortage(counts)])
    }

    private func shortage(_ counts: Counts) -> Shortage? {
        guard counts.all > limit else { return nil }
        return Shortage(scope: .service, isUrgent: counts.all > limit + Self.reserve(limit) / 2)
    }

    private func admission(_ shortages: [Shortage?]) -> Admission {
        let shortages = shortages.compactMap(\.self)
        return shortages.isEmpty ? .served : .crowded(shortages)
    }

    private static func decrement(_ count: inout Int?) {
        guard let old = count else { return }
        count = old > 1 ? old - 1 : nil
    }
}
