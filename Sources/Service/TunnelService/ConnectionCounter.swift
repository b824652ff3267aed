import NIOConcurrencyHelpers
import NIOCore

/// Counts the open connections, in all and per address, and knows when the last one is gone (HT-TUN-31).
///
/// Beyond a limit a small reserve of connections is still let in to be answered 503 or 429; beyond that they are closed
/// without an answer, so that the limits hold whatever happens.
final class ConnectionCounter: Sendable {
    /// The outcome for a new connection.
    enum Admission: Sendable, Equatable {
        /// It is served.
        case served
        /// It is let in, but only to be refused.
        case refused(Refusal)
        /// It is closed at once, and not counted.
        case dropped
    }

    private struct Counts {
        var all = 0
        var perAddress: [AddressKey: Int] = [:]
        var whenEmpty: [EventLoopPromise<Void>] = []
    }

    /// A reserve is this part of its limit, and at least one connection.
    private static let reserveDivisor = 16

    private let counts = NIOLockedValueBox(Counts())
    private let limit: Int
    private let limitPerAddress: Int

    /// Makes a counter for `limit` connections in all, their reserve included, and `limitPerAddress` from one address.
    init(limit: Int, limitPerAddress: Int) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
    }

    /// The number of open connections.
    var count: Int { counts.withLockedValue { $0.all } }

    /// Counts a connection in, unless it is dropped.
    func arrive(_ address: AddressKey) -> Admission {
        counts.withLockedValue { counts in
            let fromAddress = counts.perAddress[address, default: 0]
            guard counts.all < limit + Self.reserve(limit),
                fromAddress < limitPerAddress + Self.reserve(limitPerAddress)
            else { return .dropped }
            counts.all += 1
            counts.perAddress[address] = fromAddress + 1
            if counts.all > limit { return .refused(.full) }
            if fromAddress >= limitPerAddress { return .refused(.tooManyFromAddress) }
            return .served
        }
    }

    /// Counts a connection out that had been counted in.
    func leave(_ address: AddressKey) {
        let promises = counts.withLockedValue { counts -> [EventLoopPromise<Void>] in
            counts.all -= 1
            if let left = counts.perAddress[address], left > 1 {
                counts.perAddress[address] = left - 1
            } else {
                counts.perAddress[address] = nil
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
}
