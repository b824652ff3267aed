internal import Edges
internal import HybridProtocol

/// The authenticator's end of a session that is ready for commands: reads and answers at the same time, so that a client
/// that leaves while the user is still being asked is noticed at once.
actor AuthenticatorConnection {
    private var session: AuthenticatorSession
    private let channel: any DataChannel
    private let limits: TimeLimits
    private let observe: CeremonyObserver
    private var answerCount = 0
    private var isAnswering = false

    /// What happens next in a session, whichever comes first.
    private enum Event: Sendable {
        case received(AuthenticatorSession.Event)
        case answered([UInt8])
        case waitedTooLong(turn: Int)
        case clientLeft(DataChannelError)
    }

    init(
        _ session: consuming AuthenticatorSession,
        _ channel: any DataChannel,
        _ limits: TimeLimits,
        _ observe: @escaping CeremonyObserver
    ) {
        self.session = session
        self.channel = channel
        self.limits = limits
        self.observe = observe
    }

    /// Answers commands until the client ends the session.
    ///
    /// - Returns: how many commands were answered.
    /// - Throws: ``HybridTransportError``: `timeout` if no command comes; `peerClosed` if the client leaves before its command
    ///   was answered; `protocolViolation`; `cancelled`.
    func serve(_ respond: @escaping @Sendable ([UInt8]) async -> [UInt8]) async throws -> Int {
        do {
            try await withThrowingTaskGroup(of: Event.self) { group in
                defer { group.cancelAll() }
                // Each wait has a number, so that a clock which belongs to an earlier wait says nothing.
                var turn = 0
                group.addTask { try await self.read() }
                group.addTask { try await Self.clock(turn: 0, self.limits.idle) }
                while let event = try await group.next() {
                    switch event {
                    case .received(.request(let request)):
                        observe(.stage(.commandSent))
                        isAnswering = true
                        turn += 1
                        group.addTask { .answered(await respond(request)) }
                        group.addTask { [turn] in try await Self.clock(turn: turn, self.limits.command) }
                        group.addTask { try await self.read() }
                    case .answered(let response):
                        try await channel.send(session.sealResponse(response))
                        observe(.stage(.commandAnswered))
                        isAnswering = false
                        answerCount += 1
                        turn += 1
                        group.addTask { [turn] in try await Self.clock(turn: turn, self.limits.idle) }
                    case .waitedTooLong(turn):
                        // A client that just stays after its answer has had what it wanted.
                        if answerCount > 0, !isAnswering { return }
                        throw HybridTransportError.timeout(
                            reaching: nextStage, limit: isAnswering ? limits.command : limits.idle)
                    case .waitedTooLong: continue
                    case .received(.shutdown), .received(.jsonRequest):
                        guard !isAnswering else { throw Self.clientCancelled }
                        return
                    case .clientLeft(let error):
                        guard !isAnswering, answerCount > 0 else { throw error }
                        return
                    }
                }
            }
        } catch {
            throw HybridTransportError(error, reaching: nextStage)
        }
        return answerCount
    }

    private var nextStage: Stage { isAnswering ? .commandAnswered : .commandSent }

    private func read() async throws -> Event {
        let frame: [UInt8]
        do {
            frame = try await channel.receive()
        } catch {
            guard error.code == .closed || error.code == .connectionLost else { throw error }
            return .clientLeft(error)
        }
        return .received(try session.open(frame))
    }

    private static func clock(turn: Int, _ limit: Duration) async throws -> Event {
        try await Task.sleep(for: limit)
        return .waitedTooLong(turn: turn)
    }

    private static let clientCancelled = HybridTransportError(
        .peerClosed, stage: .commandAnswered, cause: "the client cancelled before it was answered",
        hint: "start again on the client if that was not intended")
}
