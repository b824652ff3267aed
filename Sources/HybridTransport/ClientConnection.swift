internal import Edges
public import HybridProtocol

/// The client's end of a session that is ready for commands.
public actor ClientConnection {
    private var session: ClientSession
    private let channel: any DataChannel
    private let limits: TimeLimits
    private let progress: Progress

    /// What the authenticator is and can do.
    public nonisolated let firstMessage: FirstMessage

    init(
        _ session: consuming ClientSession,
        _ channel: any DataChannel,
        _ limits: TimeLimits,
        _ progress: Progress
    ) {
        firstMessage = session.firstMessage
        self.session = session
        self.channel = channel
        self.limits = limits
        self.progress = progress
    }

    /// Sends a CTAP command and waits for its answer. Most authenticators take one command a session.
    ///
    /// - Parameter command: the command byte, then CBOR: 1 byte or more, less than 1 MiB.
    /// - Returns: the status byte, then CBOR. A refusal by the authenticator is an answer too.
    /// - Throws: ``HybridTransportError``: `noCTAP`; `invalidRequest` for a command of wrong length, or while another one waits
    ///   for its answer; `timeout`, `peerClosed`, `protocolViolation`, `cancelled`: after these the session is over.
    public func send(_ command: [UInt8]) async throws -> [UInt8] {
        let frame = try seal(command)
        progress.expect(.commandSent)
        do {
            try await progress.within(limits.command) { [channel] in try await channel.send(frame) }
            progress.reached(.commandSent, next: .commandAnswered)
            let answer = try await progress.within(limits.command) { try await self.answer() }
            progress.reached(.commandAnswered, next: .closed)
            return answer
        } catch {
            throw progress.failure(error)
        }
    }

    /// Runs `body`, and ends the session whatever the way out of it.
    ///
    /// The end is a shutdown message, then the channel's own close. Nothing is waited for in between: what an authenticator
    /// may still send is linking data (PROTOCOL.md 7.3), and our QR code says that we want none.
    nonisolated func lend<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        // In a task of its own: ours may be cancelled, and the authenticator should hear of the end even so.
        await Task { await end() }.value
        return try outcome.get()
    }

    private func end() async {
        // If the session or the channel is gone already, the shutdown has nobody to reach: closing is what counts.
        if let frame = try? session.sealShutdown() {
            try? await progress.within(limits.closing) { [channel] in try await channel.send(frame) }
        }
        await channel.close()
    }

    private func seal(_ command: [UInt8]) throws(HybridTransportError) -> [UInt8] {
        guard firstMessage.features.contains(.ctap) else {
            throw HybridTransportError(
                .noCTAP, stage: .commandSent, cause: "the authenticator offers no CTAP in this session",
                hint: "choose another authenticator")
        }
        do {
            return try session.sealRequest(command)
        } catch {
            throw .unsealed(error, reaching: .commandSent, as: .client)
        }
    }

    /// Reads until the answer is there. Updates may come before it; without linking there is nothing to do with them.
    private func answer() async throws -> [UInt8] {
        while true {
            let frame = try await channel.receive()
            switch try session.open(frame) {
            case .response(let response): return response
            case .update: continue
            case .jsonResponse, .shutdown:
                throw DataChannelError(.closed, reason: "the authenticator ended the session without an answer")
            }
        }
    }
}
