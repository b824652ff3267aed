/// A QR Code symbol, model 2: a square of dark and light modules that encodes a text or bytes.
///
/// Source: ISO/IEC 18004. The contents are divided into numeric, alphanumeric and byte segments so that no division
/// gives a smaller symbol; Kanji mode, structured append and FNC1 are not used.
///
/// Time and memory are bounded for any contents: those that no symbol holds are refused unread.
public struct QRCode: Sendable, Equatable {
    /// The size of the symbol as the standard counts it: 1…40.
    public let version: Int
    /// The error-correction level.
    public let level: ErrorCorrectionLevel
    /// The mask that was applied.
    public let mask: Mask
    /// The division of the contents into modes, in order.
    public let segments: [Segment]
    /// The rows from the top, each ``wordsPerRow`` words, the leftmost module in the lowest bit of the first.
    let words: [UInt64]

    /// Modules along one side, without the quiet zone: 21…177.
    public var size: Int { Version(number: version).size }

    /// Encodes a text as UTF-8.
    ///
    /// For a text in ASCII that is enough. For others, readers differ: by the letter of the standard
    /// undeclared bytes are ISO/IEC 8859-1; most readers guess, and zbar sometimes guesses wrongly; some readers do
    /// not know declarations. So the caller decides.
    ///
    /// - Parameters:
    ///   - text: the contents: at level L up to 7,089 digits, 4,296 alphanumeric characters or 2,953 bytes.
    ///   - level: the error-correction level.
    ///   - minimumVersion: the smallest version to use, 1…40.
    ///   - mask: the mask to apply; without one, that with the least penalty is chosen.
    ///   - raisesLevel: true to take a higher level where the same version has room for it.
    ///   - declaresUTF8: true to declare, in twelve bits, that the text is UTF-8 (7.4.2, ECI 26).
    /// - Throws: ``QRCodeError`` with `empty`, `too-long` or `invalid-version`.
    public init(
        text: String, level: ErrorCorrectionLevel = .medium, minimumVersion: Int = 1, mask: Mask? = nil,
        raisesLevel: Bool = false, declaresUTF8: Bool = false
    ) throws(QRCodeError) {
        try self.init(
            contents: text.utf8.span, interpretation: declaresUTF8 ? .utf8 : nil, level: level,
            minimumVersion: minimumVersion, mask: mask, raisesLevel: raisesLevel)
    }

    /// Encodes bytes as they are, without a declaration of their meaning.
    ///
    /// - Parameters:
    ///   - bytes: the contents: at level L up to 2,953 bytes, more where they are digits or alphanumeric.
    ///   - level: the error-correction level.
    ///   - minimumVersion: the smallest version to use, 1…40.
    ///   - mask: the mask to apply; without one, that with the least penalty is chosen.
    ///   - raisesLevel: true to take a higher level where the same version has room for it.
    /// - Throws: ``QRCodeError`` with `empty`, `too-long` or `invalid-version`.
    public init(
        bytes: Span<UInt8>, level: ErrorCorrectionLevel = .medium, minimumVersion: Int = 1, mask: Mask? = nil,
        raisesLevel: Bool = false
    ) throws(QRCodeError) {
        try self.init(
            contents: bytes, interpretation: nil, level: level, minimumVersion: minimumVersion, mask: mask,
            raisesLevel: raisesLevel)
    }

    /// Encodes contents in the order of ISO/IEC 18004, 7.1: analysis, data, correction, message, modules, mask.
    private init(
        contents: Span<UInt8>, interpretation: ExtendedChannelInterpretation?, level: ErrorCorrectionLevel,
        minimumVersion: Int, mask: Mask?, raisesLevel: Bool
    ) throws(QRCodeError) {
        let segmentation = try Segmentation.smallest(
            for: contents, at: level, minimumVersion: minimumVersion,
            prefixBitCount: interpretation == nil ? 0 : ExtendedChannelInterpretation.bitCount)
        let version = segmentation.version
        let level = raisesLevel ? segmentation.highestLevel(from: level) : level
        let blocks = ErrorCorrectionBlocks(of: version, at: level)
        let data = dataCodewords(
            of: contents, segments: segmentation.segments, interpretation: interpretation,
            count: blocks.dataCodewordCount, in: version.range)
        let message = finalMessage(data: data, in: blocks)

        self.version = version.number
        self.level = level
        segments = segmentation.segments
        (self.mask, words) =
            version.size <= UInt64.capacity
            ? UnmaskedSymbol<UInt64>(version: version, message: message).masked(level: level, mask: mask)
            : UnmaskedSymbol<WideRow>(version: version, message: message).masked(level: level, mask: mask)
    }

    /// True if the module in a column and a row is dark; outside the symbol all is light.
    public subscript(x: Int, y: Int) -> Bool {
        let side = 0..<size
        guard side.contains(x), side.contains(y) else { return false }
        let (word, bit) = x.quotientAndRemainder(dividingBy: UInt64.bitWidth)
        return words[y * wordsPerRow + word] >> UInt64(bit) & 1 == 1
    }

    /// The bare matrix, row by row from the top, without the quiet zone; `true` is dark.
    public var modules: [[Bool]] {
        (0..<size).map { y in (0..<size).map { x in self[x, y] } }
    }

    private var wordsPerRow: Int { (size + UInt64.bitWidth - 1) / UInt64.bitWidth }
}

extension QRCode: CustomStringConvertible {
    /// Version, level and mask; not the modules, which may hold a secret.
    public var description: String { "QR code \(version)-\(level.letter), mask \(mask.rawValue)" }
}

/// Constants of the pictures.
extension QRCode {
    /// Modules of light that a reader needs on each side (5.3.8).
    public static let quietZone = 4
}
