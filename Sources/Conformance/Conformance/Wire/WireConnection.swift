internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A TCP or TLS connection on which a case sends whatever bytes it wants, and keeps those that arrive.
actor WireConnection {
    /// The other side ended the connection before the awaited bytes came.
    struct Ended: Error {}

    /// Bytes, when they came, and whether the last message lay unread then.
    private typealias Arrival = (bytes: [UInt8], time: ContinuousClock.Instant, isBehind: Bool)

    nonisolated let channel: any Channel
    nonisolated let record: CaseRecord
    /// The number of the connection among those of its case, from 1.
    private nonisolated let number: Int
    private nonisolated let inbox: Mailbox<Arrival>
    /// The state of delivery to the peer; nil where it does not matter.
    private nonisolated let delivery: Delivery?
    /// The lengths of the peer's TLS records; nil without TLS.
    private nonisolated let records: RecordTap?
    /// The number of records that came before the upgrade.
    private var earlierRecordCount = 0
    /// The lengths of the frames that were taken.
    private var frameByteCounts: [Int] = []
    private var received: [UInt8] = []
    /// The time at which the last of the bytes came that were asked for.
    private var arrival = ContinuousClock.now
    /// True if the last message lay unread then.
    private var isBehind = false
    private var position = 0

    /// More than this is read from no connection before a case asks for it, bytes.
    private static let headLimit = 64 << 10

    private init(
        _ channel: any Channel, _ inbox: Mailbox<Arrival>, _ record: CaseRecord, _ delivery: Delivery?,
        _ records: RecordTap?
    ) {
        self.channel = channel
        self.inbox = inbox
        self.record = record
        self.delivery = delivery
        self.records = records
        number = record.nextConnection()
    }

    /// The name of one of the connection's uses in the transcript of its case.
    nonisolated func name(_ use: String) -> String { number == 1 ? use : "\(use) \(number)" }

    /// Takes over a channel whose handlers are not set up yet.
    ///
    /// - Parameter tls: its TLS handler; nil for none.
    static func setUp(_ channel: any Channel, tls: NIOSSLHandler?, _ record: CaseRecord) throws -> WireConnection {
        let inbox = Mailbox<Arrival>()
        let delivery = record.needsDelivery ? record.track { await TransportTap.ask(channel, $0, isLast: $1) } : nil
        if let delivery { try channel.pipeline.syncOperations.addHandler(TransportTap(delivery)) }
        let records = tls.map { _ in RecordTap() }
        if let records { try channel.pipeline.syncOperations.addHandler(records) }
        if let tls { try channel.pipeline.syncOperations.addHandler(tls) }
        try channel.pipeline.syncOperations.addHandler(Collector(inbox, delivery))
        return WireConnection(channel, inbox, record, delivery, records)
    }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - target: the address of the server.
    ///   - isReading: false to read nothing at all, also nothing of TLS's handshake.
    ///   - record: that of the case.
    static func connect(
        to target: WireTarget, isReading: Bool = true, _ record: CaseRecord = CaseRecord()
    ) async throws -> WireConnection {
        let attempts = Mailbox<WireConnection>()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: isReading)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try target.tls.map {
                        try NIOSSLClientHandler(context: $0, serverHostname: target.serverName)
                    }
                    attempts.put(try setUp(channel, tls: tls, record))
                }
            }
            .connect(host: target.host, port: target.port).get()
        // Each address that was tried has one: of localhost, ::1 may be refused before 127.0.0.1.
        guard let connection = attempts.takeAll().first(where: { $0.channel === channel }) else { throw Ended() }
        return connection
    }

    /// Sends bytes, and returns when the system has taken them or the connection is gone, which a case learns by
    /// reading.
    ///
    /// - Parameters:
    ///   - what: the kind of message, for the transcript; nil if it is there already.
    ///   - mustArrive: false of bytes that only end the connection, or keep it alive.
    func send(_ bytes: [UInt8], _ what: String? = "bytes", mustArrive: Bool = true) async {
        if let what { record.transcript.sent(name("HTTP"), what, bytes) }
        if mustArrive { delivery?.willSend(byteCount: bytes.count) }
        await withTaskCancellationHandler {
            do { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() } catch {
                if mustArrive { delivery?.couldNotSend() }
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Sends text.
    func send(_ text: String) async { await send(Array(text.utf8)) }

    /// Sends bytes one at a time, each in a packet of its own as far as the system goes along.
    func sendByteByByte(_ bytes: [UInt8]) async throws {
        for byte in bytes {
            await send([byte])
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Sends bytes in several TLS records that arrive apart as far as the system goes along.
    ///
    /// - Throws: ``NotApplicable`` without TLS.
    func send(records pieces: [[UInt8]]) async throws {
        try requireTLS()
        for piece in pieces {
            await send(piece)
            try await Task.sleep(for: Self.recordInterval)
        }
    }

    /// The pause after a record of several.
    private static let recordInterval = Duration.milliseconds(20)

    /// Demands that there are TLS records.
    ///
    /// - Throws: ``NotApplicable``.
    nonisolated func requireTLS() throws {
        guard records != nil else { throw NotApplicable("the connection has no TLS") }
    }

    /// True if bytes have come, without TLS's, that were not taken.
    nonisolated var hasUnread: Bool { inbox.hasElements }

    /// True if something of TLS has come.
    nonisolated var hasReceived: Bool { records?.hasReceived ?? false }

    /// The TLS records of the frames that were taken; of no frames without TLS.
    var frameRecords: FrameRecords {
        FrameRecords(
            frames: frameByteCounts, encrypted: Array((records?.byteCounts ?? []).dropFirst(earlierRecordCount)))
    }

    /// Notes the length of a frame that was taken.
    func noteFrame(byteCount: Int) { frameByteCounts.append(byteCount) }

    /// Takes `count` bytes.
    ///
    /// - Throws: ``Ended``, `CancellationError`.
    func take(_ count: Int) async throws -> [UInt8] {
        while received.count - position < count { try await more() }
        return advance(count)
    }

    /// Takes the bytes up to and including an empty line; nil if the line does not come soon enough.
    func takeHead() async throws -> [UInt8]? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            let rest = received[position...]
            if let range = rest.firstRange(of: end) {
                let head = advance(range.upperBound - position)
                earlierRecordCount = records?.byteCounts.count ?? 0
                record.transcript.received(name("HTTP"), "head", head)
                return head
            }
            guard rest.count <= Self.headLimit else { return nil }
            try await more()
        }
    }

    /// Waits until the other side ends the connection, and returns the bytes that came before.
    func takeToEnd() async throws -> [UInt8] {
        do {
            while true { try await more() }
        } catch is Ended {
            return advance(received.count - position)
        }
    }

    /// Reads nothing more: later bytes stay with the system, and then with the other side.
    func stopReading() async { try? await channel.setOption(.autoRead, value: false).get() }

    /// Ends the connection, with TLS's close alert where there is TLS.
    nonisolated func close() async { try? await channel.close().get() }

    /// Ends our direction only.
    nonisolated func closeOutput() async { try? await channel.close(mode: .output).get() }

    /// Ends the connection with a TCP reset.
    nonisolated func reset() async {
        if let provider = channel as? any SocketOptionProvider {
            try? await provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        await close()
    }

    private func more() async throws {
        guard let next = try await inbox.next() else {
            record.transcript.note(name("tunnel"), "the peer ended the connection")
            throw Ended()
        }
        received.removeFirst(position)
        position = 0
        received += next.bytes
        arrival = next.time
        isBehind = next.isBehind
    }

    /// Notes that the last bytes that were taken say that the peer will read no more.
    func noteGoodbye() { delivery?.saidGoodbye(at: arrival, isBehind: isBehind) }

    private func advance(_ count: Int) -> [UInt8] {
        defer { position += count }
        return Array(received[position..<position + count])
    }

    /// Puts received bytes into the inbox.
    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let inbox: Mailbox<Arrival>
        private let delivery: Delivery?

        init(_ inbox: Mailbox<Arrival>, _ delivery: Delivery?) {
            self.inbox = inbox
            self.delivery = delivery
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            inbox.put((Array(unwrapInboundIn(data).readableBytesView), .now, delivery?.isBehind ?? false))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { inbox.finish() }
        }

        func channelInactive(context: ChannelHandlerContext) { inbox.finish() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            inbox.finish()
            context.close(promise: nil)
        }
    }
}

/// The address of a server.
struct WireTarget: Sendable {
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// The TLS context; nil for no TLS.
    let tls: NIOSSLContext?

    /// The name that TLS asks for; nil for an address, which it cannot name.
    var serverName: String? {
        (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
    }

    /// The value of a `Host` field.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
