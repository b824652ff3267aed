/// The same work done twice over, by ours and by a floor, in small blocks that take turns.
///
/// A noisy neighbour slows both blocks of a pair alike, so that the ratio of a pair is steadier than any time; the
/// median of the ratios passes over the pairs in which it did not.
public struct Comparison: Sendable {
    /// Ours divided by the floor, a pair an element, in order of size.
    public let ratios: [Double]
    /// The median time of one of ours, in nanoseconds.
    public let ours: Double
    /// The median time of one of the floor's, in nanoseconds.
    public let floor: Double

    /// One block: does the work `count` times, and runs the stopwatch while it does.
    public typealias Block = (_ stopwatch: inout Stopwatch, _ count: Int) throws -> Void

    /// Measures.
    ///
    /// - Parameters:
    ///   - pairs: how many pairs of blocks.
    ///   - count: how often the work is done in a block.
    ///   - ours: the work that is judged.
    ///   - floor: the work that it is judged by.
    public init(pairs: Int = 101, count: Int, ours: Block, floor: Block) throws {
        func time(_ block: Block) throws -> Double {
            var stopwatch = Stopwatch()
            try block(&stopwatch, count)
            return Double(stopwatch.nanoseconds) / Double(count)
        }
        for _ in 0..<Self.warmUpPairs {
            _ = try time(ours)
            _ = try time(floor)
        }
        var measured: [(ours: Double, floor: Double)] = []
        for pair in 0..<pairs {
            // Who goes first changes from pair to pair: neither has the warmer cache by habit.
            if pair.isMultiple(of: 2) {
                let first = try time(ours)
                measured.append((first, try time(floor)))
            } else {
                let first = try time(floor)
                measured.append((try time(ours), first))
            }
        }
        self.init(measured)
    }

    /// Compares existing measurements: a pair of neighbouring blocks an element, nanoseconds.
    public init(_ measured: [(ours: Double, floor: Double)]) {
        ratios = measured.map { $0.ours / $0.floor }.sorted()
        ours = median(measured.map(\.ours))
        floor = median(measured.map(\.floor))
    }

    private static let warmUpPairs = 3

    /// The ratio to tell.
    public var ratio: Double { median(ratios) }
}

/// The middle value; not a number if there is none.
public func median(_ values: [Double]) -> Double { percentile(values, 0.5) }

/// The value below which a share of all values lies; not a number if there is none.
public func percentile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    let index = Int((Double(sorted.count - 1) * share).rounded())
    return sorted.indices.contains(index) ? sorted[index] : .nan
}
