internal import Edges
internal import NIOCore
internal import NIOPosix

/// A connection to the kernel's management interface.
///
/// The socket belongs to one thread of NIO's; everybody else asks that one. Answers go to the tasks that wait for them, and what
/// comes unasked goes to a closure, on that thread and in order.
final class ManagementConnection: Sendable {
    /// What comes unasked.
    enum Happening: Sendable {
        case packet(ManagementPacket)
        /// Nothing comes any more.
        case ended(RadioError)
    }

    /// How long the kernel may take to answer: its own limit for a controller's command is 2 s, and powering on takes several.
    static let callLimit = Duration.seconds(20)

    private let channel: any Channel
    private let desk: NIOLoopBound<ManagementDesk>

    private init(_ channel: any Channel, _ desk: NIOLoopBound<ManagementDesk>) {
        self.channel = channel
        self.desk = desk
    }

    /// Keeps a connection while `body` runs, and never longer.
    ///
    /// - Throws: ``RadioError``; what `body` throws.
    static func with<Value: Sendable>(
        _ socket: ManagementSocket, on happening: @escaping @Sendable (Happening) -> Void,
        _ body: @Sendable (ManagementConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await open(socket, happening)
        let result: Result<Value, any Error>
        do { result = .success(try await body(connection)) } catch { result = .failure(error) }
        // It fails only if the connection has ended by itself.
        try? await connection.channel.close().get()
        return try result.get()
    }

    private static func open(
        _ socket: ManagementSocket, _ happening: @escaping @Sendable (Happening) -> Void
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
                            ManagementDesk(descriptor, on: channel.eventLoop, happening))
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor).get()
            let desk = try await channel.eventLoop.submit {
                NIOLoopBound(
                    try channel.pipeline.syncOperations.handler(type: ManagementDesk.self),
                    eventLoop: channel.eventLoop)
            }.get()
            return ManagementConnection(channel, desk)
        } catch {
            throw RadioError(.failed, reason: "the kernel's Bluetooth cannot be used: \(error)")
        }
    }

    /// Sends a command and waits for its answer, whether success or failure.
    ///
    /// - Throws: ``RadioError`` with `controller-unresponsive` or `failed`; `CancellationError`. A command that was sent is
    ///   carried out even if nobody waits any longer.
    func call(_ request: ManagementRequest, within limit: Duration = callLimit) async throws -> ManagementAnswer {
        let loop = channel.eventLoop
        let desk = desk
        let promise = loop.makePromise(of: ManagementAnswer.self)
        let answer = promise.futureResult
        loop.execute { desk.value.send(request, within: limit, promise) }
        return try await withTaskCancellationHandler {
            try await answer.get()
        } onCancel: {
            loop.execute { desk.value.giveUp(answer) }
        }
    }
}
