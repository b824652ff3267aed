import Glibc
import NIOCore

/// An IPv4 or IPv6 address without a port. An IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) is the
/// IPv4 address.
struct IPAddress: Hashable, Sendable {
    /// The lengths of addresses, bytes.
    static let v4ByteCount = 4
    static let v6ByteCount = 16

    private static let v4MappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    /// An address from its bytes; `nil` unless there are 4 or 16.
    init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case Self.v4ByteCount: self.bytes = Array(bytes)
        case Self.v6ByteCount where bytes.starts(with: Self.v4MappedPrefix):
            self.bytes = Array(bytes.dropFirst(Self.v4MappedPrefix.count))
        case Self.v6ByteCount: self.bytes = Array(bytes)
        default: return nil
        }
    }

    /// An address in its usual notation, without brackets.
    init?(_ text: String) {
        if let bytes = Self.parse(text, AF_INET, byteCount: Self.v4ByteCount) {
            self.init(bytes: bytes)
        } else if let bytes = Self.parse(text, AF_INET6, byteCount: Self.v6ByteCount) {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// The address of a socket; `nil` for a Unix socket.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// True for IPv4.
    var isV4: Bool { bytes.count == Self.v4ByteCount }

    private static func parse(_ text: String, _ family: Int32, byteCount: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }
}
