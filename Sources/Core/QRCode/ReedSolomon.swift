/// Up to 32 coefficients over GF(256), one a byte, the highest power in the most significant byte of lane 0.
typealias Coefficients = SIMD4<UInt64>

/// The error-correction codewords of one block, for a fixed number of them.
///
/// Source: ISO/IEC 18004, 7.5.2: the remainder of the data polynomial, divided by the generator polynomial. The
/// division takes a data byte at a time: the remainder moves up one place and the generator times the byte that
/// fell out is added. That product is looked up by half-bytes.
struct ReedSolomonCode {
    /// Error-correction codewords of a block: 7…30.
    let correctionCount: Int
    /// The generator times 0…15 and, from place 16, times 0x00, 0x10…0xF0.
    private let products: [Coefficients]

    init(correctionCount: Int) {
        self.correctionCount = correctionCount
        var products = [Coefficients](repeating: .zero, count: 2 * halfByteCount)
        var multiple = generators[correctionCount]
        for bit in 0..<BitBuffer.bitsPerCodeword {
            let half = bit / 4 * halfByteCount
            let weight = 1 << (bit % 4)
            for lower in 0..<weight { products[half + weight + lower] = products[half + lower] ^ multiple }
            multiple = multiple.timesAlpha
        }
        self.products = products
    }

    /// The error-correction codewords of a block, at the front of the coefficients.
    func correction(of data: Span<UInt8>) -> Coefficients {
        var remainder = Coefficients.zero
        let products = products.span
        for index in data.indices {
            let factor = Int(data[index] ^ remainder.leading)
            remainder = remainder.movedUp ^ products[factor & 0x0F] ^ products[halfByteCount + factor >> 4]
        }
        return remainder
    }
}

/// Number of values of a half-byte.
private let halfByteCount = 16

/// The largest number of error-correction codewords that a block has (Table 9).
private let largestCorrectionCount = 30

/// The generator polynomials by degree, without their leading 1: (x − α⁰)(x − α¹)…(x − αⁿ⁻¹), Annex A.
let generators: [Coefficients] = {
    var generators: [Coefficients] = [.zero]
    var root = Coefficients(1 << 56, 0, 0, 0)  // α⁰, as the one coefficient at the front
    for degree in 0..<largestCorrectionCount {
        // (xⁿ + g)(x + αⁿ) = xⁿ⁺¹ + gx + αⁿxⁿ + αⁿg: counted from the front, g keeps its places.
        let generator = generators[degree]
        generators.append(generator ^ root ^ generator.multiplied(by: root.leading).movedDown)
        root = root.timesAlpha
    }
    return generators
}()

extension Coefficients {
    /// The coefficient of the highest power.
    @inline(__always)
    var leading: UInt8 { UInt8(truncatingIfNeeded: self[0] &>> 56) }

    /// Each coefficient one place towards the highest power; the highest falls out.
    @inline(__always)
    var movedUp: Self { self &<< 8 | Self(self[1], self[2], self[3], 0) &>> 56 }

    /// Each coefficient one place away from the highest power; the lowest falls out.
    var movedDown: Self { self &>> 8 | Self(0, self[0], self[1], self[2]) &<< 56 }

    /// Each coefficient times α = 2, modulo x⁸ + x⁴ + x³ + x² + 1.
    var timesAlpha: Self {
        let lowBits = Self(repeating: 0x7F7F_7F7F_7F7F_7F7F)
        let carries = (self & ~lowBits) &>> 7
        return (self & lowBits) &<< 1 ^ carries ^ carries &<< 2 ^ carries &<< 3 ^ carries &<< 4
    }

    /// Each coefficient times the same factor.
    func multiplied(by factor: UInt8) -> Self {
        var product = Self.zero
        var multiple = self
        for bit in 0..<UInt8(UInt8.bitWidth) {
            if factor &>> bit & 1 == 1 { product ^= multiple }
            multiple = multiple.timesAlpha
        }
        return product
    }

    /// One coefficient, counted from the highest power: 0…31.
    @inline(__always)
    subscript(coefficient index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: self[index / 8] &>> UInt64(56 - index % 8 * 8))
    }
}
