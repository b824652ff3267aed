/// Reads DER (X.690) elements one after another.
///
/// Only definite lengths below 64 KiB are read, in the fewest bytes, and only tags of one byte. The bytes stay with the
/// caller, since they may be secret; elements are read as ranges of them.
package struct DERReader {
    /// The place of the next element.
    private(set) var offset: Int
    private let end: Int

    /// The low bits of a first byte that say that the tag goes on.
    private static let multiByteTag: UInt8 = 0x1F

    /// Reads the elements of a range of the bytes: the contents of an element, or all.
    package init(_ range: Range<Int>) {
        offset = range.lowerBound
        end = range.upperBound
    }

    /// True if nothing is left.
    package var isAtEnd: Bool { offset == end }

    /// Takes the next element if it has this tag and is whole; otherwise nothing is taken.
    ///
    /// - Parameters:
    ///   - tag: the tag.
    ///   - bytes: the bytes that the reader was made for.
    /// - Returns: the place of its contents.
    package mutating func take(_ tag: DER.Tag, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard !isAtEnd, bytes[offset] == tag.rawValue else { return nil }
        return takeAny(bytes)
    }

    /// Takes the next element whatever its tag, if it is whole; otherwise nothing is taken.
    ///
    /// - Parameter bytes: the bytes that the reader was made for.
    /// - Returns: the place of its contents.
    package mutating func takeAny(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard end - offset >= 2, bytes[offset] & Self.multiByteTag != Self.multiByteTag else { return nil }
        var start = offset + 2
        var count = Int(bytes[offset + 1])
        switch bytes[offset + 1] {
        case ..<DER.LengthForm.long: break
        case DER.LengthForm.oneByte:
            guard end - start >= 1 else { return nil }
            count = Int(bytes[start])
            guard count >= Int(DER.LengthForm.long) else { return nil }
            start += 1
        case DER.LengthForm.twoBytes:
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

    /// Takes the next element if it has this tag and is whole, and reads its contents.
    ///
    /// - Parameters:
    ///   - tag: the tag.
    ///   - bytes: the bytes that the reader was made for.
    package mutating func enter(_ tag: DER.Tag, _ bytes: Span<UInt8>) -> DERReader? {
        take(tag, bytes).map(DERReader.init)
    }
}

extension Span<UInt8> {
    /// True if the bytes of a range are these.
    package func has(_ other: [UInt8], at range: Range<Int>) -> Bool {
        range.count == other.count && zip(range, other).allSatisfy { self[$0] == $1 }
    }
}
