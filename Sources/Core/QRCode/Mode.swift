extension QRCode {
    /// The encoding of a segment's characters as bits.
    ///
    /// Source: ISO/IEC 18004, 7.3 and 7.4; the raw value is the four-bit mode indicator of Table 2.
    /// Each mode can encode all that the modes before it can, and no shorter.
    public enum Mode: UInt8, Sendable, CaseIterable {
        /// Three digits in ten bits.
        case numeric = 0b0001
        /// Two of 45 characters (digits, capitals, space and `$%*+-./:`) in eleven bits.
        case alphanumeric = 0b0010
        /// Any byte in eight bits.
        case byte = 0b0100
    }
}

extension QRCode.Mode {
    /// Bits of a mode indicator (Table 2).
    static let indicatorBitCount = 4

    /// The shortest mode that can encode a byte: 7.3.3, 7.3.4, 7.3.5.
    @inline(__always)
    init(cheapestFor byte: UInt8) {
        self = Self.isDigit(byte) ? .numeric : Self.isAlphanumeric(byte) ? .alphanumeric : .byte
    }

    /// Bits of the character count indicator (Table 3).
    func countBitCount(in range: VersionRange) -> Int {
        switch (self, range) {
        case (.numeric, .small): 10
        case (.numeric, .middle): 12
        case (.numeric, .large): 14
        case (.alphanumeric, .small): 9
        case (.alphanumeric, .middle): 11
        case (.alphanumeric, .large): 13
        case (.byte, .small): 8
        case (.byte, .middle), (.byte, .large): 16
        }
    }

    /// Bits of `characterCount` characters, without mode and count indicators (7.4.3 to 7.4.5).
    func bitCount(of characterCount: Int) -> Int {
        (characterCount * sixthsPerCharacter + sixthsPerBit - 1) / sixthsPerBit
    }

    /// The length of one character, in sixths of a bit: 10/3, 11/2 and 8 bits are whole numbers of sixths.
    ///
    /// A segment's true length is the sum, rounded up to whole bits: one digit takes 4 bits, two take 7,
    /// and one alphanumeric character takes 6.
    var sixthsPerCharacter: Int {
        switch self {
        case .numeric: 20
        case .alphanumeric: 33
        case .byte: 48
        }
    }

    /// True if this mode can encode all characters of another: the modes are ordered so.
    func canEncode(_ other: Self) -> Bool { rawValue >= other.rawValue }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    @inline(__always)
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        let members = byte < 64 ? alphanumericBelow64 : byte < 128 ? alphanumericFrom64 : 0
        return members &>> UInt64(byte & 63) & 1 == 1
    }

    /// The value 0…44 of a character of the alphanumeric set (Table 5).
    static func alphanumericValue(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte - UInt8(ascii: "A")) + 10
        case UInt8(ascii: " "): 36
        case UInt8(ascii: "$"): 37
        case UInt8(ascii: "%"): 38
        case UInt8(ascii: "*"): 39
        case UInt8(ascii: "+"): 40
        case UInt8(ascii: "-"): 41
        case UInt8(ascii: "."): 42
        case UInt8(ascii: "/"): 43
        case UInt8(ascii: ":"): 44
        default: nil
        }
    }
}

/// One bit, counted in sixths: see ``QRCode/Mode/sixthsPerCharacter``.
let sixthsPerBit = 6

/// Space, `$%*+-./:` and digits as a set of bits.
private let alphanumericBelow64: UInt64 = 0x07FF_EC31_0000_0000
/// Capitals as a set of bits, counted from 64.
private let alphanumericFrom64: UInt64 = 0x0000_0000_07FF_FFFE
