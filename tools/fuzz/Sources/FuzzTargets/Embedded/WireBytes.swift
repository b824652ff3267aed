internal import Encodings

/// Requests and frames as they are on the wire, drawn.
enum WireBytes {
    /// The first byte of a frame that is a whole binary message.
    static let binary: UInt8 = 0x82
    private static let masked: UInt8 = 0x80
    private static let shortest = 125
    private static let twoByteLength: UInt8 = 126
    private static let maskByteCount = 4
    private static let tunnelIDs = ["00112233445566778899aabbccddeeff", "FF112233445566778899AABBCCDDEEFF"]

    /// A request that a tunnel service should upgrade, if there is something to upgrade to.
    static func request(_ input: inout FuzzInput, contactIDs: [[UInt8]]) -> [UInt8] {
        let id = input.one(of: tunnelIDs)
        let contact = contactIDs.isEmpty ? "AAAA" : Base64URL.encode(input.one(of: contactIDs))
        let path = input.one(of: [
            "/cable/new/\(id)", "/cable/connect/000000/\(id)", "/cable/listen", "/cable/contact/\(contact)",
        ])
        let signal = input.bool() ? "X-caBLE-Signal-Connection: true\r\n" : ""
        let text = """
            GET \(path) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Protocol: fido.cable\r\nX-caBLE-Client-Payload: a10102\r\n\(signal)\r

            """
        return Array(text.utf8)
    }

    /// A frame with any first byte and a short payload; sometimes masked where it must not be, or the other way round.
    static func frame(_ input: inout FuzzInput, isMasked: Bool) -> [UInt8] {
        let first = input.bool() ? binary : input.byte()
        let payload = input.counted(atMost: shortest)
        let isWrong = input.number(below: 16) == 1
        return frame(of: payload, first: first, mask: isMasked != isWrong ? input.bytes(maskByteCount) : nil)
    }

    /// A frame with this payload of less than 64 KiB.
    static func frame(of payload: [UInt8], first: UInt8, mask: [UInt8]?) -> [UInt8] {
        let flag = mask == nil ? 0 : masked
        let length: [UInt8] =
            payload.count <= shortest
            ? [flag | UInt8(payload.count)]
            : [
                flag | twoByteLength, UInt8(truncatingIfNeeded: payload.count >> 8),
                UInt8(truncatingIfNeeded: payload.count),
            ]
        guard let mask else { return [first] + length + payload }
        return [first] + length + mask + payload.indices.map { payload[$0] ^ mask[$0 % mask.count] }
    }
}
