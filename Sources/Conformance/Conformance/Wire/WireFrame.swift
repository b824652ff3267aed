internal import HybridProtocol

/// A WebSocket frame as it stands on the wire (RFC 6455 section 5.2), right or wrong.
struct WireFrame: Sendable, Equatable {
    /// The opcodes of a frame: four bits.
    enum Opcode {
        static let continuation: UInt8 = 0x0
        static let text: UInt8 = 0x1
        static let binary: UInt8 = 0x2
        static let close: UInt8 = 0x8
        static let ping: UInt8 = 0x9
        static let pong: UInt8 = 0xA
        /// The first of the control frames.
        static let firstControl: UInt8 = 0x8
    }

    /// The form of the payload's length.
    enum LengthForm: Sendable {
        /// In as few bytes as it takes, which is the rule.
        case shortest
        /// In two bytes, or in eight.
        case two, eight
        /// In eight bytes, as another number than it is.
        case claiming(UInt64)
    }

    var fin = true
    /// The three reserved bits.
    var reserved: UInt8 = 0
    var opcode = Opcode.binary
    var payload: [UInt8] = []
    var isMasked = false

    private enum Bit {
        static let fin: UInt8 = 0x80
        static let mask: UInt8 = 0x80
        static let reserved: UInt8 = 7
        static let reservedShift: UInt8 = 4
        static let opcode: UInt8 = 0xF
        static let length: UInt8 = 0x7F
    }
    private enum Length {
        static let longestShort = 125
        static let two: UInt8 = 126
        static let eight: UInt8 = 127
    }
    private static let maskingKey: [UInt8] = [0x12, 0xC3, 0x5A, 0x99]

    /// A Close frame with a code, or none, and a reason.
    static func close(_ code: UInt16?, reason: String = "") -> Self {
        WireFrame(opcode: Opcode.close, payload: (code.map { bigEndian(UInt64($0), 2) } ?? []) + Array(reason.utf8))
    }

    /// A ping.
    static func ping(_ payload: [UInt8] = []) -> Self { WireFrame(opcode: Opcode.ping, payload: payload) }

    /// A message cut into frames of so many bytes at most; there is at least one frame.
    static func fragments(_ message: [UInt8], byteCount: Int) -> [Self] {
        let starts = Array(stride(from: 0, to: max(1, message.count), by: byteCount))
        return starts.map { start in
            WireFrame(
                fin: start == starts.last, opcode: start == 0 ? Opcode.binary : Opcode.continuation,
                payload: Array(message[start..<min(start + byteCount, message.count)]))
        }
    }

    /// The kind of frame in a few words, for a transcript.
    var name: String {
        let name: String
        switch opcode {
        case Opcode.binary where fin && payload.count == handshakeMessageByteCount: name = "handshake message"
        case Opcode.binary: name = fin ? "binary message" : "first frame of a binary message"
        case Opcode.continuation: name = fin ? "last frame of a message" : "continuation frame"
        case Opcode.text: name = "text message"
        case Opcode.ping: name = "ping"
        case Opcode.pong: name = "pong"
        case Opcode.close: name = closeCode.map { "close frame \($0)" } ?? "close frame"
        default: name = "frame with opcode \(opcode)"
        }
        return reserved == 0 ? name : "\(name) with reserved bits \(reserved)"
    }

    /// The code of a Close frame; nil without one.
    var closeCode: UInt16? {
        payload.count < 2 ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1])
    }

    /// The frame masked, as clients send it.
    var masked: Self {
        var frame = self
        frame.isMasked = true
        return frame
    }

    /// The frame's bytes.
    func bytes(_ form: LengthForm = .shortest) -> [UInt8] {
        var bytes = [(fin ? Bit.fin : 0) | reserved << Bit.reservedShift | opcode]
        let mask = isMasked ? Bit.mask : 0
        switch (form, payload.count) {
        case (.shortest, ...Length.longestShort): bytes.append(mask | UInt8(payload.count))
        case (.shortest, ...Int(UInt16.max)), (.two, _):
            bytes += [mask | Length.two] + Self.bigEndian(UInt64(payload.count), 2)
        case (.claiming(let length), _): bytes += [mask | Length.eight] + Self.bigEndian(length, 8)
        default: bytes += [mask | Length.eight] + Self.bigEndian(UInt64(payload.count), 8)
        }
        guard isMasked else { return bytes + payload }
        bytes += Self.maskingKey
        for (index, byte) in payload.enumerated() { bytes.append(byte ^ Self.maskingKey[index & 3]) }
        return bytes
    }

    /// The frame's head, with the masking key if it is masked, and its payload.
    var headAndPayload: [[UInt8]] {
        let bytes = bytes()
        let headByteCount = bytes.count - payload.count
        return [Array(bytes.prefix(headByteCount)), Array(bytes.dropFirst(headByteCount))]
    }

    /// Takes the next frame from a connection, whatever it is like.
    ///
    /// - Throws: ``WireConnection/Ended``; ``Deviation`` for one longer than any message of this protocol.
    static func next(from connection: WireConnection) async throws -> Self {
        let head = try await connection.take(2)
        var length = UInt64(head[1] & Bit.length)
        switch head[1] & Bit.length {
        case Length.two: length = number(try await connection.take(2))
        case Length.eight: length = number(try await connection.take(8))
        default: break
        }
        guard let byteCount = Int(exactly: length), byteCount <= longest else {
            throw Deviation("it announces a frame of \(length) bytes")
        }
        let isMasked = head[1] & Bit.mask != 0
        let key = isMasked ? try await connection.take(maskingKey.count) : [0, 0, 0, 0]
        let payload = try await connection.take(byteCount).enumerated().map { $1 ^ key[$0 & 3] }
        let frame = WireFrame(
            fin: head[0] & Bit.fin != 0, reserved: head[0] >> Bit.reservedShift & Bit.reserved,
            opcode: head[0] & Bit.opcode, payload: payload, isMasked: isMasked)
        await connection.noteFrame(byteCount: frame.bytes().count)
        return frame
    }

    /// 2 MiB.
    private static let longest = 2 << 20

    private static func bigEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
