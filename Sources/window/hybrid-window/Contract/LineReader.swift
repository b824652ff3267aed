import Encodings

/// Splits the input into lines, each of a bounded length.
struct LineReader {
    /// The most bytes of a line, without its line feed (WritingAWindow).
    static let longestLine = 1_048_576
    private static let lineFeed = UInt8(ascii: "\n")

    private var started: [UInt8] = []

    /// Takes the next bytes.
    ///
    /// - Returns: the lines that end in them, without their line feeds.
    /// - Throws: ``ContractError`` for a line that is too long, before its end is read.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(ContractError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes
        while let end = rest.firstIndex(of: Self.lineFeed) {
            try append(rest[..<end])
            lines.append(started)
            started = []
            rest = rest[rest.index(after: end)...]
        }
        try append(rest)
        return lines
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(ContractError) {
        guard bytes.count <= Self.longestLine - started.count else {
            throw ContractError(.tooLong, reason: "a line of more than \(Self.longestLine) bytes")
        }
        started += bytes
    }
}
