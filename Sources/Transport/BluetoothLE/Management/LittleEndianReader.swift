/// Reads bytes from anywhere, numbers little-endian, and never beyond the end.
struct LittleEndianReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next bytes; nil if there are fewer.
    mutating func bytes(_ count: some FixedWidthInteger) -> [UInt8]? {
        guard let count = Int(exactly: count), count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next number; nil if there are too few bytes for one.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type = Number.self) -> Number? {
        guard let bytes = bytes(MemoryLayout<Number>.size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    /// All bytes to the end.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
