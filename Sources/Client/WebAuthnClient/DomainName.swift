/// A domain name as a relying party's identifier. Source: WebAuthn Level 3 section 5.1.3 (a valid domain string of the
/// URL standard); RFC 1035 section 2.3.1, RFC 1123 section 2.1.
struct DomainName: Sendable, Hashable {
    let text: String

    private static let maxByteCount = 253
    private static let maxLabelByteCount = 63
    static let localhost = "localhost"

    /// Checks a name; the failure's reason says what is wrong with it.
    init(_ text: String) throws(Invalid) {
        guard !text.isEmpty else { throw Invalid(reason: "it is empty") }
        guard text.utf8.count <= Self.maxByteCount else {
            throw Invalid(reason: "it has more than \(Self.maxByteCount) characters")
        }
        guard text.utf8.allSatisfy(\.isASCIIByte) else {
            throw Invalid(reason: "write its international labels in their xn-- form")
        }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for label in labels { try Self.check(label) }
        guard labels.last?.allSatisfy(\.isDigit) == false else { throw Invalid(reason: "an address is not a domain") }
        self.text = text
    }

    /// The reason why a text is refused as a domain name.
    struct Invalid: Error {
        let reason: String
    }

    /// True if this name is the other or below it.
    func isWithin(_ other: DomainName) -> Bool { text == other.text || text.hasSuffix("." + other.text) }

    /// True if this name is the machine's own (RFC 6761 section 6.3).
    var isLocalhost: Bool { text == Self.localhost || text.hasSuffix("." + Self.localhost) }

    private static func check(_ label: Substring.UTF8View) throws(Invalid) {
        guard (1...maxLabelByteCount).contains(label.count) else {
            throw Invalid(reason: "each of its labels must have 1 to \(maxLabelByteCount) characters")
        }
        guard label.allSatisfy({ $0.isLowerCaseLetter || $0.isDigit || $0 == UInt8(ascii: "-") }) else {
            throw Invalid(reason: "its labels must consist of lower-case letters, digits and hyphens")
        }
        guard label.first != UInt8(ascii: "-"), label.last != UInt8(ascii: "-") else {
            throw Invalid(reason: "a label of it begins or ends with a hyphen")
        }
    }
}

extension UInt8 {
    fileprivate var isASCIIByte: Bool { self < 0x80 }
    var isLowerCaseLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
