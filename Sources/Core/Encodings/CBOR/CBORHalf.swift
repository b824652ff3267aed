/// Half precision (IEEE 754 binary16) by hand, since not every Swift platform has `Float16`.
///
/// Layout: sign 1, exponent 5 (bias 15), significand 10 bits. Single precision: 1, 8 (bias 127), 23. Source: RFC 8949
/// appendix D.
enum CBORHalf {
    private static let significandBitCount = 10
    private static let significandMask: UInt16 = 0x3ff
    private static let exponentMask: UInt16 = 0x1f
    private static let signBit: UInt16 = 0x8000
    /// The one NaN that is written.
    static let canonicalNaN: UInt16 = 0x7e00
    /// The difference of the exponents of single and half precision: 127 − 15.
    private static let biasDifference: UInt32 = 112
    private static let singleExponentMask: UInt32 = 0xff
    /// Single precision has 13 more bits of significand.
    private static let extraSignificandBits = 13
    /// The value of the lowest bit of a subnormal half: 2^−24.
    private static let smallestSubnormal: Float = 0x1p-24

    /// The same number in single precision.
    static func widened(_ half: UInt16) -> Float {
        let sign = UInt32(half & signBit) << UInt16.bitWidth
        let exponent = half >> significandBitCount & exponentMask
        let significand = half & significandMask
        switch exponent {
        case 0:
            let magnitude = Float(significand) * smallestSubnormal
            return sign == 0 ? magnitude : -magnitude
        case exponentMask:
            return significand == 0 ? (sign == 0 ? .infinity : -.infinity) : .nan
        default:
            let bits = UInt32(exponent) + biasDifference
            return Float(
                bitPattern: sign | bits << Float.significandBitCount | UInt32(significand) << extraSignificandBits)
        }
    }

    /// The half with the same value; nil if there is none.
    static func exactly(_ value: Float) -> UInt16? {
        guard !value.isNaN else { return canonicalNaN }
        let sign: UInt16 = value.sign == .minus ? signBit : 0
        if value.isInfinite { return sign | exponentMask << significandBitCount }
        guard !value.isZero else { return sign }
        let bits = value.bitPattern
        let exponent = bits >> Float.significandBitCount & singleExponentMask
        let significand = bits & (1 << Float.significandBitCount - 1)
        if exponent <= biasDifference {
            // Subnormal: a multiple of 2^−24, which takes the implicit bit and a shift, and must lose no bits.
            let whole = significand | 1 << Float.significandBitCount
            let shift = biasDifference + 1 - exponent + UInt32(extraSignificandBits)
            guard shift <= whole.trailingZeroBitCount else { return nil }
            return sign | UInt16(whole >> shift)
        }
        guard
            significand & (1 << extraSignificandBits - 1) == 0,
            exponent - biasDifference < UInt32(exponentMask)
        else { return nil }
        return sign | UInt16(exponent - biasDifference) << significandBitCount
            | UInt16(significand >> extraSignificandBits)
    }
}
