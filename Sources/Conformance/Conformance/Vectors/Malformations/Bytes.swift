package import Cryptography

extension [UInt8] {
    /// So many zero bytes.
    package static func zeros(_ count: Int) -> Self { Self(repeating: 0, count: count) }

    /// So many bytes with every bit set.
    package static func ones(_ count: Int) -> Self { Self(repeating: 0xFF, count: count) }

    /// The bytes with one bit turned over; bit 0 is the lowest of the first byte.
    package func flipping(bit: Int) -> Self {
        var bytes = self
        bytes[bit / UInt8.bitWidth] ^= 1 << (bit % UInt8.bitWidth)
        return bytes
    }
}

extension FixedWidthInteger {
    /// The number's bytes, the most significant first.
    package var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }

    /// The number's bytes, the least significant first.
    package var littleEndianBytes: [UInt8] {
        stride(from: 0, to: Self.bitWidth, by: UInt8.bitWidth).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}

extension SecretBytes {
    /// The bytes: a vector's secrets are public.
    package var copiedBytes: [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
}

/// HMAC-SHA-256: 32 bytes.
package func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: key.span)
    return code.authenticationCode(for: message.span)
}
