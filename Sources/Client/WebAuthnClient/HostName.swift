/// A host's name in the form in which two are compared: its labels in lower case, decoded from their `xn--` form.
///
/// Source: URL Standard section 3.5 (domain to ASCII), here the other way: the labels of Unicode are compared, by
/// canonical equivalence as Swift compares texts. Of UTS 46's mapping it has lower case, full-width ASCII, the dots,
/// and the ignored characters; other compatibility forms stay as they are, and equal nothing.
enum HostName {
    private static let encodedPrefix = "xn--"
    /// A longer label is none that could be registered; it stays as it is.
    private static let maxEncodedByteCount = 63
    private static let dots: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]

    /// The labels of a name, empty ones too.
    static func labels(of name: String) -> [String] {
        var labels: [String] = []
        var label = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if dots.contains(scalar) {
                labels.append(normal(label))
                label = String.UnicodeScalarView()
            } else if !scalar.properties.isDefaultIgnorableCodePoint || joiners.contains(scalar) {
                label.append(withoutWidth(scalar))
            }
        }
        labels.append(normal(label))
        return labels
    }

    /// The zero-width joiners, which count in some scripts.
    private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
    private static let fullWidth: ClosedRange<Unicode.Scalar> = "\u{FF01}"..."\u{FF5E}"
    /// The distance from ASCII to its full-width forms.
    private static let fullWidthDistance: UInt32 = 0xFEE0

    private static func withoutWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard fullWidth.contains(scalar) else { return scalar }
        return Unicode.Scalar(scalar.value - fullWidthDistance) ?? scalar
    }

    private static func normal(_ label: String.UnicodeScalarView) -> String {
        let label = String(label).lowercased()
        guard label.hasPrefix(encodedPrefix), label.utf8.count <= maxEncodedByteCount else { return label }
        return Punycode.decode(label.dropFirst(encodedPrefix.count)) ?? label
    }
}

/// Source: RFC 3492 sections 5 and 6.
enum Punycode {
    private static let base: UInt32 = 36
    private static let minThreshold: UInt32 = 1
    private static let maxThreshold: UInt32 = 26
    private static let skew: UInt32 = 38
    private static let damping: UInt32 = 700
    private static let initialBias: UInt32 = 72
    private static let firstScalar: UInt32 = 0x80
    private static let delimiter = UInt8(ascii: "-")

    /// Decodes a label without its prefix, in lower case; nil if it is malformed, or would be ASCII alone.
    static func decode(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        let mark = bytes.lastIndex(of: delimiter)
        var scalars = bytes[..<(mark ?? 0)].map { Unicode.Scalar($0) }
        var digits = bytes[(mark.map { $0 + 1 } ?? 0)...].makeIterator()
        var (scalar, index, bias) = (firstScalar, UInt32(0), initialBias)
        var first = digits.next()
        guard first != nil, scalars.allSatisfy(\.isASCII) else { return nil }
        while let digit = first {
            guard let delta = number(from: digit, &digits, bias) else { return nil }
            let count = UInt32(scalars.count + 1)
            bias = adapted(delta, count, isFirst: index == 0)
            let (sum, overflow) = index.addingReportingOverflow(delta)
            let (next, tooLarge) = scalar.addingReportingOverflow(sum / count)
            guard !overflow, !tooLarge, let decoded = Unicode.Scalar(next) else { return nil }
            (scalar, index) = (next, sum % count)
            scalars.insert(decoded, at: Int(index))
            index += 1
            first = digits.next()
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// A number of variable length; nil if it ends too early or is too large.
    private static func number(
        from first: UInt8, _ digits: inout IndexingIterator<ArraySlice<UInt8>>, _ bias: UInt32
    ) -> UInt32? {
        var (number, weight, position) = (UInt32(0), UInt32(1), base)
        var byte: UInt8? = first
        while let current = byte {
            guard let digit = value(of: current) else { return nil }
            let (product, overflow) = digit.multipliedReportingOverflow(by: weight)
            let (sum, tooLarge) = number.addingReportingOverflow(product)
            guard !overflow, !tooLarge else { return nil }
            number = sum
            let threshold = position <= bias ? minThreshold : min(max(position - bias, minThreshold), maxThreshold)
            if digit < threshold { return number }
            let (heavier, tooHeavy) = weight.multipliedReportingOverflow(by: base - threshold)
            guard !tooHeavy else { return nil }
            weight = heavier
            position += base
            byte = digits.next()
        }
        return nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        if byte.isLowerCaseLetter { return UInt32(byte - UInt8(ascii: "a")) }
        if byte.isDigit { return UInt32(byte - UInt8(ascii: "0")) + 26 }
        return nil
    }

    private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / damping : delta / 2
        delta += delta / count
        var position: UInt32 = 0
        while delta > (base - minThreshold) * maxThreshold / 2 {
            delta /= base - minThreshold
            position += base
        }
        return position + (base - minThreshold + 1) * delta / (delta + skew)
    }
}
