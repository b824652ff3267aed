public import HybridProtocol

/// One end of a hand-over that is under way: sends and receives its messages, in their order.
///
/// It listens all the time, so that a peer that stops or leaves while the user is asked is noticed at once.
public actor HandOverConnection {
    private var session: HandOverSession
    private let channel: any DataChannel
    private var assembler: MessageAssembler
    private let context: CeremonyContext
    private let messages: AsyncThrowingStream<HandOverMessage, any Error>
    private let feed: AsyncThrowingStream<HandOverMessage, any Error>.Continuation
    /// The error that has ended the session; nil while it goes on.
    private var end: (any Error)?
    private var questions: [AsyncStream<Never>.Continuation] = []
    private var mayStop = true

    /// Our end.
    public nonisolated let role: HandOverSession.Role

    init(
        _ session: consuming HandOverSession, on channel: any DataChannel, assembler: MessageAssembler,
        context: CeremonyContext
    ) {
        role = session.role
        self.session = session
        self.channel = channel
        self.assembler = assembler
        self.context = context
        (messages, feed) = AsyncThrowingStream.makeStream()
    }

    /// The number that both people compare; nil before both ends know it.
    public var code: ComparisonCode? { session.code }

    /// The receiver's commitment to its number, for its first message.
    ///
    /// - Parameter nonce: 32 random bytes, for this session.
    /// - Throws: ``HybridTransportError``.
    public func commitment(to nonce: [UInt8]) throws -> [UInt8] {
        do throws(HybridProtocolError) {
            return try session.commitment(to: nonce)
        } catch {
            throw context.failure(error)
        }
    }

    /// Sends the message whose turn it is.
    ///
    /// - Throws: ``HybridTransportError``; after any error the session is over. ``HandOverStopped`` if the peer has
    ///   stopped.
    public func send(_ message: HandOverMessage) async throws {
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
    /// - Throws: ``HybridTransportError``; ``HandOverStopped`` if the peer has stopped.
    public func receive() async throws -> HandOverMessage {
        do {
            return try await context.within(context.limits.command, endedBy: { [feed] in feed.finish() }) {
                [messages] in
                for try await message in messages { return message }
                throw CancellationError()
            }
        } catch {
            throw failure(error)
        }
    }

    /// Runs `body`, such as a question to the user, and cancels it if the peer stops or leaves meanwhile.
    ///
    /// - Throws: ``HybridTransportError`` or ``HandOverStopped`` if that happened; otherwise what `body` threw.
    public func whileOpen<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
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

    /// Says that from now on no stop is sent: it would say that nothing of the payload was kept, which is not certain
    /// any more.
    public func withholdStop() { mayStop = false }

    private func watchEnd() -> AsyncStream<Never> {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        if end == nil { questions.append(continuation) } else { continuation.finish() }
        return stream
    }

    private func failure(_ error: any Error) -> any Error {
        error is HandOverStopped ? error : context.failure(error)
    }

    /// Listens while `body` runs, and ends the session whatever the way out of it: with the reason, if the hand-over is
    /// not complete and nothing was kept, then with the channel's own close.
    nonisolated func withSession<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        context.expect(.commandAnswered)
        // Both in tasks of their own: ours may be cancelled, and the peer should hear of the end even so. The listener
        // ends with the channel.
        let listener = Task { await listen() }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        if case .failure(let error) = outcome {
            let reason: HandOverStop = error is CancellationError || Task.isCancelled ? .cancelled : .failed
            await Task { await stop(reason) }.value
        }
        await Task { await channel.close() }.value
        await listener.value
        return try outcome.get()
    }

    private func listen() async {
        do {
            while true {
                let message = try await nextMessage()
                if case .stopped(let reason) = message { throw HandOverStopped(reason: reason) }
                feed.yield(message)
                if session.isOver { throw DataChannelError(.closed, reason: "the hand-over is complete") }
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

    private func nextMessage() async throws -> HandOverMessage {
        while true {
            let message = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                isWhole ? try session.open(frame) : try session.openIfFrame(frame)
            }
            if let message { return message }
            try assembler.append(await channel.receivePiece(isHalfway: !assembler.isBetweenMessages))
        }
    }

    /// Tells the peer why the hand-over ends, unless it has ended already, or the stop is withheld. If the channel is
    /// gone, that reaches nobody.
    public func stop(_ reason: HandOverStop) async {
        guard mayStop, end == nil, let frame = try? session.seal(.stopped(reason)) else { return }
        try? await context.within(context.limits.closing, on: channel) { try await channel.sendMessage(frame) }
    }
}

/// The peer has ended a hand-over before it was complete, and kept nothing of it.
public struct HandOverStopped: Error, Sendable, Hashable {
    /// The reason that it gave.
    public let reason: HandOverStop
}
