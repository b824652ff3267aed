public import NIOCore
import Synchronization

/// Notes the TLS records that come in. It stands before TLS in a pipeline.
public final class RecordLengths: ChannelInboundHandler, Sendable {
    /// Bytes from the network.
    public typealias InboundIn = ByteBuffer
    /// The same bytes, handed on.
    public typealias InboundOut = ByteBuffer

    /// The bytes of a record of TLS 1.3 besides its contents: the type within, and the tag.
    private static let sealing = 17
    private static let headLength = 5
    private static let applicationData: UInt8 = 23

    private struct State {
        var unread: [UInt8] = []
        var contents: [Int] = []
        var reads: [Int] = []
    }

    private let state = Mutex(State())

    /// Has noted nothing yet.
    public init() {}

    /// The bytes in each record of the type application data, under TLS 1.3, in the order in which they came.
    public var contents: [Int] { state.withLock { $0.contents } }

    /// The number of such records that each read has brought to their end.
    public var reads: [Int] { state.withLock { $0.reads } }

    /// Notes the records that are whole, and hands the bytes on.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        state.withLock { state in
            state.unread += bytes
            let before = state.contents.count
            defer { state.reads.append(state.contents.count - before) }
            while state.unread.count >= Self.headLength {
                let length = Int(state.unread[3]) << 8 | Int(state.unread[4])
                guard state.unread.count >= Self.headLength + length else { return }
                if state.unread[0] == Self.applicationData { state.contents.append(length - Self.sealing) }
                state.unread.removeFirst(Self.headLength + length)
            }
        }
        context.fireChannelRead(data)
    }
}
