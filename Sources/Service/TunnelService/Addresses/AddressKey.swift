import NIOCore

/// A group of addresses whose connections are counted together: an IPv4 address, an IPv6 /64 network (one subscriber
/// holds at least that much), or everything that has no address.
struct AddressKey: Hashable, Sendable {
    private let value: UInt64
    private let family: Family

    fileprivate enum Family: Hashable, Sendable { case v4, v6, v6Loopback, other }

    private static let v6LoopbackBytes: [UInt8] = [UInt8](repeating: 0, count: 15) + [1]
    private static let networkByteCount = 8
    private static let v4FirstByteShift: UInt64 = 24
    private static let v4LoopbackNetwork: UInt64 = 127

    /// The key of an address; `nil` stands for an unknown one.
    init(ip address: IPAddress?) {
        switch address {
        case nil:
            value = 0
            family = .other
        case .some(let address) where address.isV4:
            value = Self.integer(address.bytes[...])
            family = .v4
        case .some(let address):
            value = Self.integer(address.bytes.prefix(Self.networkByteCount))
            family = address.bytes == Self.v6LoopbackBytes ? .v6Loopback : .v6
        }
    }

    /// The key of a peer's address; `nil` stands for an unknown one.
    init(_ address: SocketAddress?) { self.init(ip: IPAddress(address)) }

    /// True if the address is in 127.0.0.0/8 or ::1.
    var isLoopback: Bool {
        switch family {
        case .v4: value >> Self.v4FirstByteShift == Self.v4LoopbackNetwork
        case .v6Loopback: true
        case .v6, .other: false
        }
    }

    /// The wider network of the address.
    var prefix: Prefix { Prefix(self) }

    /// A network that one holder often has as a whole: an IPv4 /24 or an IPv6 /48.
    struct Prefix: Hashable, Sendable {
        private let value: UInt64
        private let family: Family

        private static let v4HostBitCount: UInt64 = 8
        private static let v6SubnetBitCount: UInt64 = 16

        fileprivate init(_ key: AddressKey) {
            family = key.family
            value =
                switch key.family {
                case .v4: key.value >> Self.v4HostBitCount
                case .v6: key.value >> Self.v6SubnetBitCount
                case .v6Loopback, .other: key.value
                }
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }
}
