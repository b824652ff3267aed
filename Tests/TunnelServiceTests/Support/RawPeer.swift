import Glibc
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TestPeers
import Testing

/// A peer that sends whatever bytes a test wants and keeps the bytes that it gets.
final class RawPeer: Sendable {
    struct TimedOut: Error, CustomStringConvertible {
        let awaited: String
        var description: String { "timed out waiting for \(awaited)" }
    }

    private struct State {
        private var all: [UInt8] = []
        private var takenCount = 0
        var isClosed = false
        var waiters: [EventLoopPromise<Void>] = []

        var received: ArraySlice<UInt8> { all[takenCount...] }

        mutating func append(_ bytes: some Sequence<UInt8>) { all.append(contentsOf: bytes) }

        mutating func take(_ count: Int) -> [UInt8] {
            let bytes = Array(received.prefix(count))
            takenCount += bytes.count
            // Not at every turn: that would move everything behind each time.
            if takenCount > all.count / 2 {
                all.removeFirst(takenCount)
                takenCount = 0
            }
            return bytes
        }
    }

    /// The service ended the connection before the awaited bytes came.
    struct Ended: Error, CustomStringConvertible {
        let awaited: String
        var description: String { "the connection ended before \(awaited)" }
    }

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let state: NIOLockedValueBox<State>

        init(_ state: NIOLockedValueBox<State>) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data).readableBytesView
            change { $0.append(bytes) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { change { $0.isClosed = true } }
        }

        func channelInactive(context: ChannelHandlerContext) { change { $0.isClosed = true } }

        private func change(_ body: (inout State) -> Void) {
            let waiters = state.withLockedValue { state in
                body(&state)
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.succeed(()) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    static let timeout = Duration.seconds(60)

    private let channel: any Channel
    private let state: NIOLockedValueBox<State>

    private init(channel: any Channel, state: NIOLockedValueBox<State>) {
        self.channel = channel
        self.state = state
    }

    /// Connects to a port on loopback.
    ///
    /// - Parameters:
    ///   - tls: how to speak TLS, or `nil` for none.
    ///   - records: notes the records that come in; with TLS only.
    ///   - reading: whether to read at all.
    ///   - group: has the event loop of the peer.
    static func connect(
        _ port: Int, tls: NIOSSLContext? = nil, records: RecordLengths? = nil, reading: Bool = true,
        host: String = "127.0.0.1", on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> RawPeer {
        let state = NIOLockedValueBox(State())
        let channel = try await ClientBootstrap(group: group)
            .channelOption(ChannelOptions.autoRead, value: reading)
            .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let records { try channel.pipeline.syncOperations.addHandler(records) }
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: nil)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
            .connect(host: host, port: port).get()
        return RawPeer(channel: channel, state: state)
    }

    /// Speaks TLS from now on.
    func startTLS(_ context: NIOSSLContext) async throws {
        let channel = channel
        try await channel.eventLoop.submit {
            let handler = try NIOSSLClientHandler(context: context, serverHostname: nil)
            try channel.pipeline.syncOperations.addHandler(handler, position: .first)
        }.get()
    }

    /// Lets the kernel drop all that arrives from now on, before it acknowledges it: as if the machine were gone.
    func dropWhatArrives() async throws {
        guard let provider = channel as? any SocketOptionProvider else { throw Ended(awaited: "a socket") }
        // A classic BPF program of one instruction, BPF_RET of 0 bytes, and its sock_fprog: a count and a pointer.
        let program = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        defer { program.deallocate() }
        program.initialize(to: 6)
        let filter = (count: UInt16(1), program: UInt(bitPattern: program))
        try await provider.unsafeSetSocketOption(level: .socket, name: .init(rawValue: SO_ATTACH_FILTER), value: filter)
            .get()
    }

    /// Sends bytes, and returns when the kernel has them.
    func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Sends bytes soon: at once if this is the peer's event loop.
    func write(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Hands the data that comes from now on to a handler, and keeps nothing of it.
    func hand(to handler: some ChannelHandler & Sendable) async throws {
        try await channel.eventLoop.submit { [channel] in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(handler, position: .before(pipeline.handler(type: Collector.self)))
        }.get()
    }

    /// Sends parts in one go; under TLS each is a record of its own, if it is not longer than one.
    func send(records parts: [some Sequence<UInt8> & Sendable]) async throws {
        try await channel.eventLoop.flatSubmit { [channel] in
            for part in parts { channel.write(ByteBuffer(bytes: part), promise: nil) }
            return channel.writeAndFlush(ByteBuffer())
        }.get()
    }

    /// Sends text.
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Reads from now on.
    func startReading() async throws { try await channel.setOption(ChannelOptions.autoRead, value: true).get() }

    /// Ends the connection.
    func close() async { try? await channel.close().get() }

    /// Ends our direction only.
    func closeOutput() async { try? await channel.close(mode: .output).get() }

    /// Ends the connection with a reset.
    func reset() async throws {
        let provider = try #require(channel as? any SocketOptionProvider)
        try await provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        await close()
    }

    /// The number of bytes that have come and have not been taken.
    var receivedCount: Int { state.withLockedValue { $0.received.count } }

    /// True if the service has ended its direction.
    var isClosed: Bool { state.withLockedValue { $0.isClosed } }

    /// Takes `count` bytes.
    func take(_ count: Int) async throws -> [UInt8] {
        try await until("\(count) bytes") { state in
            guard state.received.count >= count else { return nil }
            return state.take(count)
        }
    }

    /// Takes the bytes up to and including `end`.
    func take(upTo end: [UInt8]) async throws -> [UInt8] {
        try await until("a delimiter") { state in
            guard let range = state.received.firstRange(of: end) else { return nil }
            return state.take(range.upperBound - state.received.startIndex)
        }
    }

    /// Waits until the service has ended its direction, and takes the bytes that came before.
    func takeToEnd() async throws -> [UInt8] {
        try await until("the end") { state in
            guard state.isClosed else { return nil }
            return state.take(state.received.count)
        }
    }

    private func until<Result>(
        _ awaited: String, _ look: @Sendable (inout State) -> Result?
    ) async throws -> Result {
        if let result = state.withLockedValue({ look(&$0) }) { return result }
        let timedOut = channel.eventLoop.makePromise(of: Void.self)
        let timeout = channel.eventLoop.scheduleTask(in: TimeAmount(Self.timeout)) {
            timedOut.fail(TimedOut(awaited: awaited))
        }
        defer {
            timeout.cancel()
            timedOut.succeed(())
        }
        while true {
            let changed = channel.eventLoop.makePromise(of: Void.self)
            timedOut.futureResult.cascadeFailure(to: changed)
            let found = state.withLockedValue { state -> Swift.Result<Result, Ended>? in
                if let result = look(&state) { return .success(result) }
                if state.isClosed { return .failure(Ended(awaited: awaited)) }
                state.waiters.append(changed)
                return nil
            }
            if let found {
                changed.succeed(())
                return try found.get()
            }
            try await changed.futureResult.get()
        }
    }
}
