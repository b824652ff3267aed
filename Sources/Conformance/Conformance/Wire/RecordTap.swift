internal import NIOCore
internal import Synchronization

/// The handler below TLS that notes the lengths of the peer's application-data records.
///
/// In TLS 1.3 the encrypted messages of the handshake are such records, too: those before the upgrade are left
/// out by ``FrameRecords``.
final class RecordTap: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let state = Mutex((headers: RecordHeaders(), byteCounts: [Int](), hasReceived: false))

    /// Records beyond this number are not noted.
    private static let limit = 4_096

    /// Lengths of the records so far, encrypted, in bytes.
    var byteCounts: [Int] { state.withLock(\.byteCounts) }

    /// True if anything has come, such as the beginning of TLS's handshake.
    var hasReceived: Bool { state.withLock(\.hasReceived) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        state.withLock { state in
            state.hasReceived = true
            let found = state.headers.read(bytes)
            state.byteCounts += found.prefix(Self.limit - state.byteCounts.count)
        }
        context.fireChannelRead(data)
    }
}

/// Reader of the headers in a stream of TLS records (RFC 8446 section 5.1; RFC 5246 section 6.2.1).
struct RecordHeaders {
    private var header: [UInt8] = []
    /// Bytes of the record that are still to come.
    private var remainingByteCount = 0

    private static let byteCount = 5
    /// Content type application_data.
    private static let applicationData: UInt8 = 23

    /// Lengths of the application-data records whose headers end within these bytes, encrypted.
    mutating func read(_ bytes: some Collection<UInt8>) -> [Int] {
        var found: [Int] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            if remainingByteCount > 0 {
                let count = min(remainingByteCount, rest.count)
                rest = rest.dropFirst(count)
                remainingByteCount -= count
                continue
            }
            let part = rest.prefix(Self.byteCount - header.count)
            header += part
            rest = rest.dropFirst(part.count)
            guard header.count == Self.byteCount else { break }
            remainingByteCount = Int(header[3]) << 8 | Int(header[4])
            if header[0] == Self.applicationData { found.append(remainingByteCount) }
            header = []
        }
        return found
    }
}
