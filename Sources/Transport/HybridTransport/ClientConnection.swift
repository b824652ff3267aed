package import HybridProtocol

/// The client's end of a session that is ready for requests: CTAP commands, digital-credential requests.
///
/// It listens all the time, so that an answer to nothing and a close are noticed when they come, and so that a request
/// whose wait was cut short leaves the channel in a state in which the authenticator can still be told.
///
/// At the end it sends the shutdown and closes (HT-MSG-28, HT-MSG-29): at once, unless our QR code said that we can be
/// linked, and no update has come yet. Then it waits for one as long as the limits allow (HT-MSG-49).
package actor ClientConnection {
    private var session: ClientSession
    private let channel: any DataChannel
    private var assembler: MessageAssembler
    private let context: CeremonyContext
    /// The contents of the answers. Their type is not kept: the session takes none but the request's own.
    private let answers: AsyncThrowingStream<Answer, any Error>
    private let feed: AsyncThrowingStream<Answer, any Error>.Continuation
    /// Number of the channel's messages that were taken in.
    private var takenCount: Int
    /// The error that has ended the session; nil while it goes on.
    private var end: (any Error)?
    private let linking: ClientLinking
    /// Reasons for which linking data was refused: each is told once, however many updates an authenticator sends.
    private var refusals: Set<HybridProtocolError.Code> = []
    /// Ends when an update has come, or none can any more.
    private let update: AsyncStream<Never>
    private let updateCame: AsyncStream<Never>.Continuation

    /// The description that the authenticator gives of itself.
    package nonisolated let firstMessage: FirstMessage
    /// The handshake hash: 32 bytes that both ends share and that name this session. Not secret. Data that must
    /// hold for this session alone can be bound to it (Noise section 11.2).
    package nonisolated let handshakeHash: [UInt8]
    /// The link by which the authenticator was reached; nil if it read the QR code.
    package nonisolated let link: SharedLink?

    init(
        _ session: consuming ClientSession,
        on rendezvous: Rendezvous,
        assembler: MessageAssembler,
        linking: ClientLinking,
        context: CeremonyContext
    ) {
        firstMessage = session.firstMessage
        handshakeHash = session.handshakeHash
        self.session = session
        channel = rendezvous.channel
        takenCount = channel.counts.received
        self.assembler = assembler
        self.context = context
        link = rendezvous.attempt?.link
        self.linking = linking
        (update, updateCame) = AsyncStream.makeStream()
        (answers, feed) = AsyncThrowingStream.makeStream()
    }

    /// Sends a CTAP command and waits for its answer. Most authenticators take one command a session.
    ///
    /// - Parameter command: the command byte, then CBOR: 1 byte or more, less than 1 MiB.
    /// - Returns: the status byte, then CBOR. A refusal by the authenticator is an answer too.
    /// - Throws: ``HybridTransportError``: `noCTAP`; `invalidRequest` for a command of wrong length, or while another
    ///   request waits for its answer; `timeout`, `peerClosed`, `protocolViolation`, `cancelled`: after these the
    ///   session is over.
    package func send(_ command: [UInt8]) async throws -> [UInt8] {
        guard firstMessage.features.contains(.ctap) else {
            throw HybridTransportError(
                .noCTAP, stage: .commandSent, cause: "the authenticator offers no CTAP in this session",
                advice: .chooseOtherAuthenticator)
        }
        return try await exchange(.ctap(command))
    }

    /// Sends a digital-credential request and waits for its answer.
    ///
    /// - Parameter json: the request, JSON: 1 byte or more, less than 1 MiB. It is sent as it is.
    /// - Returns: the answer, less than 1 MiB. That it is JSON is not checked, only that it is UTF-8.
    /// - Throws: ``HybridTransportError``: `noDigitalCredentials`, otherwise as ``send(_:)``.
    package func send(json: String) async throws -> String {
        guard firstMessage.features.contains(.digitalCredentials) else {
            throw HybridTransportError(
                .noDigitalCredentials, stage: .commandSent,
                cause: "the authenticator offers no digital credentials in this session",
                advice: .chooseOtherAuthenticator)
        }
        let answer = try await exchange(.json(json))
        return String(decoding: answer, as: UTF8.self)
    }

    private func exchange(_ request: Payload) async throws -> [UInt8] {
        if let end { throw HybridTransportError(end, reaching: .commandSent, as: .client) }
        let frame: [UInt8]
        do {
            frame = try session.sealRequest(request)
        } catch {
            throw HybridTransportError.unsealed(error, reaching: .commandSent)
        }
        context.expect(.commandSent)
        do {
            try await context.within(context.limits.command, on: channel) { try await channel.sendMessage(frame) }
            context.reached(.commandSent, next: .commandAnswered)
            let answer = try await context.within(context.limits.command, endedBy: { [feed] in feed.finish() }) {
                [answers, channel] in
                for try await answer in answers { return try answer.bytes(on: channel) }
                throw CancellationError()
            }
            context.reached(.commandAnswered, next: .closed)
            return answer
        } catch {
            // If the channel is gone, the listener knows why; after a time-out, on the other hand, its own error is
            // only an effect.
            let failure = context.failure(error is DataChannelError ? end ?? error : error)
            end = failure
            throw failure
        }
    }

    /// Listens while `body` runs, and begins the end of the session whatever the way out of it.
    ///
    /// The end is a shutdown message, then the channel's own close.
    ///
    /// - Parameter note: gets the task that ends the session.
    nonisolated func withSession<Value: Sendable>(
        noting note: (Task<Void, Never>) -> Void, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        // Both in tasks of their own: ours may be cancelled, and the authenticator should hear of the end even so. The
        // listener ends with the channel.
        let listener = Task.immediate { await listen() }
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        if case .success = outcome, mayComeLate {
            await Task.immediate { await shutDown() }.value
            await lateUpdate()
        }
        note(
            Task.immediate {
                await close()
                await listener.value
            })
        return try outcome.get()
    }

    /// Takes in all messages. Updates may come at any time.
    private func listen() async {
        defer { updateCame.finish() }
        do {
            if session.firstMessageLinking != .none { take(session.firstMessageLinking) }
            while true {
                switch try await nextEvent() {
                case .response(let response): feed.yield(Answer(takenCount, response.bytes))
                case .update(let result): take(result)
                case .shutdown:
                    throw DataChannelError(.closed, reason: "the authenticator ended the session")
                }
            }
        } catch {
            if end == nil { end = error }
            feed.finish(throwing: error)
            await channel.close()
        }
    }

    private func nextEvent() async throws -> ClientSession.Event {
        while true {
            let event = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                isWhole ? try session.open(frame) : try session.openIfFrame(frame)
            }
            if let event { return event }
            let piece = try await channel.receivePiece(isHalfway: !assembler.isBetweenMessages)
            takenCount += 1
            try assembler.append(piece)
        }
    }

    /// Hands over the link that an update, or the first message, has brought. In a session that came about by a link
    /// there is no key to verify one by: a link that comes then is dropped.
    private func take(_ result: LinkingResult) {
        updateCame.finish()
        switch result {
        case .none: break
        case .refused(let error):
            guard link == nil, refusals.insert(error.code).inserted else { return }
            linking.observe(.refused(error))
        case .verified:
            guard let link = session.takeLink() else { return }
            linking.observe(.linked(SharedLink(link)))
            context.passed(.linked)
        }
    }

    /// Sends the shutdown. Messages that the authenticator still sends are taken in.
    private func shutDown() async {
        // If the session or the channel is gone already, the shutdown reaches nobody: only closing counts.
        guard let frame = try? session.sealShutdown() else { return }
        try? await context.within(context.limits.closing, on: channel) { try await channel.sendMessage(frame) }
    }

    /// Closes the channel, with the shutdown before it unless that was sent.
    private func close() async {
        guard let frame = try? session.sealShutdown() else { return await channel.close() }
        // It is closed even if that takes too long.
        try? await context.within(context.limits.closing, on: channel) { await channel.close(afterMessage: frame) }
    }

    /// True if an update may still come when the session is over (HT-MSG-49).
    private nonisolated var mayComeLate: Bool {
        linking.isOffered && link == nil && firstMessage.revision == .typed
    }

    /// Waits for the update that an authenticator may send when its user has decided about the link (HT-MSG-49).
    private nonisolated func lateUpdate() async {
        try? await context.within(context.limits.lateUpdate, endedBy: { [updateCame] in updateCame.finish() }) {
            [update] in for await _ in update {}
        }
    }
}

/// An authenticator's answer, and its number among the messages of the channel.
private struct Answer: Sendable {
    private let number: Int
    private let bytes: [UInt8]

    init(_ number: Int, _ bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }

    /// The answer to the latest request.
    ///
    /// - Throws: `unexpectedMessage` if it had come before that: then it only looks like its answer.
    func bytes(on channel: any DataChannel) throws(HybridProtocolError) -> [UInt8] {
        guard number > channel.counts.beforeLatestSend else {
            throw HybridProtocolError(.unexpectedMessage, reason: "an answer that came before its request")
        }
        return bytes
    }
}
