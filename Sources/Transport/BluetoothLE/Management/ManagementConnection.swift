internal import HybridTransport
internal import NIOCore
internal import NIOPosix

/// A connection to the kernel's management interface.
///
/// The socket belongs to one event loop of NIO's. Answers go to the tasks that wait for them; what comes unasked goes
/// to a closure, on that loop and in order.
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
    /// - Throws: ``RadioError``; what `body` throws.
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
        return try await withTaskCancellationHandler {
            try await answer.get()
        } onCancel: {
            loop.execute { client.value.cancel(answer) }
        }
    }
}
