internal import Edges
internal import HybridProtocol

/// The client's way from an open channel to the authenticator's first message; the same for QR codes and links.
struct ClientHandshake: Sendable {
    let limits: TimeLimits
    let progress: Progress

    /// Shakes hands and reads the first message.
    ///
    /// - Parameters:
    ///   - initiator: with message 1, which is sent at once.
    ///   - meeting: who is met; its signal is waited for before anything is read.
    ///   - linking: what the client does about links.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func run(
        _ initiator: consuming Initiator, _ meeting: ClientSearch.Meeting, _ linking: ClientLinking
    ) async throws -> ClientConnection {
        let channel = meeting.channel
        let message = initiator.message
        var (response, assembler) = try await progress.within(limits.handshake) {
            try await channel.sendMessage(message)
            try await meeting.signal()
            return try await channel.receiveHandshakeMessage()
        }
        let client = try initiator.finish(response.span)
        progress.reached(.handshaken, next: .ready)
        let frame = try await firstFrame(for: client, channel, &assembler)
        let session = try client.readFirstMessage(frame)
        progress.reached(.ready, next: .commandSent)
        return ClientConnection(session, channel, assembler, limits, progress, link: meeting.link, linking)
    }

    private func firstFrame(
        for client: borrowing ConnectedClient, _ channel: any DataChannel, _ assembler: inout MessageAssembler
    ) async throws -> [UInt8] {
        let start = ContinuousClock.now
        while true {
            let frame = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                if isWhole { return frame }
                return try client.opens(frame) ? frame : nil
            }
            if let frame { return frame }
            let isHalfway = !assembler.isBetweenMessages
            let piece = try await progress.within(limits.handshake, since: start) {
                try await channel.receivePiece(isHalfway: isHalfway)
            }
            try assembler.append(piece)
        }
    }
}
