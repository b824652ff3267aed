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
