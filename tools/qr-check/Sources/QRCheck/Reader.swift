import CZBar
import QRCode

/// zbar, reading one picture after another in this process.
///
/// In its binary setting zbar hands over the bytes as they stand in the symbol. Otherwise it guesses a character
/// set and converts, which says nothing about the encoder.
struct Reader: ~Copyable {
    private let scanner: OpaquePointer

    /// Opens a scanner for QR codes alone.
    init?() {
        guard let scanner = zbar_image_scanner_create() else { return nil }
        self.scanner = scanner
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    }

    deinit { zbar_image_scanner_destroy(scanner) }

    /// The contents of all symbols that zbar finds in a picture of a code.
    func read(_ code: QRCode, scale: Int) -> [[UInt8]] {
        var picture = Picture(of: code, scale: scale)
        guard let image = zbar_image_create() else { return [] }
        defer { zbar_image_destroy(image) }
        let greyscale = "Y800".utf8.reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) }
        zbar_image_set_format(image, greyscale)
        zbar_image_set_size(image, UInt32(picture.side), UInt32(picture.side))
        return picture.pixels.withUnsafeMutableBytes { pixels in
            zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
            guard zbar_scan_image(scanner, image) >= 0 else { return [] }
            var contents: [[UInt8]] = []
            var symbol = zbar_image_first_symbol(image)
            while let found = symbol {
                let data = UnsafeRawBufferPointer(
                    start: zbar_symbol_get_data(found), count: Int(zbar_symbol_get_data_length(found)))
                contents.append(Array(data))
                symbol = zbar_symbol_next(found)
            }
            return contents
        }
    }
}

/// A code as grey values, with its quiet zone.
struct Picture {
    let side: Int
    var pixels: [UInt8]

    init(of code: QRCode, scale: Int) {
        let quietZone = 4
        let (dark, light): (UInt8, UInt8) = (0x00, 0xFF)
        side = (code.size + 2 * quietZone) * scale
        pixels = []
        pixels.reserveCapacity(side * side)
        for y in 0..<code.size + 2 * quietZone {
            var row: [UInt8] = []
            row.reserveCapacity(side)
            for x in 0..<code.size + 2 * quietZone {
                let value = code[x - quietZone, y - quietZone] ? dark : light
                for _ in 0..<scale { row.append(value) }
            }
            for _ in 0..<scale { pixels += row }
        }
    }
}
