import CommandLine

/// The form of a name under which a service is reached: what its peers write into `Host`, without the port.
///
/// Source: RFC 1123 section 2.1; RFC 9110 section 7.2.
enum ServiceName {
    private static let maxByteCount = 253
    private static let maxLabelByteCount = 63
    private static let hyphen = UInt8(ascii: "-")

    /// True for a domain name in ASCII, an IPv4 address, and an IPv6 address in brackets.
    static func isWellFormed(_ text: String) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return text.dropFirst().dropLast().utf8.contains(UInt8(ascii: ":")) && HostAndPort(text) != nil
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return text.utf8.count <= maxByteCount && labels.allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        guard (1...maxLabelByteCount).contains(label.count), label.first != hyphen, label.last != hyphen else {
            return false
        }
        return label.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen:
                true
            default: false
            }
        }
    }
}
