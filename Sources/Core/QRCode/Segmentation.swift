extension QRCode {
    /// A part of the contents that is written in one mode.
    ///
    /// Source: ISO/IEC 18004, 7.3.1.
    public struct Segment: Sendable, Hashable {
        /// The mode that the part is written in.
        public let mode: Mode
        /// The bytes of the contents that the part covers; in all three modes a character is one byte.
        public let bytes: Range<Int>
    }
}

/// The division of the contents into segments that fills the fewest bits.
///
/// Source: ISO/IEC 18004, Annex J asks for it; this finds the true optimum where the annex gives rules of thumb.
///
/// The contents are first read as *runs*: stretches of bytes with the same cheapest mode. No optimum needs a
/// boundary inside a run. Suppose two neighbouring segments met there: both modes can say the whole run, the
/// cheaper of the two costs at most 4 bits (digits) or 6 (alphanumerics) for each further character, and the
/// dearer at least 5 or 8; so moving the boundary to the end of the run, in the cheaper mode's favour, never
/// costs bits. Dynamic programming over the runs then tries every choice that is left: `cost[m]` is the least
/// cost, in sixths of a bit, of all runs so far with mode m in force. Comparing sixths decides as whole bits
/// would, because rounding up is monotone.
struct Segmentation {
    let version: Version
    let segments: [QRCode.Segment]
    /// Bits of the segments, and of the prefix before them.
    let bitCount: Int

    /// Finds the smallest version, not below a minimum, and the segments that fit it.
    ///
    /// The widths of the count indicators grow with the version range, so each range has an optimum of its own;
    /// the first that fits is the smallest version there is. Time is linear in the length, and contents longer than
    /// any symbol are refused unread.
    ///
    /// - Parameter prefixBitCount: bits that stand before the segments.
    static func smallest(
        for contents: Span<UInt8>, at level: QRCode.ErrorCorrectionLevel, minimumVersion: Int, prefixBitCount: Int = 0
    ) throws(QRCodeError) -> Segmentation {
        guard !contents.isEmpty else { throw QRCodeError(.empty, reason: "there is nothing to encode") }
        guard Version.numbers.contains(minimumVersion) else {
            throw QRCodeError(.invalidVersion, reason: "the minimum version must be 1 to 40")
        }
        let largest = Version(number: Version.numbers.upperBound).dataBitCapacity(at: level)
        if contents.count * QRCode.Mode.numeric.sixthsPerCharacter <= largest * sixthsPerBit {
            let runs = Run.all(in: contents)
            for range in VersionRange.allCases where range.versions.upperBound >= minimumVersion {
                let optimum = Optimum(of: runs, in: range)
                let bitCount = prefixBitCount + optimum.bitCount
                let candidates = max(minimumVersion, range.versions.lowerBound)...range.versions.upperBound
                for version in candidates.lazy.map(Version.init)
                where bitCount <= version.dataBitCapacity(at: level) {
                    return Segmentation(version: version, segments: optimum.segments(of: runs), bitCount: bitCount)
                }
            }
        }
        throw QRCodeError(.tooLong, reason: "the contents do not fit a symbol at level \(level.letter)")
    }

    /// The highest level, not below a given one, at which the segments fit the version.
    func highestLevel(from level: QRCode.ErrorCorrectionLevel) -> QRCode.ErrorCorrectionLevel {
        let fitting = QRCode.ErrorCorrectionLevel.allCases.filter { bitCount <= version.dataBitCapacity(at: $0) }
        return fitting.last ?? level
    }
}
