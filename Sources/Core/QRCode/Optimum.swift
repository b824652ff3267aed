/// A stretch of bytes with the same cheapest mode.
struct Run {
    let mode: QRCode.Mode
    let bytes: Range<Int>

    static func all(in contents: Span<UInt8>) -> [Run] {
        var runs: [Run] = []
        var start = 0
        while start < contents.count {
            let mode = QRCode.Mode(cheapestFor: contents[start])
            var end = start + 1
            while end < contents.count, QRCode.Mode(cheapestFor: contents[end]) == mode { end += 1 }
            runs.append(Run(mode: mode, bytes: start..<end))
            start = end
        }
        return runs
    }
}

/// The cheapest modes for a list of runs in one range of versions: see ``Segmentation``.
struct Optimum {
    /// Bits of all segments, with their mode and count indicators.
    let bitCount: Int
    /// The modes of the runs, in order; neighbours of the same mode share a segment.
    let modes: [QRCode.Mode]

    /// Finds the optimum by dynamic programming: two candidates for each run and mode.
    ///
    /// A mode is in force after a run either because it was before, or because a segment was opened in it after the
    /// previous one was closed at the least cost.
    init(of runs: [Run], in range: VersionRange) {
        let all = QRCode.Mode.allCases
        let headers = all.map { (QRCode.Mode.indicatorBitCount + $0.countBitCount(in: range)) * sixthsPerBit }
        var costs = headers.map { _ in unreachable }
        var predecessors: [Int] = []
        predecessors.reserveCapacity(runs.count * all.count)

        for (index, run) in runs.enumerated() {
            let cheapest = costs.indexOfMinimum
            let closed = index == 0 ? 0 : costs[cheapest].roundedUpToWholeBits
            for (mode, candidate) in all.enumerated() {
                let opened = closed + headers[mode]
                predecessors.append(costs[mode] <= opened ? mode : cheapest)
                let length = run.bytes.count * candidate.sixthsPerCharacter
                costs[mode] = candidate.canEncode(run.mode) ? min(costs[mode], opened) + length : unreachable
            }
        }

        var mode = costs.indexOfMinimum
        bitCount = costs[mode].roundedUpToWholeBits / sixthsPerBit
        var modes: [QRCode.Mode] = []
        modes.reserveCapacity(runs.count)
        for run in runs.indices.reversed() {
            modes.append(all[mode])
            mode = predecessors[run * all.count + mode]
        }
        modes.reverse()
        self.modes = modes
    }

    /// The segments: neighbouring runs of the same mode, joined.
    func segments(of runs: [Run]) -> [QRCode.Segment] {
        var segments: [QRCode.Segment] = []
        for (run, mode) in zip(runs, modes) {
            if let last = segments.last, last.mode == mode {
                segments.removeLast()
                segments.append(QRCode.Segment(mode: mode, bytes: last.bytes.lowerBound..<run.bytes.upperBound))
            } else {
                segments.append(QRCode.Segment(mode: mode, bytes: run.bytes))
            }
        }
        return segments
    }
}

/// A cost above that of any contents that fit a symbol, small enough that more can be added to it.
private let unreachable = Int.max / 4

extension Int {
    /// A number of sixths, rounded up to whole bits.
    fileprivate var roundedUpToWholeBits: Int { (self + sixthsPerBit - 1) / sixthsPerBit * sixthsPerBit }
}

extension [Int] {
    /// The first place of the least element.
    fileprivate var indexOfMinimum: Int {
        var place = startIndex
        for index in indices where self[index] < self[place] { place = index }
        return place
    }
}
