internal import COptionalLibraries
internal import Glibc

/// Reads QR codes in a picture in PNG, by libpng and libzbar, in a process of its own that keeps no rights: pictures
/// come from anybody, and both libraries are written in C.
package enum PictureReader {
    /// Outcome of a run, as the process's exit status; those for codes and for none are zbarimg(1)'s.
    package enum Outcome: Int32, Sendable {
        case found = 0
        case unreadable = 2
        /// This machine has no library, or no kernel, for it.
        case unavailable = 3
        case nothing = 4
    }

    /// The largest file in bytes, and the largest picture in pixels: a screenshot of several large screens.
    static let fileLimit = 64 << 20
    private static let pixelLimit = 40 << 20
    /// Memory in bytes, and time of a processor in seconds: for such a picture, its file, and zbar's copies of it.
    private static let (memoryLimit, timeLimit) = (512 << 20, UInt32(20))
    /// zbar's name for a byte of grey a pixel: the characters Y800.
    private static let grey: UInt = 0x3030_3859

    /// The library that finds the codes, for people.
    package static let library = "libzbar"
    /// The libraries that this machine lacks, for people. They are loaded when that is first asked.
    package static let missingLibraries = (load_png() == nil ? [] : ["libpng"]) + (load_zbar() == nil ? [] : [library])

    /// Reads the picture on standard input, and writes the text of each code to standard output, a line each. This
    /// process can do nothing else from then on, and has to end with the outcome for its status.
    package static func run() -> Outcome {
        // The libraries are opened before, and nothing of the picture is read yet.
        guard missingLibraries.isEmpty, restrict_process(memoryLimit, timeLimit) == 0 else { return .unavailable }
        guard let file = standardInput(), let picture = pixels(of: file) else { return .unreadable }
        let codes = codes(in: picture)
        guard !codes.isEmpty else { return .nothing }
        for code in codes { guard write(code + [UInt8(ascii: "\n")]) else { return .unreadable } }
        return .found
    }

    private static func standardInput() -> [UInt8]? {
        var file: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &part, part.count)
            guard count >= 0, file.count + count <= fileLimit else { return nil }
            guard count > 0 else { return file }
            file += part[..<count]
        }
    }

    private struct Picture {
        let width: UInt32
        let height: UInt32
        /// A byte of grey for each.
        let pixels: [UInt8]
    }

    private static func pixels(of file: [UInt8]) -> Picture? {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, file, file.count) != 0 else { return nil }
        let count = UInt64(image.width) * UInt64(image.height)
        guard count > 0, count <= UInt64(pixelLimit) else { return nil }
        // Of whatever depth, kind and order the picture is; transparent pixels are white.
        image.format = UInt32(PNG_FORMAT_GRAY)
        var pixels = [UInt8](repeating: UInt8.max, count: Int(count))
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { return nil }
        return Picture(width: image.width, height: image.height, pixels: pixels)
    }

    private static func codes(in picture: Picture) -> [[UInt8]] {
        guard let scanner = zbar_image_scanner_create(), let image = zbar_image_create() else { return [] }
        defer {
            zbar_image_destroy(image)
            zbar_image_scanner_destroy(scanner)
        }
        // zbar otherwise sends the text of a code, which here is a secret, to the whole bus.
        zbar_image_scanner_request_dbus(scanner, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
        zbar_image_set_format(image, grey)
        zbar_image_set_size(image, picture.width, picture.height)
        return picture.pixels.withUnsafeBytes { pixels in
            zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
            guard zbar_scan_image(scanner, image) > 0 else { return [] }
            var codes: [[UInt8]] = []
            var symbol = zbar_image_first_symbol(image)
            while let found = symbol {
                let text = UnsafeRawBufferPointer(
                    start: zbar_symbol_get_data(found), count: Int(zbar_symbol_get_data_length(found)))
                codes.append(Array(text))
                symbol = zbar_symbol_next(found)
            }
            return codes
        }
    }

    private static func write(_ line: [UInt8]) -> Bool {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
