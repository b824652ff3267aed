import Glibc
import NIOCore

/// A group of addresses whose connections are counted together: an IPv4 address, an IPv6 /64 network (one subscriber
/// holds at least that much), or everything that has no address.
struct AddressKey: Hashable, Sendable {
    private let value: UInt64
    private let family: Family

    private enum Family: Hashable, Sendable { case v4, v6, v6Loopback, other }

    private static let v4MappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    private static let v6LoopbackBytes: [UInt8] = [UInt8](repeating: 0, count: 15) + [1]
    private static let v4ByteCount = 4
    private static let v6ByteCount = 16
    private static let networkByteCount = 8
    private static let v4FirstByteShift: UInt64 = 24
    private static let v4LoopbackNetwork: UInt64 = 127

    /// The key of a peer's address; `nil` stands for an unknown one.
    init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        if let bytes = Self.parse(text, AF_INET, byteCount: Self.v4ByteCount) {
            self.init(v4: bytes)
        } else if let bytes = Self.parse(text, AF_INET6, byteCount: Self.v6ByteCount) {
            self.init(v6: bytes)
        } else {
            self.init(value: 0, family: .other)
        }
    }

    private init(v6 bytes: [UInt8]) {
        if bytes.starts(with: Self.v4MappedPrefix) {
            self.init(v4: Array(bytes.dropFirst(Self.v4MappedPrefix.count)))
        } else {
            self.init(
                value: Self.integer(bytes.prefix(Self.networkByteCount)),
                family: bytes == Self.v6LoopbackBytes ? .v6Loopback : .v6
            )
        }
    }

    private init(v4 bytes: [UInt8]) {
        self.init(value: Self.integer(bytes[...]), family: .v4)
    }

    private init(value: UInt64, family: Family) {
        self.value = value
        self.family = family
    }

    /// True if the address is in 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        switch family {
        case .v4: value >> Self.v4FirstByteShift == Self.v4LoopbackNetwork
        case .v6Loopback: true
        case .v6, .other: false
        }
    }

    private static func parse(_ text: String, _ family: Int32, byteCount: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }
}
