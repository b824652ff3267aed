internal import HybridProtocol

/// An authenticator that a client has found: the first advert that decrypted, and an open channel to its sender.
struct Rendezvous: Sendable {
    let advert: Advert
    let channel: any DataChannel
    /// True if the channel is one over Bluetooth.
    var isNearby = false

    enum Advert: Sendable {
        case invited(NearbyAdvert)
        case linked(ContactAttempt, LinkedAdvertPlaintext)
    }

    /// The attempt by which it was found; nil for the QR code.
    var attempt: ContactAttempt? {
        guard case .linked(let attempt, _) = advert else { return nil }
        return attempt
    }

    /// An authenticator that has authenticated itself in the handshake.
    struct Handshaken: ~Copyable, Sendable {
        let client: ConnectedClient
        /// The bytes that came behind the handshake message.
        let assembler: MessageAssembler
    }

    /// Completes the handshake; the same for QR codes and links.
    ///
    /// - Parameters:
    ///   - initiator: with message 1, which is sent at once. After it, the signal of a link's tunnel is waited for
    ///     before anything is read.
    ///   - limit: the longest time.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func shakeHands(
        _ initiator: consuming Initiator, within limit: Duration, context: CeremonyContext
    ) async throws -> Handshaken {
        let message = initiator.message
        let (response, assembler) = try await context.within(limit, on: channel) {
            try await channel.sendMessage(message)
            try await attempt?.signal()
            return try await channel.receiveHandshakeMessage()
        }
        let client = try initiator.finish(response.span, keyLog: context.keyLog)
        context.reached(.handshaken, next: .ready)
        return Handshaken(client: client, assembler: assembler)
    }

    /// Reads the first message.
    ///
    /// - Parameters:
    ///   - handshaken: used up.
    ///   - linking: the links of the client.
    /// - Throws: ``HybridTransportError``, ``DataChannelError``, ``HybridProtocolError``.
    func connect(
        _ handshaken: consuming Handshaken, linking: ClientLinking, context: CeremonyContext
    ) async throws -> ClientConnection {
        var assembler = handshaken.assembler
        let client = handshaken.client
        let frame = try await firstFrame(for: client, &assembler, context)
        let session = try client.readFirstMessage(frame)
        context.reached(.ready, next: .commandSent)
        return ClientConnection(session, on: self, assembler: assembler, linking: linking, context: context)
    }

    /// Begins an application's messages.
    ///
    /// - Parameter handshaken: used up.
    /// - Throws: ``HybridProtocolError``.
    func openChannel<Codec>(
        _ handshaken: consuming Handshaken, _ messages: (_ handshakeHash: [UInt8]) -> Codec, context: CeremonyContext
    ) throws -> MessageChannel<Codec> {
        let assembler = handshaken.assembler
        let session = try handshaken.client.exchange(messages)
        return MessageChannel(session, on: channel, assembler: assembler, context: context)
    }

    private func firstFrame(
        for client: borrowing ConnectedClient, _ assembler: inout MessageAssembler, _ context: CeremonyContext
    ) async throws -> [UInt8] {
        let start = context.now
        while true {
            let frame = try assembler.next { (frame, isWhole) throws(HybridProtocolError) in
                if isWhole { return frame }
                return try client.opens(frame) ? frame : nil
            }
            if let frame { return frame }
            let isHalfway = !assembler.isBetweenMessages
            let piece = try await context.within(context.limits.handshake, since: start, on: channel) {
                try await channel.receivePiece(isHalfway: isHalfway)
            }
            try assembler.append(piece)
        }
    }
}
