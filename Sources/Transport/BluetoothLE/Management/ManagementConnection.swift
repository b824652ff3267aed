internal import Glibc
internal import HybridProtocol
internal import NIOCore
internal import NIOPosix
internal import SystemPackage

/// A connection to the kernel's management interface.
///
/// The socket belongs to one event loop of NIO's. Answers go to the tasks that wait for them; unsolicited packets go to
/// a closure, on that loop and in order.
final class ManagementConnection: Sendable {
    /// A packet that no command asked for, or the end.
    enum Event: Sendable {
        case packet(ManagementPacket)
        /// Nothing comes any more.
        case ended(RadioError)
    }

    /// Longest time that the kernel may take to answer: its own limit for a controller's command is 2 s, and powering
    /// on takes several.
    static let callLimit = Duration.seconds(20)

    private let channel: any Channel
    private let client: NIOLoopBound<ManagementClient>

    private init(_ channel: any Channel, _ client: NIOLoopBound<ManagementClient>) {
        self.channel = channel
        self.client = client
    }

    /// Keeps a connection while `body` runs, and never longer.
    ///
    /// - Throws: ``RadioError``; the errors of `body`.
    static func with<Value: Sendable>(
        _ socket: ManagementSocket, on event: @escaping @Sendable (Event) -> Void,
        _ body: @Sendable (ManagementConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await open(socket, event)
        let result: Result<Value, any Error>
        do { result = .success(try await body(connection)) } catch { result = .failure(error) }
        // It fails only if the connection has ended by itself.
        try? await connection.channel.close().get()
        return try result.get()
    }

    private static func open(
        _ socket: ManagementSocket, _ event: @escaping @Sendable (Event) -> Void
    ) async throws(RadioError) -> ManagementConnection {
        let descriptor = try socket.open()
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        do {
            let channel = try await NIOPipeBootstrap(group: loop)
                .channelOption(
                    .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: ManagementPacket.longest)
                )
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            ManagementClient(descriptor, on: channel.eventLoop, event))
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor).get()
            let client = try await channel.eventLoop.submit {
                NIOLoopBound(
                    try channel.pipeline.syncOperations.handler(type: ManagementClient.self),
                    eventLoop: channel.eventLoop)
            }.get()
            return ManagementConnection(channel, client)
        } catch {
            throw RadioError(.failed, reason: "the kernel's Bluetooth cannot be used: \(error)")
        }
    }

    /// Sends a command and waits for its answer, whether success or failure.
    ///
    /// - Throws: ``RadioError`` with `controller-unresponsive` or `failed`; `CancellationError`. A command that was
    ///   sent is carried out even if its task is cancelled.
    func call(_ request: ManagementRequest, within limit: Duration = callLimit) async throws -> ManagementAnswer {
        let loop = channel.eventLoop
        let client = client
        let promise = loop.makePromise(of: ManagementAnswer.self)
        let answer = promise.futureResult
        loop.execute { client.value.send(request, within: limit, promise) }
        let begin = ContinuousClock.now
        return try await withTaskCancellationHandler {
            let answer = try await answer.get()
            BluetoothLog.note(request, after: .now - begin, answer)
            return answer
        } onCancel: {
            loop.execute { client.value.cancel(answer) }
        }
    }
}

/// Matches answers to commands, on the event loop to which the socket belongs.
final class ManagementClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// A command that the kernel has not answered.
    private struct Pending {
        let request: ManagementRequest
        /// Nil once the task was cancelled; the answer is still expected, so that it is not taken for another's.
        var promise: EventLoopPromise<ManagementAnswer>?
        let deadline: Scheduled<Void>
    }

    private let descriptor: Int32
    private let loop: any EventLoop
    private let event: @Sendable (ManagementConnection.Event) -> Void
    private var pending: [UInt64: Pending] = [:]
    private var nextNumber: UInt64 = 0
    private var isOpen = true

    init(
        _ descriptor: Int32, on loop: any EventLoop,
        _ event: @escaping @Sendable (ManagementConnection.Event) -> Void
    ) {
        self.descriptor = descriptor
        self.loop = loop
        self.event = event
    }

    func send(_ request: ManagementRequest, within limit: Duration, _ promise: EventLoopPromise<ManagementAnswer>) {
        guard isOpen else { return promise.fail(Self.ended) }
        // Past NIO's own way of writing, which would join two commands in one packet when the socket is busy.
        let bytes = request.encoded
        let sent = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        }
        // The kernel takes packets whole or not at all. It returns 0 where it refuses one at once; the answer has the
        // reason.
        guard sent >= 0 else {
            let reason = "the kernel accepted no command: \(Errno(rawValue: errno))"
            return promise.fail(RadioError(.failed, reason: reason))
        }
        let number = nextNumber
        nextNumber &+= 1
        let deadline = loop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { [self] in timeOut(number) }
        pending[number] = Pending(request: request, promise: promise, deadline: deadline)
    }

    /// Ends the wait of a task that was cancelled.
    func cancel(_ answer: EventLoopFuture<ManagementAnswer>) {
        guard let number = pending.first(where: { $0.value.promise?.futureResult === answer })?.key else { return }
        pending[number]?.promise?.fail(CancellationError())
        pending[number]?.promise = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let packet = ManagementPacket(unwrapInboundIn(data).readableBytesView) else { return }
        guard case .answer(let command, let answer) = packet.event else {
            BluetoothLog.note(packet)
            return event(.packet(packet))
        }
        // The kernel answers alike commands in the order in which they came.
        let asked = pending.filter {
            $0.value.request.command.rawValue == command && $0.value.request.index == packet.index
        }
        guard let number = asked.keys.min(), let answered = pending.removeValue(forKey: number) else { return }
        answered.deadline.cancel()
        answered.promise?.succeed(answer)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        isOpen = false
        for waiting in pending.values {
            waiting.deadline.cancel()
            waiting.promise?.fail(Self.ended)
        }
        pending = [:]
        event(.ended(Self.ended))
    }

    private func timeOut(_ number: UInt64) {
        guard let late = pending.removeValue(forKey: number) else { return }
        late.promise?.fail(
            RadioError(.controllerUnresponsive, reason: "the kernel did not answer \(late.request.command) in time"))
    }

    private static let ended = RadioError(.failed, reason: "the connection to the kernel's Bluetooth ended")
}
