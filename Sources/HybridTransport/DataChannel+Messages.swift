internal import Edges
internal import HybridProtocol

// Whole messages through any data channel, whether or not it keeps them whole (PROTOCOL.md 10).

extension DataChannel {
    /// What finds the messages in what this channel brings.
    var assembler: MessageAssembler { MessageAssembler(piecesAreMessages: keepsMessagesWhole) }

    /// Sends a message so that its end can be found.
    ///
    /// - Throws: ``DataChannelError``.
    func sendMessage(_ message: [UInt8]) async throws(DataChannelError) {
        try await send(keepsMessagesWhole ? message : MessageAssembler.terminated(message))
    }

    /// Receives what an assembler needs next.
    ///
    /// - Parameter isHalfway: whether the assembler holds a part of a message; then no end of the channel is a good one.
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
    /// - Returns: the message, and what has come behind it.
    /// - Throws: ``DataChannelError``, ``HybridProtocolError``.
    func receiveHandshakeMessage() async throws -> ([UInt8], MessageAssembler) {
        var assembler = assembler
        while true {
            if let message = assembler.nextHandshakeMessage() { return (message, assembler) }
            try assembler.append(await receivePiece(isHalfway: !assembler.isBetweenMessages))
        }
    }
}
