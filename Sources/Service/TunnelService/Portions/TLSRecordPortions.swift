import NIOCore

/// Hands on TLS records, so many at a time, and counts those that are short; their contents are not looked at.
struct TLSRecordPortions: InboundPortions {
    /// The most records of a portion.
    static let largest = 32

    private let connection: ConnectionHandler
    private var scanner = TLSRecordScanner()
    /// True if there were too many: the rest is dropped.
    private var isOver = false

    /// Counts the records of this connection.
    init(connection: ConnectionHandler) { self.connection = connection }

    mutating func handOn(from bytes: inout ByteBuffer, in context: ChannelHandlerContext) throws -> Bool {
        if !isOver {
            let portion = scanner.scan(bytes.readableBytesView, recordsAtMost: Self.largest)
            isOver = !connection.mayTake(shortRecords: portion.shortRecords)
            if !isOver, let part = bytes.readSlice(length: portion.byteCount) {
                let isAll = bytes.readableBytes == 0
                if isAll { bytes = ByteBuffer() }
                context.fireChannelRead(NIOAny(part))
                return !isAll
            }
        }
        connection.drop(byteCount: bytes.readableBytes)
        bytes.clear()
        return false
    }
}

/// Finds where TLS records begin and end in a stream of bytes (RFC 8446 section 5.1).
struct TLSRecordScanner {
    /// A part of the stream.
    struct Portion: Equatable {
        /// Its length.
        var byteCount = 0
        /// The number of heads in it of records that are short.
        var shortRecords = 0
    }

    /// Contents of this length or longer do not make a short record, bytes. They are sealed: a frame in it is shorter.
    static let shortestLongRecord = 512

    private static let headLength = 5
    private static let lengthField = 3..<5

    /// The bytes of the head that have come.
    private var headCount = 0
    private var length = 0
    /// The bytes of the contents that have not come.
    private var remaining = 0

    /// Goes on through the stream.
    ///
    /// - Parameter limit: the most records whose heads end in the portion.
    /// - Returns: as much from the beginning of `bytes` as has no more records than that.
    mutating func scan(_ bytes: ByteBufferView, recordsAtMost limit: Int) -> Portion {
        var portion = Portion()
        var records = 0
        while portion.byteCount < bytes.count {
            let left = bytes.count - portion.byteCount
            if remaining > 0 {
                let count = min(remaining, left)
                remaining -= count
                portion.byteCount += count
            } else if records == limit {
                break
            } else {
                take(bytes[bytes.startIndex + portion.byteCount])
                portion.byteCount += 1
                guard headCount == Self.headLength else { continue }
                records += 1
                if length < Self.shortestLongRecord { portion.shortRecords += 1 }
                (headCount, remaining, length) = (0, length, 0)
            }
        }
        return portion
    }

    private mutating func take(_ byte: UInt8) {
        if Self.lengthField.contains(headCount) { length = length << UInt8.bitWidth | Int(byte) }
        headCount += 1
    }
}
