/// A place in DER (X.690), from which elements are taken one after another.
///
/// Only definite lengths below 64 KiB are read, in the fewest bytes. The bytes stay with the caller, since they may be
/// secret.
struct DERCursor {
    /// The first bytes of elements: their tags.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let sequence: UInt8 = 0x30
        /// `[0]` and `[1]`, constructed, and `[1]` of a primitive type.
        static let constructed0: UInt8 = 0xA0
        static let constructed1: UInt8 = 0xA1
        static let primitive1: UInt8 = 0x81
    }

    private static let longForm: UInt8 = 0x80
    private static let oneByte: UInt8 = 0x81
    private static let twoBytes: UInt8 = 0x82

    private(set) var offset: Int
    private let end: Int

    /// A place at the beginning of an element's contents, or of all bytes.
    init(_ range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// True if nothing is left.
    var isAtEnd: Bool { offset == end }

    /// Takes an element if it is the next one, and whole.
    ///
    /// - Parameters:
    ///   - tag: Its first byte.
    ///   - bytes: The bytes that the cursor was made for.
    /// - Returns: Where its contents are.
    mutating func take(_ tag: UInt8, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard end - offset >= 2, bytes[offset] == tag else { return nil }
        var start = offset + 2
        var count = Int(bytes[offset + 1])
        switch bytes[offset + 1] {
        case ..<Self.longForm: break
        case Self.oneByte:
            guard end - start >= 1 else { return nil }
            count = Int(bytes[start])
            guard count >= Int(Self.longForm) else { return nil }
            start += 1
        case Self.twoBytes:
            guard end - start >= 2 else { return nil }
            count = Int(bytes[start]) << UInt8.bitWidth | Int(bytes[start + 1])
            guard count > Int(UInt8.max) else { return nil }
            start += 2
        default: return nil
        }
        guard end - start >= count else { return nil }
        offset = start + count
        return start..<offset
    }
}

extension Span<UInt8> {
    /// True if the bytes of a range are these.
    func has(_ other: [UInt8], at range: Range<Int>) -> Bool {
        range.count == other.count && zip(range, other).allSatisfy { self[$0] == $1 }
    }
}
