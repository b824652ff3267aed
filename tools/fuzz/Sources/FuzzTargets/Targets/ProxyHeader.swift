@testable internal import TunnelService

extension FuzzTarget {
    static let proxyHeader = FuzzTarget(
        "proxy-header", "headers of the PROXY protocol, whole, altered and cut, as the tunnel service reads them"
    ) { input in
        guard input.bool() else { return readEveryBeginning(of: input.rest()) }
        let isV4 = input.bool()
        let source = input.bytes(isV4 ? 4 : 16)
        let port = input.bytes(2)
        let addresses = source + input.bytes(source.count) + port + input.bytes(2)
        var fields: [UInt8] = []
        for _ in 0..<input.number(below: 4) {
            let content = input.counted(atMost: 40)
            // A checksum is not drawn right by chance: other types only.
            fields += [input.byte() | 0x80, 0, UInt8(content.count)] + content
        }
        let length = addresses.count + fields.count
        let head = [0x21, isV4 ? 0x11 : 0x21, UInt8(length >> 8), UInt8(length & 0xFF)]
        var bytes = ProxyHeader.signature + head + addresses + fields
        guard let header = try ProxyHeader.read(bytes), let address = IPAddress(bytes: source) else {
            finding("a good header is not read")
        }
        let number = UInt16(port[0]) << 8 | UInt16(port[1])
        expect(header.source == .peer(address, port: number), "a header's address changes")
        expect(header.byteCount == bytes.count, "a header's length changes")
        _ = input.alter(&bytes)
        readEveryBeginning(of: bytes)
    }

    /// Checks that the whole is read as its beginning was; and that it is bounded.
    private static func readEveryBeginning(of bytes: [UInt8]) {
        let whole = Result(catching: { () throws(ProxyHeaderError) in try ProxyHeader.read(bytes) })
        if case .success(let header?) = whole {
            expect(header.byteCount <= bytes.count, "a header has more bytes than there are")
            expect(16...ProxyHeader.maximumByteCount ~= header.byteCount, "a header has \(header.byteCount) bytes")
        }
        for count in 0..<min(bytes.count, ProxyHeader.maximumByteCount) {
            switch Result(catching: { () throws(ProxyHeaderError) in try ProxyHeader.read(Array(bytes.prefix(count))) })
            {
            case .success(nil): continue
            case let early: expect(early == whole, "\(count) bytes are read otherwise than all \(bytes.count)")
            }
        }
    }
}
