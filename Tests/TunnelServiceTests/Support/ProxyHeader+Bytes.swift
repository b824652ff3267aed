import Testing

@testable import TunnelService

extension ProxyHeader {
    /// A header as a proxy sends it, or wrong where a test says so.
    static func bytes(
        command: UInt8 = 0x21, family: UInt8 = 0x11, addresses: [UInt8], fields: [UInt8] = [], length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? addresses.count + fields.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + addresses + fields
    }

    /// The header of a peer's connection.
    static func of(_ address: String, port: UInt16 = 4_321) throws -> [UInt8] {
        let source = try #require(IPAddress(address))
        let ports = [UInt8(port >> 8), UInt8(port & 0xFF), 0x01, 0xBB]
        return bytes(
            family: source.isV4 ? 0x11 : 0x21,
            addresses: source.bytes + [UInt8](repeating: 9, count: source.bytes.count) + ports)
    }
}

extension RawPeer {
    /// Connects as a proxy does on behalf of a peer at this address.
    static func connect(_ port: Int, onBehalfOf address: String) async throws -> RawPeer {
        let peer = try await connect(port)
        try await peer.send(ProxyHeader.of(address))
        return peer
    }
}
