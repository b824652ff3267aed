/// Compresses bytes into a zlib stream: runs of the same byte become matches at distance 1, all else literals.
///
/// Source: RFC 1950 and RFC 1951: one final block with the fixed Huffman codes of 3.2.6. A picture of a symbol is
/// little but runs.
func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var stream = DeflateStream()
    var index = 0
    while index < bytes.count {
        let byte = bytes[index]
        var end = index + 1
        while end < bytes.count, bytes[end] == byte { end += 1 }
        stream.appendRun(of: byte, count: end - index)
        index = end
    }
    return stream.finished(adler32: adler32(of: bytes))
}

private struct DeflateStream {
    private var bytes: [UInt8]
    private var pending: UInt32 = 0
    private var pendingCount: UInt32 = 0

    init() {
        // Deflate with a window of 32 KiB; check bits that make the two bytes a multiple of 31 (RFC 1950, 2.2).
        bytes = [0x78, 0x01]
        append(0b1, count: 1)  // the final block (RFC 1951, 3.2.3)
        append(0b01, count: 2)  // fixed Huffman codes
    }

    /// A literal, then matches at distance 1 for as many more as there are.
    mutating func appendRun(of byte: UInt8, count: Int) {
        append(symbol: UInt32(byte))
        var left = count - 1
        while left >= shortestMatch {
            let length = min(left, longestMatch)
            appendMatch(length: length)
            left -= length
        }
        for _ in 0..<left { append(symbol: UInt32(byte)) }
    }

    consuming func finished(adler32: UInt32) -> [UInt8] {
        append(symbol: endOfBlock)
        append(0, count: (8 - pendingCount) % 8)
        return bytes + adler32.bigEndianBytes
    }

    /// A length and the distance 1 (RFC 1951, 3.2.5).
    private mutating func appendMatch(length: Int) {
        let distanceOne: (code: UInt32, count: UInt32) = (0, 5)
        let place = matchLengths.lastIndex { $0.shortest <= length } ?? 0
        let entry = matchLengths[place]
        append(symbol: firstLengthSymbol + UInt32(place))
        append(UInt32(length - entry.shortest), count: entry.extraBitCount)
        append(distanceOne.code, count: distanceOne.count)
    }

    /// A literal or length symbol in its fixed code, whose most significant bit goes first (RFC 1951, 3.2.6).
    private mutating func append(symbol: UInt32) {
        let (code, count): (UInt32, UInt32) =
            switch symbol {
            case ..<144: (0b0011_0000 + symbol, 8)
            case ..<256: (0b1_1001_0000 + symbol - 144, 9)
            case ..<280: (symbol - 256, 7)
            default: (0b1100_0000 + symbol - 280, 8)
            }
        append((0..<count).reduce(UInt32(0)) { $0 << 1 | code >> $1 & 1 }, count: count)
    }

    /// Appends bits, the least significant first (RFC 1951, 3.1.1).
    private mutating func append(_ bits: UInt32, count: UInt32) {
        pending |= bits << pendingCount
        pendingCount += count
        while pendingCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            pendingCount -= 8
        }
    }
}

private let endOfBlock: UInt32 = 256
private let firstLengthSymbol: UInt32 = 257
private let shortestMatch = 3
private let longestMatch = 258

/// The shortest length of each length symbol from 257 on, and its extra bits (RFC 1951, 3.2.5).
private let matchLengths: [(shortest: Int, extraBitCount: UInt32)] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1), (19, 2),
    (23, 2),
    (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4), (131, 5), (163, 5),
    (195, 5), (227, 5), (258, 0),
]
