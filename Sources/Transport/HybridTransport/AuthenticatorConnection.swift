internal import HybridProtocol
internal import LinuxSupport

/// The authenticator's end of a session that is ready for requests: reads and answers at the same time, so that a
/// client that leaves while the user is still being asked is noticed at once.
actor AuthenticatorConnection {
    private var session: AuthenticatorSession
    private let channel: any DataChannel
    private var assembler: MessageAssembler
    private let context: CeremonyContext
    private var answerCount = 0
    /// The updates from the client that may still come.
    private var updateBudget = (count: 256, byteCount: 1 << 20)
    private var isAnswering = false
    /// True when the answer that completes the session was sent.
    private var isComplete = false
    /// The deadline of the event that the session waits for at this moment.
    private var deadline: (time: Duration, token: DeadlineTimer.Token)?
    private let deadlinePassings: AsyncStream<Void>
    private let deadlinePassed: AsyncStream<Void>.Continuation
    private let linking: AuthenticatorLinking
    private var update: Update
    private var isShutDown = false

    /// State of the session's update, if it may offer a link. Otherwise there is none, or it has gone with the first
    /// message.
    private enum Update {
        case due, deciding, sent
    }

    /// The next event of a session, whichever comes first.
    private enum Event: Sendable {
        case received(AuthenticatorSession.Event)
        case answered(Payload, completes: Bool)
        case decided(AuthenticatorLinking.Offer?)
        case deadlinePassed
        case clientLeft(DataChannelError)
    }

    init(
        _ session: consuming AuthenticatorSession,
        arrival: ClientArrival,
        linking: AuthenticatorLinking?,
        context: CeremonyContext
    ) {
        update = linking == nil ? .sent : .due
        self.linking = linking ?? .none
        self.session = session
        channel = arrival.channel
        assembler = arrival.assembler
        self.context = context
        (deadlinePassings, deadlinePassed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Answers requests until the client ends the session: by a shutdown (HT-MSG-32), by closing after an answer
    /// (libwebauthn, microG; HT-MSG-34), or by asking for nothing more. Then the channel is closed; so it is after
    /// an error.
    ///
    /// After the answer that completes the session the client has time to leave by itself. A further request ends it.
    ///
    /// - Returns: the number of requests that were answered.
    /// - Throws: ``HybridTransportError``: `timeout` if no request comes, or an answer is not ready in time;
    ///   `peerClosed` if the client leaves before its request was answered; `protocolViolation`, also for a request of
    ///   a type that is not offered; `cancelled`.
    func serve(_ offer: SessionOffer) async throws -> Int {
        defer { cancelDeadline() }
        do {
            try await withThrowingTaskGroup(of: Event.self) { group in
                do {
                    try await serve(offer, in: &group)
                } catch {
                    // In this order: a user who is being asked should see at once that it is over.
                    group.cancelAll()
                    await channel.close()
                    await settleRest(of: &group)
                    throw error
                }
                // In this order: to cancel the reader first would cut the channel rather than close it.
                await channel.close()
                group.cancelAll()
                await settleRest(of: &group)
            }
        } catch {
            throw context.failure(error)
        }
        return answerCount
    }

    private func serve(
        _ offer: SessionOffer, in group: inout ThrowingTaskGroup<Event, any Error>
    ) async throws {
        setDeadline(context.limits.idle)
        group.addImmediateTask { try await self.read() }
        group.addImmediateTask { try await self.waitForDeadline() }
        if linking.moment == .atOnce { decide(in: &group) }
        while let event = try await group.next() {
            switch event {
            case .received(.request) where isComplete:
                context.notice(.furtherRequest)
                if update == .due { try await sendUpdate(nil) }
                return
            case .received(.request(let request)): begin(request, offer, in: &group)
            case .received(.update(let contents)):
                try drop(contents)
                group.addImmediateTask { try await self.read() }
            case .answered(let response, let completes):
                try await answer(response)
                isComplete = completes
                setDeadline(idleLimit)
                if completes { decide(in: &group) }
            case .decided(let offer):
                try await sendUpdate(offer)
                if isShutDown { return }
            case .deadlinePassed where !isDeadlinePassed: group.addImmediateTask { try await self.waitForDeadline() }
            case .deadlinePassed where isAnswering: throw context.timeout(context.limits.command)
            case .deadlinePassed where update == .deciding:
                setDeadline(idleLimit)
                group.addImmediateTask { try await self.waitForDeadline() }
            case .received(.shutdown) where !isAnswering && update == .deciding:
                isShutDown = true
                group.addTask { try await self.readToEnd() }
            case .deadlinePassed, .received(.shutdown), .clientLeft:
                try checkEnd(event)
                if update == .due { try await sendUpdate(nil) }
                return
            }
        }
    }

    private func begin(
        _ request: Payload, _ offer: SessionOffer, in group: inout ThrowingTaskGroup<Event, any Error>
    ) {
        context.reached(.commandSent, next: .commandAnswered)
        isAnswering = true
        setDeadline(context.limits.command)
        group.addTask {
            let response = try await offer.answer(request)
            // The answer of a cancelled responder is dropped.
            try Task.checkCancellation()
            return .answered(response, completes: offer.isComplete(request, response))
        }
        group.addImmediateTask { try await self.read() }
    }

    /// Drops an update from the client: it has no meaning (HT-MSG-48). It puts no deadline off, and more of them than a
    /// session may have end it.
    private func drop(_ update: [UInt8]) throws(HybridProtocolError) {
        updateBudget.count -= 1
        updateBudget.byteCount -= update.count
        guard updateBudget.count >= 0, updateBudget.byteCount >= 0 else {
            throw HybridProtocolError(.unexpectedMessage, reason: "more updates than a session may have")
        }
    }

    /// Throws unless the client may end the session now and in this way.
    private func checkEnd(_ event: Event) throws {
        switch event {
        case .received where isAnswering:
            throw DataChannelError(.closed, reason: "the client cancelled before it was answered")
        case .clientLeft(let error) where !isShutDown && (isAnswering || answerCount == 0):
            throw error
        case .deadlinePassed where answerCount == 0:
            throw context.timeout(context.limits.idle)
        default: return
        }
    }

    private func answer(_ response: Payload) async throws {
        let frame: [UInt8]
        do {
            frame = try session.sealResponse(response)
        } catch {
            // The reader has just ended the session; the next event says why.
            guard error.code != .sessionEnded else { return }
            throw HybridTransportError.unsealed(error, reaching: .commandAnswered)
        }
        try await context.within(context.limits.command, on: channel) { try await channel.sendMessage(frame) }
        context.reached(.commandAnswered, next: .commandSent)
        isAnswering = false
        answerCount += 1
    }

    /// Asks for the contents of this session's update, unless that has happened before.
    private func decide(in group: inout ThrowingTaskGroup<Event, any Error>) {
        guard update == .due else { return }
        update = .deciding
        group.addTask { [linking, context] in
            let offer = try? await context.within(context.limits.command) {
                // A question at a terminal blocks its thread, and must hear there that the session is over.
                await Task.yield()
                return await linking.decide()
            }
            return .decided(offer ?? nil)
        }
    }

    /// Sends this session's update: the offer, or filler.
    private func sendUpdate(_ offer: AuthenticatorLinking.Offer?) async throws {
        update = .sent
        do {
            let frame: [UInt8]
            if let offer {
                frame = try session.sealUpdate(offering: offer.contents.offer)
            } else {
                frame = try session.sealUpdate()
            }
            try await context.within(context.limits.handshake, on: channel) { try await channel.sendMessage(frame) }
        } catch {
            await offer?.settle(false)
            // A client that has left, or broken the protocol, cannot be told; the reader says which it was.
            if let error = error as? DataChannelError, [.closed, .connectionLost].contains(error.code) { return }
            if let error = error as? HybridProtocolError, error.code == .sessionEnded { return }
            throw error
        }
        guard let offer else { return }
        await offer.settle(true)
        context.passed(.linked)
    }

    /// Withdraws an offer that came too late.
    private func settleRest(of group: inout ThrowingTaskGroup<Event, any Error>) async {
        while let rest = await group.nextResult() {
            if case .success(.decided(let offer?)) = rest { await offer.settle(false) }
        }
    }

    /// Waits for the close of a client that has shut the session down. Messages that it still sends are dropped.
    private func readToEnd() async throws -> Event {
        while true {
            do throws(DataChannelError) {
                _ = try await channel.receive()
            } catch {
                return .clientLeft(error)
            }
        }
    }

    private func read() async throws -> Event {
        while true {
            let event = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                isWhole ? try session.open(frame) : try session.openIfFrame(frame)
            }
            if let event { return .received(event) }
            let piece: [UInt8]
            do {
                piece = try await channel.receivePiece(isHalfway: !assembler.isBetweenMessages)
            } catch {
                guard error.code == .closed || error.code == .connectionLost else { throw error }
                return .clientLeft(error)
            }
            try assembler.append(piece)
        }
    }

    /// The longest time from readiness, or from an answer, to the next request.
    private var idleLimit: Duration { isComplete ? context.limits.departure : context.limits.idle }

    /// Sets the deadline to `limit` from now, in place of the one before.
    private func setDeadline(_ limit: Duration) {
        cancelDeadline()
        let time = context.now + limit
        let token = context.limits.timer.schedule(at: time) { [deadlinePassed] in deadlinePassed.yield() }
        deadline = (time, token)
    }

    private func cancelDeadline() {
        if let deadline { context.limits.timer.cancel(deadline.token) }
    }

    /// True if the deadline has passed. It may pass and be set anew in the same moment.
    private var isDeadlinePassed: Bool { deadline.map { $0.time <= context.now } ?? false }

    /// Returns when the deadline has passed, unless it is set anew in the same moment. For one task at a time.
    ///
    /// - Throws: `CancellationError`.
    private func waitForDeadline() async throws -> Event {
        for await _ in deadlinePassings { return .deadlinePassed }
        throw CancellationError()
    }
}
