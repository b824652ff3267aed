internal import CZlib

/// DEFLATE (RFC 1951), bare or in a container, by zlib.
package enum Deflate: Int32 {
    // The raw values are zlib's windowBits: each with the largest window.

    /// Without a container, as the extension largeBlob has it.
    case bare = -15
    /// With gzip's header and trailer (RFC 1952).
    case gzip = 31

    private static let chunk = 1 << 16
    private static let memoryLevel: Int32 = 8

    /// The contents of a stream; nil if it is none, has something behind it, or has more contents than the limit.
    ///
    /// They are counted before they are kept: an array that grows holds them twice.
    package func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var count = 0
        guard inflated(bytes, limit: limit, take: { count += $0.count }) else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(count)
        return inflated(bytes, limit: count, take: { output += $0 }) ? output : nil
    }

    private func inflated(_ bytes: [UInt8], limit: Int, take: (ArraySlice<UInt8>) -> Void) -> Bool {
        Self.run(bytes, limit: limit, take: take) { stream in
            inflateInit2_(&stream, rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        } step: {
            inflate(&$0, Z_NO_FLUSH)
        } end: {
            inflateEnd(&$0)
        }
    }

    /// A stream with contents; nil without memory.
    package func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        let isWhole = Self.run(bytes, limit: .max, take: { output += $0 }) { stream in
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawValue, Self.memoryLevel, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
        } step: {
            deflate(&$0, Z_FINISH)
        } end: {
            deflateEnd(&$0)
        }
        return isWhole ? output : nil
    }

    /// Hands on the output of the bytes; true if they are one whole stream, with no more output than the limit.
    private static func run(
        _ bytes: [UInt8], limit: Int, take: (ArraySlice<UInt8>) -> Void, begin: (inout z_stream) -> Int32,
        step: (inout z_stream) -> Int32, end: (inout z_stream) -> Int32
    ) -> Bool {
        guard let count = UInt32(exactly: bytes.count) else { return false }
        var stream = z_stream()
        guard begin(&stream) == Z_OK else { return false }
        defer { _ = end(&stream) }
        var input = bytes
        var taken = 0
        var buffer = [UInt8](repeating: 0, count: chunk)
        return input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = count
            while true {
                let status = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(chunk)
                    return step(&stream)
                }
                let part = buffer.prefix(chunk - Int(stream.avail_out))
                taken += part.count
                guard taken <= limit else { return false }
                take(part)
                if status == Z_STREAM_END { return stream.avail_in == 0 }
                guard status == Z_OK, stream.avail_in > 0 || stream.avail_out == 0 else { return false }
            }
        }
    }
}
