internal import Encodings

/// A place in fixed-layout bytes that only moves forward.
struct ByteCursor: ~Escapable {
    private let input: Span<UInt8>
    private var offset = 0

    @_lifetime(copy input)
    init(_ input: Span<UInt8>) { self.input = input }

    /// Number of bytes that are left.
    var remaining: Int { input.count - offset }

    /// The next `count` bytes, copied.
    @_lifetime(self: copy self)
    mutating func take(_ count: Int) throws(CTAPError) -> [UInt8] {
        guard count <= remaining else {
            throw CTAPError(.invalidLength, reason: "\(count) bytes wanted where \(remaining) are left")
        }
        defer { offset += count }
        return input.extracting(offset..<offset + count).withUnsafeBufferPointer { [UInt8]($0) }
    }

    /// The next big-endian integer.
    @_lifetime(self: copy self)
    mutating func takeInteger<Integer: FixedWidthInteger & UnsignedInteger>(
        _ type: Integer.Type
    ) throws(CTAPError) -> Integer {
        try take(MemoryLayout<Integer>.size).reduce(0) { $0 << UInt8.bitWidth | Integer($1) }
    }

    /// The next CBOR item, which must be a map.
    @_lifetime(self: copy self)
    mutating func takeMap() throws(CTAPError) -> CBORMap {
        do throws(CBORError) {
            let (value, byteCount) = try CBORValue.decodeLenientPrefix(input.extracting(droppingFirst: offset))
            offset += byteCount
            guard let map = value.mapValue else { throw CBORError(.unsupported, reason: "not a map") }
            return map
        } catch {
            throw CTAPError(.invalidCBOR, reason: "in the authenticator data: \(error)", place: error.place)
        }
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The integer's bytes, the highest first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - UInt8.bitWidth, through: 0, by: -UInt8.bitWidth)
            .map { UInt8(truncatingIfNeeded: self >> $0) }
    }
}
