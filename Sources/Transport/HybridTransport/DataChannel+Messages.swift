internal import HybridProtocol

// Whole messages through any data channel, whether or not it keeps them whole (HT-BLE-17, HT-BLE-18).

extension DataChannel {
    /// An assembler that finds the messages in the pieces of this channel.
    var assembler: MessageAssembler { MessageAssembler(piecesAreMessages: keepsMessagesWhole) }

    /// Sends a message so that its end can be found.
    ///
    /// - Throws: ``DataChannelError``.
    func sendMessage(_ message: [UInt8]) async throws(DataChannelError) { try await send(marked(message)) }

    /// Sends messages likewise, at once if the channel can.
    ///
    /// - Throws: ``DataChannelError``.
    func sendMessages(_ messages: [[UInt8]]) async throws(DataChannelError) {
        try await send(contentsOf: messages.map(marked))
    }

    /// Sends a message likewise, and closes the channel, whether or not it could be sent.
    func close(afterMessage message: [UInt8]) async { await close(after: marked(message)) }

    private func marked(_ message: [UInt8]) -> [UInt8] {
        keepsMessagesWhole ? message : MessageAssembler.terminated(message)
    }

    /// Receives the next piece for an assembler.
    ///
    /// - Parameter isHalfway: true if the assembler holds a part of a message; then a close is a lost connection
    ///   (HT-MSG-38).
    /// - Throws: ``DataChannelError``.
    func receivePiece(isHalfway: Bool) async throws(DataChannelError) -> [UInt8] {
        do {
            return try await receive()
        } catch {
            guard isHalfway, error.code == .closed else { throw error }
            throw DataChannelError(.connectionLost, reason: "the channel ended in the middle of a message")
        }
    }

    /// Receives a handshake message.
    ///
    /// - Returns: the message, and the assembler with the bytes behind it.
    /// - Throws: ``DataChannelError``, ``HybridProtocolError``.
    func receiveHandshakeMessage() async throws -> ([UInt8], MessageAssembler) {
        var assembler = assembler
        while true {
            if let message = assembler.nextHandshakeMessage() { return (message, assembler) }
            try assembler.append(await receivePiece(isHalfway: !assembler.isBetweenMessages))
        }
    }
}
