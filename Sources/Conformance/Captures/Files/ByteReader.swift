/// Reads numbers and slices from bytes, each only if it is whole.
package struct ByteReader {
    /// The bytes that are still there.
    package private(set) var rest: ArraySlice<UInt8>

    /// Starts at the first byte.
    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The number of bytes that are still there.
    package var count: Int { rest.count }

    /// Takes bytes; nil if there are fewer.
    package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    /// Takes a byte.
    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// Takes a number whose first byte is the most significant.
    package mutating func bigEndian<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        guard let bytes = take(MemoryLayout<Number>.size) else { return nil }
        var number: UInt64 = 0
        for byte in bytes { number = number << 8 | UInt64(byte) }
        return Number(truncatingIfNeeded: number)
    }

    /// Takes a number whose first byte is the least significant.
    package mutating func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        guard let bytes = take(MemoryLayout<Number>.size) else { return nil }
        var number: UInt64 = 0
        for byte in bytes.reversed() { number = number << 8 | UInt64(byte) }
        return Number(truncatingIfNeeded: number)
    }

    /// Takes a number in an order that the bytes themselves told.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type, _ order: ByteOrder
    ) -> Number? { order == .big ? bigEndian(type) : littleEndian(type) }
}

/// The order of a number's bytes.
package enum ByteOrder: Sendable {
    /// The most significant byte first.
    case big
    /// The least significant byte first.
    case little
}
