import NIOConcurrencyHelpers
import NIOCore

extension TunnelService {
    /// A rate: so many at once, and then one more each interval.
    public struct Rate: Sendable, Equatable {
        /// The number allowed at once, 1…10,000.
        public var burst: Int
        /// The time after which there may be one more, a day at most.
        public var interval: Duration

        /// Makes a rate.
        public init(burst: Int, interval: Duration) {
            self.burst = burst
            self.interval = interval
        }
    }
}

/// The used part of a rate: a bucket that tokens are taken from, and that fills again.
struct TokenBucket: Sendable {
    private var fullAgain = NIODeadline.uptimeNanoseconds(0)

    /// Takes tokens, all of them or none.
    ///
    /// - Returns: `nil` if they were there; otherwise the time until they will be.
    mutating func take(_ count: Int = 1, of rate: TunnelService.Rate, at now: NIODeadline) -> TimeAmount? {
        let interval = TimeAmount(rate.interval)
        let fullThen = max(fullAgain, now) + interval * count
        let wait = fullThen - now - interval * rate.burst
        guard wait <= .zero else { return wait }
        fullAgain = fullThen
        return nil
    }

    /// True if the bucket is full, as a new one is.
    func isFull(at now: NIODeadline) -> Bool { fullAgain <= now }
}

/// A bucket for each key that was used lately.
///
/// There are two generations. Keys that are used live in the newer one; when that is full, or an interval is over in
/// which every bucket fills, it becomes the older one, and the one before is forgotten. So no table is ever searched,
/// no key is refused because others are many, and a bucket that is forgotten before it is full was not used while as
/// many others were as a generation holds.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var newer: [Key: TokenBucket] = [:]
        var older: [Key: TokenBucket] = [:]
        var nextGeneration = NIODeadline.uptimeNanoseconds(0)
    }

    /// The most buckets of a generation.
    static var generationCount: Int { 32_768 }
    private static var shortestGeneration: TimeAmount { .seconds(1) }

    private let rate: TunnelService.Rate
    private let generation: TimeAmount
    private let state = NIOLockedValueBox(State())

    /// Full buckets for every key.
    init(_ rate: TunnelService.Rate) {
        self.rate = rate
        generation = max(Self.shortestGeneration, TimeAmount(rate.interval) * rate.burst)
    }

    /// The number of buckets that are kept.
    var count: Int { state.withLockedValue { $0.newer.count + $0.older.count } }

    /// Takes a token for a key.
    ///
    /// - Returns: `nil` if there was one; otherwise the time until there will be.
    func take(_ key: Key, at now: NIODeadline) -> TimeAmount? {
        state.withLockedValue { state in
            if state.newer[key] == nil, state.newer.count >= Self.generationCount || now >= state.nextGeneration {
                state.older = state.newer
                state.newer = [:]
                state.nextGeneration = now + generation
            }
            let known = state.older.removeValue(forKey: key) ?? TokenBucket()
            return state.newer[key, default: known].take(of: rate, at: now)
        }
    }
}
