internal import Edges
public import HybridProtocol

/// The client's end of a session that is ready for commands.
public actor ClientConnection {
    private var session: ClientSession
    private let channel: any DataChannel
    private let limit: Duration
    private let observe: CeremonyObserver

    /// What the authenticator is and can do.
    public nonisolated let firstMessage: FirstMessage

    init(
        _ session: consuming ClientSession,
        _ channel: any DataChannel,
        limit: Duration,
        _ observe: @escaping CeremonyObserver
    ) {
        firstMessage = session.firstMessage
        self.session = session
        self.channel = channel
        self.limit = limit
        self.observe = observe
    }

    /// Sends a CTAP command and waits for its answer. Most authenticators take one command a session.
    ///
    /// - Parameter command: the command byte, then CBOR.
    /// - Returns: the status byte, then CBOR. A refusal by the authenticator is an answer too.
    /// - Throws: ``HybridTransportError``: `noCTAP`, `timeout`, `peerClosed`, `protocolViolation`, `cancelled`.
    public func send(_ command: [UInt8]) async throws -> [UInt8] {
        guard firstMessage.features.contains(.ctap) else {
            throw HybridTransportError(
                .noCTAP, stage: .commandSent, cause: "the authenticator offers no CTAP in this session",
                hint: "choose another authenticator")
        }
        var next = Stage.commandSent
        do {
            let frame = try session.sealRequest(command)
            try await reaching(.commandSent, within: limit) { [channel] in try await channel.send(frame) }
            observe(.stage(.commandSent))
            next = .commandAnswered
            let answer = try await reaching(.commandAnswered, within: limit) { try await self.answer() }
            observe(.stage(.commandAnswered))
            return answer
        } catch {
            throw HybridTransportError(error, reaching: next)
        }
    }

    /// Reads until the answer is there. Updates may come before it; without linking there is nothing to do with them.
    private func answer() async throws -> [UInt8] {
        while true {
            switch try session.open(try await channel.receive()) {
            case .response(let response): return response
            case .update: continue
            case .jsonResponse, .shutdown:
                throw DataChannelError(.closed, reason: "the authenticator ended the session without an answer")
            }
        }
    }

    /// Ends the session: a shutdown message, then the channel's own close.
    func end() async {
        // If the channel is gone already, the shutdown has nobody to reach: closing is what counts.
        if let frame = try? session.sealShutdown() { try? await channel.send(frame) }
        await channel.close()
    }
}
