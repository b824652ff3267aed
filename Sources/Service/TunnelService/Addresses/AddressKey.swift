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

/// A range of IPv4 or IPv6 addresses in CIDR notation (RFC 4632, RFC 4291): `192.0.2.0/24`, `2001:db8::/32`, or one
/// address.
public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private let network: IPAddress
    private let prefixLength: Int
    /// The range as it was written.
    public let description: String

    /// Reads a range.
    ///
    /// - Parameter text: an address, and behind a slash the number of its leading bits that count: 0…32 for IPv4,
    ///   0…128 for IPv6. Without a slash all bits count.
    /// - Returns: `nil` for anything else; also if a bit is set that does not count.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let written = parts.first, let network = IPAddress(String(written)) else { return nil }
        // The length of an IPv4 network that is written as an IPv6 one would be ambiguous.
        guard network.isV4 != written.contains(":") else { return nil }
        let bitCount = network.bytes.count * UInt8.bitWidth
        var prefixLength = bitCount
        if parts.count > 1 {
            guard let length = Self.number(parts[1]), length <= bitCount else { return nil }
            prefixLength = length
        }
        self.network = network
        self.prefixLength = prefixLength
        description = text
        guard (prefixLength..<bitCount).allSatisfy({ !Self.bit($0, of: network) }) else { return nil }
    }

    /// True if the address lies in the range.
    func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == network.bytes.count
            && (0..<prefixLength).allSatisfy { Self.bit($0, of: address) == Self.bit($0, of: network) }
    }

    private static func bit(_ index: Int, of address: IPAddress) -> Bool {
        let (byte, bit) = index.quotientAndRemainder(dividingBy: UInt8.bitWidth)
        return address.bytes[byte] << UInt8(bit) & 0x80 != 0
    }

    /// Up to three decimal digits without a sign.
    private static func number(_ digits: Substring) -> Int? {
        guard (1...3).contains(digits.utf8.count),
            digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(digits)
    }
}

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

    /// The address as a network: an IPv4 /32 or an IPv6 /64.
    var alone: Prefix { Prefix(self, .address) }
    /// A network that one holder often has as a whole: an IPv4 /24 or an IPv6 /48.
    var prefix: Prefix { Prefix(self, .prefix) }
    /// A network that one provider often has as a whole: an IPv4 /16 or an IPv6 /32.
    var allocation: Prefix { Prefix(self, .allocation) }

    /// A network of addresses.
    struct Prefix: Hashable, Sendable {
        private let value: UInt64
        private let family: Family
        private let width: Width

        /// The widths of networks that are counted.
        fileprivate enum Width: Hashable, Sendable {
            case address, prefix, allocation

            /// The bits that do not count, of 32 for IPv4 and of 64 for IPv6.
            var ignoredBitCounts: (v4: UInt64, v6: UInt64) {
                switch self {
                case .address: (0, 0)
                case .prefix: (8, 16)
                case .allocation: (16, 32)
                }
            }
        }

        fileprivate init(_ key: AddressKey, _ width: Width) {
            self.width = width
            family = key.family
            value =
                switch key.family {
                case .v4: key.value >> width.ignoredBitCounts.v4
                case .v6: key.value >> width.ignoredBitCounts.v6
                case .v6Loopback, .other: key.value
                }
        }

        /// The weight of a connection for a network of this width: 64 for an address, 8 for a prefix, 1 for an
        /// allocation, in which so many more users are.
        var weight: Int {
            switch width {
            case .address: 64
            case .prefix: 8
            case .allocation: 1
            }
        }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << UInt64(UInt8.bitWidth) | UInt64($1) }
    }
}
