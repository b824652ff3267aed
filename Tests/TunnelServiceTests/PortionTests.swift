import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOWebSocket
import Testing

@testable import TunnelService

@Suite("What a connection brings in")
struct PortionTests {
    /// Reads on as soon as a read has ended, or when told, and keeps the frames.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame

        var frames: [WebSocketFrame] = []
        var readsOn = true
        var isClosed = false
        var errors = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { frames.append(unwrapInboundIn(data)) }
        func channelReadComplete(context: ChannelHandlerContext) { if readsOn { context.read() } }
        func channelInactive(context: ChannelHandlerContext) { isClosed = true }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors += 1 }
    }

    /// Counts the reads that reach the socket.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var reads = 0
        func read(context: ChannelHandlerContext) { reads += 1 }
    }

    private let channel = EmbeddedChannel()
    private let reader = Reader()
    private let socket = Socket()
    private let handler = PortionHandler(FramePortions(maximumFrameBytes: 1_000), turns: PortionTurns())
    private static let most = FramePortions.largest
    private static let pause = TimeAmount.milliseconds(1)

    init() throws {
        try channel.pipeline.syncOperations.addHandlers([
            socket, handler, reader,
        ])
        channel.pipeline.read()
    }

    private func pings(_ numbers: Range<Int>) -> ByteBuffer {
        ByteBuffer(bytes: numbers.flatMap { [0x89, 0x81, 0, 0, 0, 0, UInt8(truncatingIfNeeded: $0)] })
    }

    private var numbers: [Int] { reader.frames.map { Int($0.data.readableBytesView.first ?? 0) } }

    @Test("is handed on in portions, one in a turn, before anything more is read in a turn of its own")
    func portions() throws {
        try channel.writeInbound(pings(0..<3 * Self.most))
        #expect(numbers == Array(0..<Self.most))
        #expect(socket.reads == 1)
        // Tasks that want to run at once do not bring the next one.
        channel.embeddedEventLoop.run()
        #expect(numbers.count == Self.most)
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(numbers == Array(0..<3 * Self.most))
        #expect(socket.reads == 1)
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(socket.reads == 2)
        // After a portion or less, the next read comes at once again.
        try channel.writeInbound(pings(0..<Self.most))
        #expect(socket.reads == 3)
    }

    @Test("waits until it is asked for")
    func backPressure() throws {
        reader.readsOn = false
        try channel.writeInbound(pings(0..<2 * Self.most))
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(numbers.count == Self.most)
        channel.pipeline.read()
        #expect(socket.reads == 1)
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(numbers.count == 2 * Self.most)
        channel.pipeline.read()
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(socket.reads == 2)
    }

    @Test("keeps its order when more comes before it is handed on", arguments: [1, 5, 100, 4_000])
    func order(pieceSize: Int) throws {
        var bytes = pings(0..<200)
        while let piece = bytes.readSlice(length: min(pieceSize, bytes.readableBytes)), piece.readableBytes > 0 {
            try channel.writeInbound(piece)
        }
        channel.embeddedEventLoop.advanceTime(by: Self.pause * 10)
        #expect(numbers == Array(0..<200))
    }

    @Test("goes on without the end of a read if it is told so, as what was sent with a request is")
    func leftOver() throws {
        channel.pipeline.fireChannelRead(pings(0..<2 * Self.most))
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(numbers.count == Self.most)
        handler.endRead()
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(numbers == Array(0..<2 * Self.most))
    }

    @Test("is handed on at the connection's end, as far as it may be, and before the end")
    func end() throws {
        reader.readsOn = false
        try channel.writeInbound(pings(0..<100 * Self.most))
        channel.pipeline.fireChannelInactive()
        #expect(reader.isClosed)
        #expect(reader.frames.count == 65 * Self.most)
        channel.embeddedEventLoop.advanceTime(by: Self.pause)
        #expect(reader.frames.count == 65 * Self.most)
    }

    @Test("is dropped after an error, which is told once")
    func error() throws {
        try channel.writeInbound(ByteBuffer(bytes: [0x09, 0x80, 0, 0, 0, 0]))
        try channel.writeInbound(pings(0..<3))
        #expect(reader.errors == 1 && reader.frames.isEmpty)
    }
}

@Suite("The turns of connections with portions that wait")
struct PortionTurnsTests {
    private let eventLoop = EmbeddedEventLoop()
    private let turns = PortionTurns()

    @Test("are bounded, in the order in which they came; who has more waits behind the others")
    func order() throws {
        let count = PortionTurns.largest + 10
        let taken = Taken()
        for number in 0..<count { wait(number, twice: true, taken) }
        eventLoop.run()
        #expect(taken.numbers.isEmpty)
        eventLoop.advanceTime(by: PortionTurns.pause)
        #expect(taken.numbers == Array(0..<PortionTurns.largest))
        eventLoop.advanceTime(by: PortionTurns.pause)
        #expect(taken.numbers == (0..<2 * PortionTurns.largest).map { $0 % count })
        eventLoop.advanceTime(by: PortionTurns.pause * 10)
        #expect(taken.numbers == (0..<2 * count).map { $0 % count })
    }

    @Test("come only now and then, if they are to rest before each")
    func rest() throws {
        let turns = PortionTurns(after: .milliseconds(2))
        let taken = Taken()
        for number in 0..<2 * PortionTurns.largest { turns.wait(in: eventLoop) { taken.numbers.append(number) } }
        eventLoop.advanceTime(by: .microseconds(1_999))
        #expect(taken.numbers.isEmpty)
        eventLoop.advanceTime(by: .microseconds(1_999))
        #expect(taken.numbers == Array(0..<PortionTurns.largest))
        eventLoop.advanceTime(by: .microseconds(2))
        #expect(taken.numbers == Array(0..<2 * PortionTurns.largest))
    }

    @Test("go before what has come to a socket once at most, however long the event loop is kept from it")
    func sockets() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (input, output) = (ends[0], ends[1])
        let order = NIOLockedValueBox<[String]>([])
        let taken = eventLoop.makePromise(of: Void.self)
        let socket = try await NIOPipeBootstrap(group: eventLoop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let reading = Reading { order.withLockedValue { $0.append("socket") } }
                try channel.pipeline.syncOperations.addHandler(reading)
            }
        }.takingOwnershipOfDescriptor(input: input).get()
        try await eventLoop.submit {
            let turns = PortionTurns()
            turns.wait(in: eventLoop) {
                order.withLockedValue { $0.append("turn") }
                _ = write(output, [1], 1)
                // As long as a busy machine may keep a process from its processor; the pause between turns is shorter.
                eventLoop.execute { usleep(20_000) }
                turns.wait(in: eventLoop) {
                    order.withLockedValue { $0.append("turn") }
                    eventLoop.execute { usleep(20_000) }
                    turns.wait(in: eventLoop) {
                        order.withLockedValue { $0.append("last turn") }
                        withExtendedLifetime(turns) { taken.succeed() }
                    }
                }
            }
        }.get()
        try await taken.futureResult.get()
        // Where both are ready, either may come first.
        #expect(order.withLockedValue { $0.sorted() } == ["last turn", "socket", "turn", "turn"])
        #expect(order.withLockedValue { $0.last } == "last turn")
        close(output)
        try await socket.closeFuture.get()
        try await group.shutdownGracefully()
    }

    private final class Reading: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { body() }
    }

    private final class Taken { var numbers: [Int] = [] }

    private func wait(_ number: Int, twice: Bool, _ taken: Taken) {
        turns.wait(in: eventLoop) {
            taken.numbers.append(number)
            if twice { wait(number, twice: false, taken) }
        }
    }
}

@Suite("TLS records")
struct TLSRecordTests {
    private func record(_ byteCount: Int) -> [UInt8] {
        [23, 3, 3, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF)] + [UInt8](repeating: 0xFF, count: byteCount)
    }

    private func scan(_ bytes: [UInt8], _ limit: Int = .max) -> TLSRecordScanner.Portion {
        var scanner = TLSRecordScanner()
        return scanner.scan(ByteBuffer(bytes: bytes).readableBytesView, recordsAtMost: limit)
    }

    @Test("are short below 512 bytes", arguments: [(0, 1), (1, 1), (18, 1), (511, 1), (512, 0), (16_401, 0)])
    func short(byteCount: Int, count: Int) {
        #expect(scan(record(byteCount)) == .init(byteCount: 5 + byteCount, shortRecords: count))
    }

    @Test("are found in whatever pieces they come", arguments: [1, 2, 3, 7, 100, 10_000])
    func pieces(pieceSize: Int) {
        let records = [0, 1, 700, 3, 511, 512, 0, 0, 1_000].map(record)
        var bytes = records.joined()[...]
        var scanner = TLSRecordScanner()
        var sum = TLSRecordScanner.Portion()
        while !bytes.isEmpty {
            let piece = bytes.prefix(pieceSize)
            bytes = bytes.dropFirst(pieceSize)
            let portion = scanner.scan(ByteBuffer(bytes: piece).readableBytesView, recordsAtMost: .max)
            #expect(portion.byteCount == piece.count)
            sum.shortRecords += portion.shortRecords
        }
        #expect(sum.shortRecords == 6)
    }

    @Test("are no more than the limit in a portion, which ends behind the last one")
    func limit() {
        let bytes = [1, 2, 3].flatMap(record)
        #expect(scan(bytes, 2) == .init(byteCount: 13, shortRecords: 2))
        #expect(scan(Array(bytes.prefix(12)), 2) == .init(byteCount: 12, shortRecords: 2))
        #expect(scan(bytes, 0) == .init())
    }
}
