extension QRCode {
    /// The share of a symbol that may be unreadable without loss of contents.
    ///
    /// Source: ISO/IEC 18004, 7.5.1; the raw value is the two-bit indicator of Table 12.
    public enum ErrorCorrectionLevel: UInt8, Sendable, CaseIterable {
        /// L: about 7 % of the codewords can be restored.
        case low = 0b01
        /// M: about 15 %.
        case medium = 0b00
        /// Q: about 25 %.
        case quartile = 0b11
        /// H: about 30 %.
        case high = 0b10

        /// The one-letter name that the standard uses: L, M, Q or H.
        public var letter: String {
            switch self {
            case .low: "L"
            case .medium: "M"
            case .quartile: "Q"
            case .high: "H"
            }
        }
    }
}
