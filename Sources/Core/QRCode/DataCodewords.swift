/// Turns the contents into the data codewords of a symbol, of which there must be enough.
///
/// Source: ISO/IEC 18004, 7.4: indicators and characters (7.4.2 to 7.4.5), terminator (7.4.9), and pad codewords
/// (7.4.10).
func dataCodewords(
    of contents: Span<UInt8>, segments: [QRCode.Segment], interpretation: ExtendedChannelInterpretation? = nil,
    count: Int, in range: VersionRange
) -> [UInt8] {
    var bits = BitBuffer(byteCapacity: count)
    if let interpretation { bits.append(interpretation) }
    for segment in segments {
        bits.append(UInt64(segment.mode.rawValue), bitCount: QRCode.Mode.indicatorBitCount)
        bits.append(UInt64(segment.bytes.count), bitCount: segment.mode.countBitCount(in: range))
        bits.append(contents.extracting(segment.bytes), in: segment.mode)
    }
    bits.appendTerminatorAndPadding(codewordCount: count)
    return bits.bytes
}

extension BitBuffer {
    /// Appends the characters of one segment.
    fileprivate mutating func append(_ characters: Span<UInt8>, in mode: QRCode.Mode) {
        switch mode {
        case .numeric: append(numeric: characters)
        case .alphanumeric: append(alphanumeric: characters)
        case .byte: for index in characters.indices { append(UInt64(characters[index]), bitCount: 8) }
        }
    }

    /// 7.4.3: three digits in ten bits, two left over in seven, one in four.
    private mutating func append(numeric digits: Span<UInt8>) {
        var index = 0
        while index < digits.count {
            let group = min(3, digits.count - index)
            var value: UInt64 = 0
            for place in index..<index + group { value = value * 10 + UInt64(digits[place] & 0x0F) }
            append(value, bitCount: QRCode.Mode.numeric.bitCount(of: group))
            index += group
        }
    }

    /// 7.4.4: two characters in eleven bits, one left over in six.
    private mutating func append(alphanumeric characters: Span<UInt8>) {
        var index = 0
        while index < characters.count {
            let group = min(2, characters.count - index)
            var value: UInt64 = 0
            for place in index..<index + group {
                value = value * 45 + (QRCode.Mode.alphanumericValue(characters[place]) ?? 0)
            }
            append(value, bitCount: QRCode.Mode.alphanumeric.bitCount(of: group))
            index += group
        }
    }

    /// Four zero bits as far as there is room, zeros to the end of the byte, then the two pad codewords in turn.
    fileprivate mutating func appendTerminatorAndPadding(codewordCount: Int) {
        let terminatorLength = 4
        let padCodewords: [UInt8] = [0b1110_1100, 0b0001_0001]
        append(0, bitCount: min(terminatorLength, codewordCount * Self.bitsPerCodeword - bitCount))
        let partial = bitCount % Self.bitsPerCodeword
        append(0, bitCount: partial == 0 ? 0 : Self.bitsPerCodeword - partial)
        var pad = 0
        while bytes.count < codewordCount {
            append(UInt64(padCodewords[pad]), bitCount: Self.bitsPerCodeword)
            pad ^= 1
        }
    }
}
