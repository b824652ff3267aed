internal import Cryptography
package import HybridProtocol

/// One end of a session of an application's messages: sends and receives them, whole, authenticated and in order.
///
/// ``ClientCeremony`` and ``AuthenticatorCeremony`` open it for a QR code of an application's own scheme. It listens
/// all the time, so that a peer that leaves while the user is asked is noticed at once.
package actor MessageChannel<Codec: MessageCodec> {
    private var session: MessageSession<Codec>
    private let channel: any DataChannel
    private var assembler: MessageAssembler
    private let context: CeremonyContext
    private let messages: AsyncThrowingStream<Codec.Message, any Error>
    private let feed: AsyncThrowingStream<Codec.Message, any Error>.Continuation
    /// The number of messages that have arrived and were not received, and the signal of one that was.
    private var waitingCount = 0
    private let takings: AsyncStream<Void>
    private let taking: AsyncStream<Void>.Continuation
    /// The error that has ended the session; nil while it goes on.
    private var end: (any Error)?
    private var questions: [AsyncStream<Never>.Continuation] = []

    /// The most messages that have arrived and wait to be received: 8, of up to 1 MiB each. Until one is taken, no more
    /// are read, and the peer's end is not noticed.
    package static var maximumWaitingCount: Int { 8 }

    init(
        _ session: consuming MessageSession<Codec>, on channel: any DataChannel, assembler: MessageAssembler,
        context: CeremonyContext
    ) {
        self.session = session
        self.channel = channel
        self.assembler = assembler
        self.context = context
        (messages, feed) = AsyncThrowingStream.makeStream()
        (takings, taking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The state of the messages. Anything may be changed in it but the values that both ends have to agree on.
    package var codec: Codec {
        get { session.codec }
        set { session.codec = newValue }
    }

    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret.
    package var handshakeHash: [UInt8] { session.handshakeHash }

    /// Sends a message.
    ///
    /// - Parameter message: one that the codec encodes in 1 MiB at most.
    /// - Throws: ``HybridTransportError``; the codec's error for the peer's last message, if the peer has ended the
    ///   session with it. After any error the session is over.
    package func send(_ message: Codec.Message) async throws {
        if let end { throw failure(end) }
        do {
            let frame = try session.seal(message)
            try await context.within(context.limits.command, on: channel) { try await channel.sendMessage(frame) }
        } catch {
            // Of a channel that is gone the listener knows why.
            throw failure(error is DataChannelError ? end ?? error : error)
        }
    }

    /// Waits for the peer's next message, as long as a user may take.
    ///
    /// - Throws: as ``send(_:)``.
    package func receive() async throws -> Codec.Message {
        do {
            let message = try await context.within(context.limits.command, endedBy: { [feed] in feed.finish() }) {
                [messages] in
                for try await message in messages { return message }
                throw CancellationError()
            }
            waitingCount -= 1
            taking.yield()
            return message
        } catch {
            throw failure(error)
        }
    }

    /// Runs `body`, such as a question to the user, and cancels it if the peer leaves or ends the session meanwhile.
    ///
    /// - Throws: as ``send(_:)`` if that happened; otherwise the error of `body`.
    package func whileOpen<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let end = watchEnd()
        let outcome = await withTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                for await _ in end {}
                return nil
            }
            var outcome: Result<Value, any Error>?
            while let finished = await group.next() {
                outcome = finished ?? outcome
                group.cancelAll()
            }
            return outcome ?? .failure(CancellationError())
        }
        if let end = self.end { throw failure(end) }
        return try outcome.get()
    }

    /// Sends a last message, for a moment only, unless the session has ended already. If the channel is gone, that
    /// reaches nobody.
    package func sendLast(_ message: Codec.Message) async {
        guard end == nil, let frame = try? session.seal(message) else { return }
        try? await context.within(context.limits.closing, on: channel) { try await channel.sendMessage(frame) }
    }

    /// Closes the channel. The ceremony does so, too, when the application has returned.
    package func close() async { await channel.close() }

    private func watchEnd() -> AsyncStream<Never> {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        if end == nil { questions.append(continuation) } else { continuation.finish() }
        return stream
    }

    private func failure(_ error: any Error) -> any Error {
        (error as? EndedByPeer)?.error ?? context.failure(error)
    }

    /// Listens while `body` runs, and closes the channel whatever the way out of it.
    nonisolated func withSession<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        context.expect(.commandAnswered)
        // Both in tasks of their own: ours may be cancelled, and the peer should hear of the end even so. The listener
        // ends with the channel.
        let listener = Task { await listen() }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        await Task { await channel.close() }.value
        taking.finish()
        await listener.value
        return try outcome.get()
    }

    private func listen() async {
        do {
            while true {
                let message = try await nextMessage()
                if let error = Codec.failure(of: message) { throw EndedByPeer(error: error) }
                waitingCount += 1
                feed.yield(message)
                if session.isOver { throw DataChannelError(.closed, reason: "the messages are complete") }
                while waitingCount >= Self.maximumWaitingCount {
                    guard await takings.first(where: { _ in true }) != nil else { throw CancellationError() }
                }
            }
        } catch {
            if end == nil { end = error }
            feed.finish(throwing: error)
            for question in questions { question.finish() }
            questions = []
            // The rest is nobody's; and a close of the peer's is answered.
            if !session.isOver { await channel.close() }
        }
    }

    private func nextMessage() async throws -> Codec.Message {
        while true {
            let message = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                isWhole ? try session.open(frame) : try session.openIfFrame(frame)
            }
            if let message { return message }
            try assembler.append(await channel.receivePiece(isHalfway: !assembler.isBetweenMessages))
        }
    }
}

/// The error of an application with which the peer has ended the session.
private struct EndedByPeer: Error {
    let error: any Error
}
