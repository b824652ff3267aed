/// Appends the check bits of a Bose–Chaudhuri–Hocquenghem code to a number.
///
/// Source: ISO/IEC 18004, Annexes C and D: the remainder of the number, moved up by the generator's degree, divided
/// by the generator polynomial.
func appendingBCH(to number: UInt32, generator: UInt32) -> UInt32 {
    let degree = UInt32.bitWidth - 1 - generator.leadingZeroBitCount
    var remainder = number << degree
    while remainder >> degree != 0 {
        remainder ^= generator << (generator.leadingZeroBitCount - remainder.leadingZeroBitCount)
    }
    return number << degree | remainder
}
