/// The checksum of a PNG chunk. Source: ISO/IEC 15948 (PNG), 5.5 and Annex D.
func crc32(of bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ crc32OfByte[Int((crc ^ UInt32(byte)) & 0xFF)] }
}

/// The remainders of all bytes, bits reversed, by the polynomial of ISO 3309.
private let crc32OfByte: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
}

/// The checksum of a zlib stream. Source: RFC 1950, 2.2 and 8.2.
func adler32(of bytes: [UInt8]) -> UInt32 {
    let modulus: UInt32 = 65_521
    var (sum, sumOfSums): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
        sum = (sum + UInt32(byte)) % modulus
        sumOfSums = (sumOfSums + sum) % modulus
    }
    return sumOfSums << 16 | sum
}

extension UInt32 {
    /// The four bytes, the most significant first.
    var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
