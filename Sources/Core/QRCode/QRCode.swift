internal import CZlib

/// A QR Code symbol, model 2: a square of dark and light modules that encodes a text or bytes.
///
/// Source: ISO/IEC 18004. The contents are divided into numeric, alphanumeric and byte segments so that no division
/// gives a smaller symbol; Kanji mode, structured append and FNC1 are not used.
///
/// Time and memory are bounded whatever the contents: what no symbol holds is refused unread.
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

extension QRCode {
    /// The symbol as an SVG 1.1 document, black on white with its quiet zone, all dark modules in one path.
    ///
    /// Its own size is eight pixels a module; it scales to any other without loss.
    ///
    /// - Parameter title: the text for screen readers and tooltips.
    public func svg(title: String = "QR code") -> String {
        let side = size + 2 * Self.quietZone
        let pixels = side * 8
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" version="1.1" role="img" width="\(pixels)" height="\(pixels)" \
            viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
            <title>\(title.escapedForXML)</title>
            <rect width="\(side)" height="\(side)" fill="#fff"/>
            <path d="\(path)" fill="#000"/>
            </svg>

            """
    }

    /// A rectangle one module high for each run of dark modules in a row.
    private var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                var end = x
                while self[end, y] { end += 1 }
                if end > x {
                    path += "M\(x + Self.quietZone) \(y + Self.quietZone)h\(end - x)v1H\(x + Self.quietZone)z"
                }
                x = end + 1
            }
        }
        return path
    }
}

extension String {
    /// The text as XML character data; what XML 1.0 cannot say at all becomes U+FFFD.
    fileprivate var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case ..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension QRCode {
    /// The characters and colours for a terminal.
    public enum TerminalStyle: Sendable, CaseIterable {
        /// Black and white by escape sequences, whatever colours the terminal has by itself.
        case coloured
        /// Likewise without any other character than the space, for a terminal that has no half blocks.
        case colouredSpaces
        /// Characters only, for a terminal that writes light on dark.
        case plainOnDark
        /// Characters only, for a terminal that writes dark on light.
        case plainOnLight
    }

    /// The symbol in half blocks, two modules a character, or in spaces, two a module, with a quiet zone.
    ///
    /// Each line ends with a line feed. Where it is coloured, it sets its colours at its start and resets them at its
    /// end, so that broken or indented output leaves no colour behind. ``terminalSize(_:quietZone:)`` says how large it
    /// is.
    ///
    /// - Parameters:
    ///   - style: the characters and colours.
    ///   - quietZone: the light modules on each side, 0 or more. The standard wants 4 (5.3.8); with fewer some readers
    ///     fail on a dark terminal.
    public func terminal(_ style: TerminalStyle = .coloured, quietZone: Int = Self.quietZone) -> String {
        let visible = -quietZone..<size + quietZone
        var text = ""
        guard style != .colouredSpaces else {
            for y in visible { text += spacesLine(visible.map { x in self[x, y] }) + "\n" }
            return text
        }
        for y in stride(from: visible.lowerBound, to: visible.upperBound, by: 2) {
            let pairs = visible.map { x in (upper: self[x, y], lower: self[x, y + 1]) }
            switch style {
            case .coloured, .colouredSpaces: text += colouredLine(pairs)
            case .plainOnLight: for pair in pairs { text += halfBlock(pair.upper, pair.lower) }
            case .plainOnDark: for pair in pairs { text += halfBlock(!pair.upper, !pair.lower) }
            }
            text += "\n"
        }
        return text
    }
}

extension QRCode {
    /// The columns and lines that ``terminal(_:quietZone:)`` takes.
    public func terminalSize(
        _ style: TerminalStyle = .coloured, quietZone: Int = Self.quietZone
    ) -> (columns: Int, lines: Int) {
        let side = size + 2 * quietZone
        return style == .colouredSpaces ? (2 * side, side) : (side, (side + 1) / 2)
    }
}

/// A line in which the paper is dark or light.
private func spacesLine(_ modules: [Bool]) -> String {
    var line = blackOnWhite
    var isReversed = false
    for isDark in modules {
        if isDark != isReversed {
            line += isDark ? reverse : notReverse
            isReversed = isDark
        }
        line += "  "
    }
    return line + reset
}

/// A line in which the paper has the colour of the upper module, and a half block the other where the lower differs.
///
/// Terminals paint paper without gaps. Many fonts leave a hairline between full blocks, and some readers then see no
/// symbol.
private func colouredLine(_ pairs: [(upper: Bool, lower: Bool)]) -> String {
    var line = blackOnWhite
    var isReversed = false
    for (upper, lower) in pairs {
        if upper != isReversed {
            line += upper ? reverse : notReverse
            isReversed = upper
        }
        line += upper == lower ? " " : "▄"
    }
    return line + reset
}

/// The character that fills the upper half, the lower half, both or neither.
private func halfBlock(_ upper: Bool, _ lower: Bool) -> String {
    switch (upper, lower) {
    case (true, true): "█"
    case (true, false): "▀"
    case (false, true): "▄"
    case (false, false): " "
    }
}

// Select Graphic Rendition (ECMA-48, 8.3.117). The colours are of the 256-colour cube: unlike the first sixteen,
// themes leave these as they are.
private let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
private let reverse = "\u{1B}[7m"
private let notReverse = "\u{1B}[27m"
private let reset = "\u{1B}[0m"

extension QRCode {
    /// The pixels a module that ``png(scale:)`` draws.
    public static let pngScales = 1...64

    /// The symbol as a PNG picture of one bit a pixel, with its quiet zone.
    ///
    /// - Parameter scale: pixels a module, one of ``pngScales``.
    /// - Returns: a file of `(size + 8) * scale` pixels each way.
    /// - Throws: ``QRCodeError`` with `invalid-scale`, or `out-of-memory`.
    public func png(scale: Int = 8) throws(QRCodeError) -> [UInt8] {
        guard Self.pngScales.contains(scale) else {
            throw QRCodeError(.invalidScale, reason: "the scale must be 1 to 64 pixels a module")
        }
        let side = UInt32((size + 2 * Self.quietZone) * scale)
        let depthOneGreyscale: [UInt8] = [1, 0, 0, 0, 0]  // depth, colour type; the only methods; not interlaced
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file.appendPNGChunk("IHDR", side.bigEndianBytes + side.bigEndianBytes + depthOneGreyscale)
        file.appendPNGChunk("IDAT", try compressed(pngScanlines(scale: scale)))
        file.appendPNGChunk("IEND", [])
        return file
    }

    /// The rows of pixels, a filter byte before each: no filter.
    private func pngScanlines(scale: Int) -> [UInt8] {
        let visible = -Self.quietZone..<size + Self.quietZone
        let byteCount = (visible.count * scale + 7) / 8
        var scanlines: [UInt8] = []
        scanlines.reserveCapacity(visible.count * scale * (1 + byteCount))
        for y in visible {
            var row = [UInt8](repeating: 0, count: byteCount)
            for (module, x) in visible.enumerated() where !self[x, y] {
                for pixel in module * scale..<(module + 1) * scale { row[pixel / 8] |= 0x80 >> UInt8(pixel % 8) }
            }
            for _ in 0..<scale { scanlines += [0] + row }
        }
        return scanlines
    }
}

/// The zlib stream (RFC 1950) of some bytes.
private func compressed(_ bytes: [UInt8]) throws(QRCodeError) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var stream = [UInt8](repeating: 0, count: Int(count))
    guard compress(&stream, &count, bytes, uLong(bytes.count)) == Z_OK else {
        throw QRCodeError(.outOfMemory, reason: "there is too little memory to compress the picture")
    }
    return Array(stream.prefix(Int(count)))
}

extension [UInt8] {
    /// Appends a chunk: length, type, data, checksum over type and data. Source: ISO/IEC 15948 (PNG), 5.3.
    fileprivate mutating func appendPNGChunk(_ type: String, _ data: [UInt8]) {
        let typeAndData = Array(type.utf8) + data
        self += UInt32(data.count).bigEndianBytes
        self += typeAndData
        self += UInt32(truncatingIfNeeded: crc32(0, typeAndData, uInt(typeAndData.count))).bigEndianBytes
    }
}

extension UInt32 {
    /// The four bytes, the most significant first.
    fileprivate var bigEndianBytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) } }
}
