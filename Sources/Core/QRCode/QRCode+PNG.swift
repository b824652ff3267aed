internal import CZlib

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
