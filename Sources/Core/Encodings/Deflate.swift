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
    package func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        Self.run(bytes, limit: limit) { stream in
            inflateInit2_(&stream, rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        } step: {
            inflate(&$0, Z_NO_FLUSH)
        } end: {
            inflateEnd(&$0)
        }
    }

    /// A stream with contents; nil without memory.
    package func compress(_ bytes: [UInt8]) -> [UInt8]? {
        Self.run(bytes, limit: .max) { stream in
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, rawValue, Self.memoryLevel, Z_DEFAULT_STRATEGY,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
        } step: {
            deflate(&$0, Z_FINISH)
        } end: {
            deflateEnd(&$0)
        }
    }

    private static func run(
        _ bytes: [UInt8], limit: Int, begin: (inout z_stream) -> Int32, step: (inout z_stream) -> Int32,
        end: (inout z_stream) -> Int32
    ) -> [UInt8]? {
        guard let count = UInt32(exactly: bytes.count) else { return nil }
        var stream = z_stream()
        guard begin(&stream) == Z_OK else { return nil }
        defer { _ = end(&stream) }
        var input = bytes
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = count
            while true {
                let status = buffer.withUnsafeMutableBufferPointer { buffer in
                    stream.next_out = buffer.baseAddress
                    stream.avail_out = UInt32(chunk)
                    return step(&stream)
                }
                output += buffer.prefix(chunk - Int(stream.avail_out))
                guard output.count <= limit else { return false }
                if status == Z_STREAM_END { return stream.avail_in == 0 }
                guard status == Z_OK, stream.avail_in > 0 || stream.avail_out == 0 else { return false }
            }
        }
        return isWhole ? output : nil
    }
}
