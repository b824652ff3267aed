internal import CFuzzCost
internal import Glibc

/// Executes inputs of a target, compares their cost with its bound, and keeps the dearest.
package struct FuzzMeter {
    /// An input, and its cost of one kind.
    package struct Worst {
        package let kind: FuzzCost.Kind
        package let input: [UInt8]
        /// Bytes, or nanoseconds.
        package let cost: Int
        /// The most that it may be.
        package let most: Int

        /// The cost as a part of the most.
        var share: Double { Double(cost) / Double(most) }
        package var isOver: Bool { cost > most }
    }

    private let target: FuzzTarget
    /// The dearest input by each kind, by its part of the bound: nil before the first.
    package private(set) var worst: [FuzzCost.Kind: Worst] = [:]

    package init(_ target: FuzzTarget) { self.target = target }

    /// Executes one input; more often if it seems dearer than all before, as memory that is allocated once and
    /// other programs' use of the processor are no cost of it.
    ///
    /// - Returns: the kinds by which it is the dearest.
    package mutating func execute(_ input: [UInt8]) -> [Worst] {
        var cost = FuzzCost { target.run(input) }
        for _ in 0..<repetitions where !records(of: cost, for: input).isEmpty {
            cost.lower(to: FuzzCost { target.run(input) })
        }
        let records = records(of: cost, for: input)
        for record in records { worst[record.kind] = record }
        // Time is different each time.
        let share = [.allocated, .held].map { judged(cost, $0, for: input).share }.max() ?? 0
        fuzz_cost_reach(Self.level(of: share))
        return records
    }

    private func judged(_ cost: FuzzCost, _ kind: FuzzCost.Kind, for input: [UInt8]) -> Worst {
        Worst(kind: kind, input: input, cost: cost[kind], most: target.bound.most(kind, for: input.count))
    }

    private func records(of cost: FuzzCost, for input: [UInt8]) -> [Worst] {
        // An input of no bytes is none that can be kept.
        guard !input.isEmpty else { return [] }
        return FuzzCost.Kind.allCases.map { judged(cost, $0, for: input) }.filter {
            $0.share > worst[$0.kind]?.share ?? 0
        }
    }

    private let repetitions = 3

    /// Eight levels for each doubling, up to the bound.
    private static func level(of share: Double) -> Int {
        let count = Double(fuzz_cost_level_count)
        return Int(max(0, min(count - 1, count + 8 * log2(max(share, .leastNormalMagnitude)))))
    }
}
