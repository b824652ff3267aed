internal import Conformance
internal import Encodings

/// The layer qr-digits: the article QR code of HybridProtocol.
enum QRDigitsCases {
    private static let lengthRule = "HT-QR-10"
    /// The number of digits of one to seven bytes, in their order.
    private static let digitCounts = [3, 5, 8, 10, 13, 15, 17]
    /// The number of bytes of a full chunk.
    private static let chunkByteCount = 7
    /// The number of digits of a full chunk.
    private static let chunkDigitCount = 17
    /// The numeric capacity of a QR code of version 40, level L (ISO/IEC 18004).
    private static let maximumDigitCount = 7089

    static func layer(_ seed: VectorSeed) throws -> LayerCases {
        var layer = LayerCases(
            "qr-digits", prefix: "digits",
            about: "The decimal digits of the QR code: 7 bytes to 17 digits, little-endian.")
        try addLengths(to: &layer, seed)
        try addLimits(to: &layer)
        try addCharacters(to: &layer)
        try addCounts(to: &layer)
        try addRanges(to: &layer)
        return layer
    }

    private static func addLengths(to layer: inout LayerCases, _ seed: VectorSeed) throws {
        for count in 1...15 {
            let tail = count.isMultiple(of: chunkByteCount) ? chunkByteCount : count % chunkByteCount
            let bytes = seed.bytes("digits/\(count)", count)
            try addBoth(to: &layer, "\(count)-bytes", "\(count) bytes, a last chunk of \(tail)", bytes: bytes)
        }
        for count in 69...71 {
            let bytes = seed.bytes("digits/\(count)", count)
            try addBoth(to: &layer, "\(count)-bytes", "\(count) bytes, about an invitation's size", bytes: bytes)
        }
        let contents: [(slug: String, comment: String, bytes: [UInt8])] = [
            ("little-endian", "the first byte is the least significant", [1, 0, 0, 0, 0, 0, 0]),
            ("most-significant-last", "the last byte is the most significant", [0, 0, 0, 0, 0, 0, 1]),
            (
                "short-last-chunk", "a last chunk of small value is padded with zeros too",
                [9, 9, 9, 9, 9, 9, 9, 5, 0]
            ),
            ("all-byte-values", "every byte value once", Array(0...255)),
        ]
        for (slug, comment, bytes) in contents { try addBoth(to: &layer, slug, comment, bytes: bytes) }
    }

    private static func addLimits(to layer: inout LayerCases) throws {
        for (count, width) in zip(1..., digitCounts) {
            try addBoth(
                to: &layer, "largest-\(count)-bytes", "the largest value of \(count) bytes fills \(width) digits",
                bytes: [UInt8](repeating: 0xff, count: count), flags: [.boundary])
        }
        try layer.valid(
            "decode-most-digits", "\(maximumDigitCount) digits, as many as the largest QR code holds", rule: lengthRule,
            operation: "digits.decode", input: digits(zeros(maximumDigitCount)), flags: [.boundary]
        )
        let tooMany = maximumDigitCount + chunkDigitCount
        try addTooLong(
            to: &layer, "too-long", "\(tooMany) digits: no QR code holds them, so nobody scanned them",
            text: zeros(tooMany))
        try addTooLong(
            to: &layer, "too-long-non-digit", "too long is said before the characters are looked at",
            text: String(repeating: "x", count: tooMany))
    }

    private static func addTooLong(
        to layer: inout LayerCases, _ slug: String, _ comment: String, text: String
    ) throws {
        try layer.invalid(
            slug, comment, rule: lengthRule, operation: "digits.decode", input: digits(text), failure: "too-long")
    }

    private static func addCharacters(to layer: inout LayerCases) throws {
        let texts: [(slug: String, text: String, comment: String)] = [
            ("plus", "+12", "a plus sign, which number parsers often take"),
            ("minus", "-12", "a minus sign"),
            ("leading-space", " 12", "a space in front"),
            ("trailing-space", "12 ", "a space behind"),
            ("inner-space", "1 2", "a space inside"),
            ("newline", "123\n4", "a line feed, as left over from reading a line"),
            ("nul", "12\0", "a zero byte"),
            ("dot", "1.2", "a decimal point"),
            ("underscore", "1_2", "an underscore, which some languages allow in numbers"),
            ("hex-prefix", "0x1", "a hexadecimal prefix"),
            ("exponent", "1e1", "an exponent"),
            ("slash", "/12", "the character before 0 in ASCII: what FIDO:// leaves"),
            ("colon", "12:", "the character after 9 in ASCII"),
            ("full-width", "\u{ff11}\u{ff12}\u{ff13}", "full-width digits"),
            ("arabic-indic", "\u{661}\u{662}\u{663}", "Arabic-Indic digits"),
            ("devanagari", "\u{967}\u{968}\u{969}", "Devanagari digits"),
            (
                "mathematical", "\u{1d7cf}\u{1d7d0}\u{1d7d1}",
                "mathematical bold digits, outside the basic plane"
            ),
            ("superscript", "1\u{b2}3", "a superscript digit"),
            ("combining-mark", "1232\u{308}", "a digit with a combining mark"),
            ("zero-width-joiner", "12\u{200d}3", "an invisible character between digits"),
            ("second-chunk", zeros(chunkDigitCount) + "+12", "the bad character stands in the last chunk"),
            ("in-full-chunk", zeros(chunkDigitCount - 1) + "x", "the bad character is the seventeenth"),
        ]
        for (slug, text, comment) in texts {
            try refuse(&layer, "non-digit-\(slug)", comment, text: text, rule: "HT-QR-4", failure: "non-digit")
        }
    }

    private static let countRule = "HT-QR-8"
    private static let rangeRule = "HT-QR-9"

    private static func addCounts(to layer: inout LayerCases) throws {
        for tail in 1..<chunkDigitCount where !digitCounts.contains(tail) {
            try refuse(
                &layer, "count-\(tail)", "no byte string encodes to \(tail) digits", text: zeros(tail),
                rule: countRule, failure: "digit-count")
            try refuse(
                &layer, "count-17-and-\(tail)", "one full chunk and a tail of \(tail) digits",
                text: zeros(chunkDigitCount + tail), rule: countRule, failure: "digit-count")
        }
    }

    private static func addRanges(to layer: inout LayerCases) throws {
        for (count, width) in zip(1..., digitCounts) {
            let bits = UInt8.bitWidth * count
            try refuse(
                &layer, "range-\(count)-first", "2^\(bits), the first value that \(count) bytes cannot hold",
                text: Magnitude.powerOfTwo(bits).decimal(width: width), rule: rangeRule, failure: "digit-range",
                flags: [.boundary])
            try refuse(
                &layer, "range-\(count)-nines", "\(width) nines", text: String(repeating: "9", count: width),
                rule: rangeRule, failure: "digit-range")
        }
        try refuse(
            &layer, "range-second-chunk", "the first chunk is good, the tail is too large",
            text: zeros(chunkDigitCount) + "256", rule: rangeRule, failure: "digit-range")
        let tooLarge = Magnitude.powerOfTwo(UInt8.bitWidth * chunkByteCount).decimal()
        try refuse(
            &layer, "range-first-chunk", "the first chunk is too large, the tail is good", text: tooLarge + "255",
            rule: rangeRule, failure: "digit-range")
    }

    /// A case of encoding, and one of decoding its output.
    private static func addBoth(
        to layer: inout LayerCases, _ slug: String, _ comment: String, bytes: [UInt8], flags: [CaseFlag] = []
    ) throws {
        let encodingRule = bytes.count.isMultiple(of: chunkByteCount) ? "HT-QR-5" : "HT-QR-6"
        let encoded = try layer.valid(
            "encode-\(slug)", "\(comment): bytes to digits", rule: encodingRule, operation: "digits.encode",
            input: ["bytes": .hex(bytes)],
            flags: flags)
        try layer.valid(
            "decode-\(slug)", "\(comment): digits to bytes", rule: "HT-QR-7", operation: "digits.decode",
            input: encoded,
            flags: flags)
    }

    private static func refuse(
        _ layer: inout LayerCases, _ slug: String, _ comment: String, text: String, rule: String, failure: String,
        flags: [CaseFlag] = []
    ) throws {
        try layer.invalid(
            slug, comment, rule: rule, operation: "digits.decode", input: digits(text), failure: failure, flags: flags)
    }

    private static func digits(_ text: String) -> CaseFields { ["digits": .string(text)] }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}
