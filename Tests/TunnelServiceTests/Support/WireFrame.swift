import Testing

/// A WebSocket frame as it stands on the wire, right or wrong.
struct WireFrame: Sendable, Equatable {
    static let continuation: UInt8 = 0x0
    static let text: UInt8 = 0x1
    static let binary: UInt8 = 0x2
    static let closeFrame: UInt8 = 0x8
    static let ping: UInt8 = 0x9
    static let pong: UInt8 = 0xA

    var fin = true
    var reserved: UInt8 = 0
    var opcode = binary
    var payload: [UInt8] = []
    var isMasked = true

    /// A Close frame with a code and perhaps a reason.
    static func close(_ code: UInt16?, reason: String = "") -> WireFrame {
        let number = code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []
        return WireFrame(opcode: closeFrame, payload: number + Array(reason.utf8))
    }

    /// The frame's bytes.
    var bytes: [UInt8] {
        var bytes = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ...125: bytes.append(maskBit | UInt8(payload.count))
        case ...0xFFFF: bytes += [maskBit | 126] + bigEndian(payload.count, 2)
        default: bytes += [maskBit | 127] + bigEndian(payload.count, 8)
        }
        guard isMasked else { return bytes + payload }
        let key: [UInt8] = [0x12, 0xC3, 0x5A, 0x99]
        bytes += key
        bytes.reserveCapacity(bytes.count + payload.count)
        payload.withUnsafeBufferPointer { payload in
            for index in payload.indices { bytes.append(payload[index] ^ key[index & 3]) }
        }
        return bytes
    }

    private func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension RawPeer {
    /// Sends a frame.
    func send(_ frame: WireFrame) async throws { try await send(frame.bytes) }

    /// Takes the next frame of the service, which never masks.
    func frame() async throws -> WireFrame {
        let head = try await take(2)
        #expect(head[1] & 0x80 == 0, "the service masks")
        var length = Int(head[1])
        if length == 126 { length = try await take(2).reduce(0) { $0 << 8 | Int($1) } }
        if length == 127 { length = try await take(8).reduce(0) { $0 << 8 | Int($1) } }
        let payload = try await take(length)
        return WireFrame(
            fin: head[0] & 0x80 != 0, reserved: head[0] >> 4 & 7, opcode: head[0] & 0xF, payload: payload,
            isMasked: false
        )
    }

    /// Takes the next frame, which must be a Close frame, and gives its code.
    func closeCode(_ location: SourceLocation = #_sourceLocation) async throws -> Int? {
        let frame = try await frame()
        #expect(frame.opcode == WireFrame.closeFrame, "another frame came", sourceLocation: location)
        return frame.payload.isEmpty ? nil : frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Takes the next frame, which must be a whole binary message.
    func message(_ location: SourceLocation = #_sourceLocation) async throws -> [UInt8] {
        let frame = try await frame()
        #expect(frame.fin && frame.reserved == 0 && frame.opcode == WireFrame.binary, sourceLocation: location)
        return frame.payload
    }
}
