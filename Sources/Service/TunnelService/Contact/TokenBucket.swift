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

/// A bucket for each key that was used lately. Those that are full again are forgotten.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var buckets: [Key: TokenBucket] = [:]
        var countToTidyAt: Int
    }

    private static var smallestCountToTidyAt: Int { 1_024 }
    /// The most buckets at a time. Honest clients need far fewer: one that was used once is soon forgotten.
    private static var maximumCount: Int { 65_536 }

    private let rate: TunnelService.Rate
    private let state = NIOLockedValueBox(State(countToTidyAt: smallestCountToTidyAt))

    /// Full buckets for every key.
    init(_ rate: TunnelService.Rate) { self.rate = rate }

    /// Takes a token for a key.
    ///
    /// - Returns: `nil` if there was one; otherwise the time until there will be.
    func take(_ key: Key, at now: NIODeadline) -> TimeAmount? {
        state.withLockedValue { state in
            if state.buckets.count >= state.countToTidyAt {
                state.buckets = state.buckets.filter { !$0.value.isFull(at: now) }
                state.countToTidyAt = min(
                    max(2 * state.buckets.count, Self.smallestCountToTidyAt), Self.maximumCount)
            }
            guard state.buckets[key] != nil || state.buckets.count < Self.maximumCount else {
                return TimeAmount(rate.interval)
            }
            return state.buckets[key, default: TokenBucket()].take(of: rate, at: now)
        }
    }
}
