/// Joins the frames of one side of a tunnel's WebSocket into whole messages, and refuses frames that RFC 6455 section 5
/// forbids, and text and empty messages (HT-TUN-61, HT-TUN-59, HT-TUN-60).
///
/// It holds at most one unfinished message, of at most the allowed length and number of frames. NIO's aggregator would
/// do, but for its limits: it bounds the number of fragments and not their sum alone, and its errors do not tell which
/// rule was broken. It is inlinable: of bytes whose type is not known here each step would cost a service as much as a
/// thirtieth of a relayed message.
package struct FrameJoiner<Payload: RangeReplaceableCollection<UInt8>> {
    /// The side whose frames are joined.
    package enum Sender: Sendable {
        /// A client must mask its frames (RFC 6455 section 5.1).
        case client
        /// A server must not.
        case server
    }

    /// A frame, whose decoder has found a control frame to be whole and its payload at most 125 bytes long.
    package struct Frame {
        @usableFromInline let opcode: UInt8
        @usableFromInline let isFinal: Bool
        @usableFromInline let isMasked: Bool
        @usableFromInline let usesReservedBits: Bool
        @usableFromInline let payload: Payload

        /// Makes a frame.
        ///
        /// - Parameters:
        ///   - opcode: 4 bits.
        ///   - isFinal: the bit FIN.
        ///   - isMasked: the bit MASK.
        ///   - usesReservedBits: true if one of the bits RSV1 to RSV3 is set.
        ///   - payload: without its mask.
        @inlinable package init(opcode: UInt8, isFinal: Bool, isMasked: Bool, usesReservedBits: Bool, payload: Payload)
        {
            self.opcode = opcode
            self.isFinal = isFinal
            self.isMasked = isMasked
            self.usesReservedBits = usesReservedBits
            self.payload = payload
        }
    }

    /// The outcome of a frame.
    package enum Event {
        /// A whole binary message of 1 byte or more.
        case message(Payload)
        /// A part of a message; more must follow.
        case partial
        /// A ping, to be answered with a pong of the same 0 to 125 bytes.
        case ping(Payload)
        /// A pong, which needs no answer.
        case pong
        /// A Close frame with its payload of 0 to 125 bytes; see ``CloseCode/read(_:)``.
        case close(Payload)
    }

    @usableFromInline let sender: Sender
    @usableFromInline let maximumByteCount: Int
    @usableFromInline let maximumFragmentCount: Int
    @usableFromInline var unfinished: Payload?
    /// The number of the unfinished message's frames.
    @usableFromInline var fragmentCount = 0

    /// Makes a joiner.
    ///
    /// - Parameters:
    ///   - sender: the end whose frames are joined: a client masks its frames, a service does not.
    ///   - maximumByteCount: the longest message, joined.
    ///   - maximumFragmentCount: the most frames of a message.
    @inlinable package init(of sender: Sender, maximumByteCount: Int, maximumFragmentCount: Int = .max) {
        self.sender = sender
        self.maximumByteCount = maximumByteCount
        self.maximumFragmentCount = maximumFragmentCount
    }

    /// The length of the unfinished message.
    @inlinable package var heldByteCount: Int { unfinished?.count ?? 0 }

    /// Takes the next frame. After an error nothing more may be fed.
    @inlinable package mutating func join(_ frame: Frame) throws(FramingViolation) -> Event {
        // No extension is agreed that could use the reserved bits.
        guard !frame.usesReservedBits else { throw .reservedBits }
        guard frame.isMasked == (sender == .client) else { throw frame.isMasked ? .masked : .unmasked }
        switch frame.opcode {
        case Opcode.binary:
            guard unfinished == nil else { throw .interrupted }
            return try append(frame)
        case Opcode.continuation:
            guard unfinished != nil else { throw .continuesNothing }
            return try append(frame)
        case Opcode.text: throw .text
        case Opcode.ping: return .ping(frame.payload)
        case Opcode.pong: return .pong
        case Opcode.close: return .close(frame.payload)
        default: throw .reservedOpcode
        }
    }

    @inlinable mutating func append(_ frame: Frame) throws(FramingViolation) -> Event {
        guard frame.payload.count <= maximumByteCount - heldByteCount else { throw .tooLong }
        guard fragmentCount < maximumFragmentCount else { throw .tooManyFragments }
        let message: Payload
        // Taken out of the property, so that it grows in place.
        if var begun = unfinished.take() {
            begun.append(contentsOf: frame.payload)
            message = begun
        } else {
            message = frame.payload
        }
        guard frame.isFinal else {
            unfinished = message
            fragmentCount += 1
            return .partial
        }
        fragmentCount = 0
        guard !message.isEmpty else { throw .emptyMessage }
        return .message(message)
    }
}

/// The opcodes of RFC 6455 section 5.2.
@usableFromInline enum Opcode {
    @inlinable static var continuation: UInt8 { 0x0 }
    @inlinable static var text: UInt8 { 0x1 }
    @inlinable static var binary: UInt8 { 0x2 }
    @inlinable static var close: UInt8 { 0x8 }
    @inlinable static var ping: UInt8 { 0x9 }
    @inlinable static var pong: UInt8 { 0xA }
}
