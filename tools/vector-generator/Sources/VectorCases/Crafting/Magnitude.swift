internal import Conformance

/// A non-negative integer of any size: for keys, coordinates and digits beside a limit. Slow, and only for making
/// vectors.
package struct Magnitude: Sendable, Hashable, Comparable {
    /// 32 bits each, the least significant first, without zeros at the end.
    private var limbs: [UInt32]

    private static let bytesPerLimb = 4

    private init(limbs: [UInt32]) {
        self.limbs = limbs
        while self.limbs.last == 0 { self.limbs.removeLast() }
    }

    /// Makes a number of its bytes, big-endian.
    package init(_ bigEndianBytes: some Collection<UInt8>) {
        var limbs: [UInt32] = []
        for (index, byte) in bigEndianBytes.reversed().enumerated() {
            if index.isMultiple(of: Self.bytesPerLimb) { limbs.append(0) }
            limbs[limbs.count - 1] |= UInt32(byte) << (8 * (index % Self.bytesPerLimb))
        }
        self.init(limbs: limbs)
    }

    /// Two to a power.
    package static func powerOfTwo(_ exponent: Int) -> Self {
        let empty = [UInt32](repeating: 0, count: exponent / UInt32.bitWidth)
        return Self(limbs: empty + [1 << UInt32(exponent % UInt32.bitWidth)])
    }

    /// The number as so many bytes, big-endian; its lowest ones where it has more.
    package func bigEndianBytes(_ count: Int) -> [UInt8] {
        let bytes = limbs.flatMap { limb in (0..<Self.bytesPerLimb).map { UInt8(truncatingIfNeeded: limb >> (8 * $0)) }
        }
        let padded = bytes + [UInt8](repeating: 0, count: max(0, count - bytes.count))
        return padded.prefix(count).reversed()
    }

    /// The number in decimal digits, with zeros in front where it has fewer than so many.
    package func decimal(width: Int = 1) -> String {
        let (base, digitsPerStep): (UInt64, Int) = (1_000_000_000, 9)
        var (rest, text) = (limbs, "")
        while !rest.isEmpty {
            var remainder: UInt64 = 0
            for index in rest.indices.reversed() {
                let dividend = remainder << UInt64(UInt32.bitWidth) | UInt64(rest[index])
                rest[index] = UInt32(dividend / base)
                remainder = dividend % base
            }
            while rest.last == 0 { rest.removeLast() }
            let digits = String(remainder)
            text = String(repeating: "0", count: rest.isEmpty ? 0 : digitsPerStep - digits.count) + digits + text
        }
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// True if the left number is smaller.
    package static func < (left: Self, right: Self) -> Bool {
        guard left.limbs.count == right.limbs.count else { return left.limbs.count < right.limbs.count }
        return left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
    }

    /// The sum with a small number.
    package static func + (left: Self, right: UInt32) -> Self { left + Self(limbs: [right]) }

    /// The sum.
    package static func + (left: Self, right: Self) -> Self {
        var (sum, carry): ([UInt32], UInt64) = ([], 0)
        for index in 0..<Swift.max(left.limbs.count, right.limbs.count) {
            carry += UInt64(left.limb(index)) + UInt64(right.limb(index))
            sum.append(UInt32(truncatingIfNeeded: carry))
            carry >>= UInt64(UInt32.bitWidth)
        }
        return Self(limbs: sum + [UInt32(carry)])
    }

    /// The difference of a number and one that is not larger.
    package static func - (left: Self, right: Self) -> Self {
        var (limbs, borrow) = (left.limbs, Int64(0))
        for index in limbs.indices {
            let digit = right.limbs.indices.contains(index) ? Int64(right.limbs[index]) : 0
            let difference = Int64(limbs[index]) - digit + borrow
            limbs[index] = UInt32(truncatingIfNeeded: difference)
            borrow = difference >> Int64(UInt32.bitWidth)
        }
        return Self(limbs: limbs)
    }

    /// The remainder of a division, bit by bit.
    package static func % (left: Self, right: Self) -> Self {
        var remainder = Self(limbs: [])
        for limb in left.limbs.reversed() {
            for bit in (0..<UInt32.bitWidth).reversed() {
                remainder = remainder.doubled(plus: limb >> UInt32(bit) & 1)
                if remainder >= right { remainder = remainder - right }
            }
        }
        return remainder
    }

    /// The inverse modulo an odd number that has no divisor in common with this one: by Euclid's algorithm in its
    /// binary form, of which every step keeps `value = coefficient · self` modulo the modulus, and the
    /// coefficients below it.
    package func inverse(modulo modulus: Self) -> Self {
        let one = Self(limbs: [1])
        var (left, right) = ((value: self % modulus, coefficient: one), (value: modulus, coefficient: Self(limbs: [])))
        while left.value != one {
            while left.value.isEven {
                let even = left.coefficient.isEven ? left.coefficient : left.coefficient + modulus
                left = (left.value.halved, even.halved)
            }
            if left.value < right.value { swap(&left, &right) }
            guard left.value != one else { break }
            left.value = left.value - right.value
            let difference = left.coefficient + (modulus - right.coefficient)
            left.coefficient = difference < modulus ? difference : difference - modulus
        }
        return left.coefficient
    }

    private var isEven: Bool { limbs.first.map { $0.isMultiple(of: 2) } ?? true }

    private var halved: Self {
        let higher = limbs.dropFirst() + [0]
        return Self(limbs: zip(limbs, higher).map { $0 >> 1 | $1 << UInt32(UInt32.bitWidth - 1) })
    }

    private func limb(_ index: Int) -> UInt32 { limbs.indices.contains(index) ? limbs[index] : 0 }

    private func doubled(plus bit: UInt32) -> Self {
        var (limbs, carry) = (limbs, bit)
        for index in limbs.indices {
            let high = limbs[index] >> UInt32(UInt32.bitWidth - 1)
            limbs[index] = limbs[index] << 1 | carry
            carry = high
        }
        return Self(limbs: limbs + [carry])
    }
}
