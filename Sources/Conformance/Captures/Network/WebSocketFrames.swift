internal import HybridProtocol

/// The WebSocket frames of one direction, joined to messages, their masks taken off (RFC 6455 section 5.2).
struct WebSocketFrames {
    private var buffer: [UInt8] = []
    private var joiner: FrameJoiner<[UInt8]>

    /// A frame that is not read any further.
    struct Violation: Error {}

    private static let maxFrameByteCount = 1 << 21

    init(of sender: FrameJoiner<[UInt8]>.Sender) {
        joiner = FrameJoiner(of: sender, maximumByteCount: Self.maxFrameByteCount)
    }

    /// The number of bytes that are held.
    var heldByteCount: Int { buffer.count + joiner.heldByteCount }

    /// Takes the next bytes.
    ///
    /// - Returns: the messages that they complete.
    /// - Throws: ``Violation`` for what breaks the framing.
    mutating func take(_ bytes: [UInt8]) throws(Violation) -> [[UInt8]] {
        buffer += bytes
        var messages: [[UInt8]] = []
        var position = 0
        while let (frame, byteCount) = try Self.frame(buffer[position...]) {
            position += byteCount
            do throws(FramingViolation) {
                if case .message(let message) = try joiner.join(frame) { messages.append(message) }
            } catch { throw Violation() }
        }
        buffer.removeFirst(position)
        return messages
    }

    private static func frame(
        _ bytes: ArraySlice<UInt8>
    ) throws(Violation) -> (FrameJoiner<[UInt8]>.Frame, byteCount: Int)? {
        var reader = ByteReader(bytes)
        guard let first = reader.byte(), let second = reader.byte() else { return nil }
        let length: UInt64?
        switch second & 0x7F {
        case 126: length = reader.bigEndian(UInt16.self).map(UInt64.init)
        case 127: length = reader.bigEndian(UInt64.self)
        case let short: length = UInt64(short)
        }
        guard let length else { return nil }
        guard length <= UInt64(maxFrameByteCount) else { throw Violation() }
        let isMasked = second & 0x80 != 0
        guard let mask = reader.take(isMasked ? 4 : 0), let payload = reader.take(Int(length)) else { return nil }
        var contents = Array(payload)
        if isMasked {
            let mask = Array(mask)
            for index in contents.indices { contents[index] ^= mask[index % 4] }
        }
        return (
            FrameJoiner<[UInt8]>.Frame(
                opcode: first & 0x0F, isFinal: first & 0x80 != 0, isMasked: isMasked,
                usesReservedBits: first & 0x70 != 0,
                payload: contents), bytes.count - reader.count
        )
    }
}
