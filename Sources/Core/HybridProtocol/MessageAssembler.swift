/// Finds whole messages in the pieces that a channel brings (the article L2CAP).
///
/// If the channel keeps messages whole, each piece is one message. On L2CAP nothing says how long a message is, and
/// peers disagree on the mark of its end: the end of a piece (an SDU), or `0D 0A`, which also occurs inside of
/// messages. So nothing is cut blindly: each place where a frame may end is tried, and it ends where it opens. A frame
/// that is not whole does not open, but for one chance in 2^128 (HT-BLE-18, HT-BLE-19, HT-BLE-20, HT-BLE-21,
/// HT-BLE-22). The cost of the trials is bounded, whatever the peer sends (HT-BLE-27).
public struct MessageAssembler: Sendable {
    /// The terminator of our messages, that of the only peer that was tested with phones (HT-BLE-17).
    public static let terminator: [UInt8] = [0x0d, 0x0a]
    /// The most bytes that may wait for their end: the longest frame, terminators around it, and one more piece.
    public static let longestWait = FrameOpener.maximumByteCount + 2 * terminator.count + longestPiece
    /// The longest piece that a channel brings: an SDU's length has 16 bits.
    public static let longestPiece = 1 << 16
    /// The most bytes that are tried for one message: the cost of the worst honest cutting of the longest one.
    public static let longestTrial = 1 << 28

    private let piecesAreMessages: Bool
    private var buffer: [UInt8] = []
    /// The places where a message may end, in the order in which they became known; from `nextEnd` on, those not
    /// tried yet.
    private var ends: [End] = []
    private var nextEnd = 0
    private var triedByteCount = 0

    /// A place in the buffer where a message may end, in 32 bits, since a hostile peer makes a million of them.
    private struct End {
        private let packed: UInt32

        init(at offset: Int, byPiece: Bool) { packed = UInt32(truncatingIfNeeded: offset) << 1 | (byPiece ? 1 : 0) }

        var offset: Int { Int(packed >> 1) }
        /// True if a piece ends here; otherwise a terminator begins here.
        var byPiece: Bool { packed & 1 == 1 }
    }

    /// Makes an assembler for a new channel.
    ///
    /// - Parameter piecesAreMessages: true if the channel keeps messages whole.
    public init(piecesAreMessages: Bool) { self.piecesAreMessages = piecesAreMessages }

    /// A message as it is sent through a channel that does not keep messages whole.
    public static func terminated(_ message: consuming [UInt8]) -> [UInt8] {
        message += terminator
        return message
    }

    /// True if nothing waits for its end; a lone terminator is nothing.
    public var isBetweenMessages: Bool { buffer.isEmpty || buffer == Self.terminator || buffer == [Self.terminator[0]] }

    /// The bytes that wait for their end.
    package var rest: [UInt8] { buffer }

    /// Takes the bytes of one read, 1 or more.
    ///
    /// - Parameters:
    ///   - piece: the bytes that came at once.
    ///   - mayEnd: true if a message may end with it; not so in a stream without pieces.
    /// - Throws: `tooLong` if more waits than the longest message has.
    public mutating func append(_ piece: [UInt8], mayEnd: Bool = true) throws(HybridProtocolError) {
        guard piece.count <= Self.longestWait, buffer.count <= Self.longestWait - piece.count else {
            throw HybridProtocolError(.tooLong, reason: "more bytes than a message has, and no end of it")
        }
        if piecesAreMessages {
            buffer += piece
            ends.append(End(at: buffer.count, byPiece: true))
            return
        }
        // A terminator may have its first byte in the piece before.
        let firstNew = max(0, buffer.count - (Self.terminator.count - 1))
        buffer += piece
        for offset in firstNew..<max(firstNew, buffer.count - 1) where hasTerminator(at: offset) {
            ends.append(End(at: offset, byPiece: false))
        }
        if mayEnd { ends.append(End(at: buffer.count, byPiece: true)) }
    }

    /// Takes a handshake message out. Its length is known: 81 bytes (HT-BLE-23). Bytes before it shift it,
    /// and it does not open (HT-BLE-26).
    ///
    /// - Returns: nil while it is not whole. From a channel that keeps messages whole it may have any length.
    public mutating func nextHandshakeMessage() -> [UInt8]? {
        if piecesAreMessages { return nextPiece() }
        guard buffer.count >= handshakeMessageByteCount else { return nil }
        let message = Array(buffer.prefix(handshakeMessageByteCount))
        remove(handshakeMessageByteCount)
        return message
    }

    /// Takes the next sealed frame out.
    ///
    /// - Parameters:
    ///   - isPossible: true if a frame can have so many bytes.
    ///   - open: opens a frame. If `isWhole` is true, it is one, and a frame that cannot be opened is an error.
    ///     Otherwise it may be any bytes, and if they do not open, nothing has happened and the result is nil.
    /// - Returns: the result of `open`; nil while no frame is whole.
    /// - Throws: `noEnd` if too much was tried in vain; the errors of `open`.
    public mutating func next<Opened>(
        where isPossible: (Int) -> Bool = FrameOpener.isUsualLength,
        _ open: (_ frame: [UInt8], _ isWhole: Bool) throws(HybridProtocolError) -> Opened?
    ) throws(HybridProtocolError) -> Opened? {
        if piecesAreMessages {
            guard let frame = nextPiece() else { return nil }
            return try open(frame, true)
        }
        while nextEnd < ends.count {
            let end = ends[nextEnd]
            nextEnd += 1
            // A piece's end was tried already when the terminator behind it came.
            if nextEnd > 1, ends[nextEnd - 2].offset == end.offset { continue }
            for start in starts where start <= end.offset && isPossible(end.offset - start) {
                guard triedByteCount <= Self.longestTrial else {
                    throw HybridProtocolError(.noEnd, reason: "a message in too many pieces, none of which ends it")
                }
                triedByteCount += end.offset - start
                guard let opened = try open(Array(buffer[start..<end.offset]), false) else { continue }
                // Behind a piece's end, a terminator may as well be the next message's first bytes.
                remove(end.byPiece ? end.offset : end.offset + Self.terminator.count)
                return opened
            }
        }
        return nil
    }

    /// The places where the next message may begin: after a terminator that was left over, or with it (HT-BLE-24).
    private var starts: [Int] { hasTerminator(at: 0) ? [0, Self.terminator.count] : [0] }

    private func hasTerminator(at offset: Int) -> Bool {
        offset + Self.terminator.count <= buffer.count && buffer[offset] == Self.terminator[0]
            && buffer[offset + 1] == Self.terminator[1]
    }

    private mutating func nextPiece() -> [UInt8]? {
        guard let end = ends.first else { return nil }
        let piece = Array(buffer.prefix(end.offset))
        remove(end.offset)
        return piece
    }

    /// Forgets the first bytes. All ends behind them may be tried again, for a message that begins elsewhere.
    private mutating func remove(_ byteCount: Int) {
        buffer.removeFirst(byteCount)
        ends = ends.compactMap { end in
            // A message's own end is not an empty message; a terminator that begins here is one, or belongs to the
            // last.
            guard end.offset > byteCount || end.offset == byteCount && !end.byPiece else { return nil }
            return End(at: end.offset - byteCount, byPiece: end.byPiece)
        }
        nextEnd = 0
        triedByteCount = 0
    }
}

// Whole messages through any data channel, whether or not it keeps them whole (HT-BLE-17, HT-BLE-18).

extension DataChannel {
    /// An assembler that finds the messages in the pieces of this channel.
    package var assembler: MessageAssembler { MessageAssembler(piecesAreMessages: keepsMessagesWhole) }

    /// Sends a message so that its end can be found.
    ///
    /// - Throws: ``DataChannelError``.
    package func sendMessage(_ message: [UInt8]) async throws(DataChannelError) { try await send(marked(message)) }

    /// Sends messages likewise, at once if the channel can.
    ///
    /// - Throws: ``DataChannelError``.
    package func sendMessages(_ messages: [[UInt8]]) async throws(DataChannelError) {
        try await send(contentsOf: messages.map(marked))
    }

    /// Sends a message likewise, and closes the channel, whether or not it could be sent.
    package func close(afterMessage message: [UInt8]) async { await close(after: marked(message)) }

    private func marked(_ message: [UInt8]) -> [UInt8] {
        keepsMessagesWhole ? message : MessageAssembler.terminated(message)
    }

    /// Receives the next piece for an assembler.
    ///
    /// - Parameter isHalfway: true if the assembler holds a part of a message; then a close is a lost connection
    ///   (HT-MSG-38).
    /// - Throws: ``DataChannelError``.
    package func receivePiece(isHalfway: Bool) async throws(DataChannelError) -> [UInt8] {
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
    package func receiveHandshakeMessage() async throws -> ([UInt8], MessageAssembler) {
        var assembler = assembler
        while true {
            if let message = assembler.nextHandshakeMessage() { return (message, assembler) }
            try assembler.append(await receivePiece(isHalfway: !assembler.isBetweenMessages))
        }
    }
}
