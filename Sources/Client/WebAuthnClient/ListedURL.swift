/// A URL of a list of related origins, as far as an origin is made of it.
///
/// Source: URL Standard section 4.4. Lenient as browsers are: white space, capitals, user information, a path and back
/// slashes are no obstacle. Where Chromium departs from the standard this does too: a space is taken in a host.
struct ListedURL {
    /// The scheme in lower case.
    let scheme: String
    /// The host's labels, in lower case and decoded.
    let labels: [String]
    /// True if a dot follows the labels, which makes another host of them.
    let endsWithDot: Bool
    /// The port, if it is given and not the scheme's own.
    let port: UInt16?

    /// A reason why an entry is not an origin of a site.
    enum Fault: Error {
        case noURL, noName
    }

    private static let defaultPorts: [String: UInt16?] = [
        "http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21, "file": UInt16?.none,
    ]
    private static let fileScheme = "file"

    /// Reads an entry.
    ///
    /// - Throws: `noURL` for a malformed text, `noName` for a URL without a host, or whose host is an address.
    init(_ text: String) throws(Fault) {
        let text = Self.withoutWhiteSpace(text)
        let scheme = text.prefix { $0 != ":" }
        guard scheme.count < text.count, let initial = scheme.first, Self.isLetter(initial),
            scheme.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || "+-.".unicodeScalars.contains($0) })
        else { throw .noURL }
        self.scheme = String(String.UnicodeScalarView(scheme)).lowercased()
        let isSpecial = Self.defaultPorts[self.scheme] != nil
        let rest = text[scheme.endIndex...].dropFirst()
        guard let authority = Self.authority(rest, isSpecial: isSpecial, isFile: self.scheme == Self.fileScheme) else {
            throw .noName
        }
        // The last at sign ends the user information.
        let place = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        guard place.first != "[" else { throw .noName }
        let host = place.prefix { $0 != ":" }
        port = try Self.port(place[host.endIndex...].dropFirst(), of: self.scheme)
        guard !host.isEmpty else { throw isSpecial ? .noURL : .noName }
        var labels = isSpecial ? try Self.domain(host) : try Self.opaque(host)
        endsWithDot = labels.count > 1 && labels.last == ""
        if endsWithDot { labels.removeLast() }
        self.labels = labels
        guard let last = labels.last, !last.isEmpty, !Self.isNumber(last) else { throw .noName }
    }

    /// The text without control characters and spaces at its ends, and without tabs and ends of lines.
    private static func withoutWhiteSpace(_ text: String) -> [Unicode.Scalar] {
        let scalars = text.unicodeScalars.drop { $0.value <= 0x20 }
        var kept = scalars.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" }.map(\.self)
        while let last = kept.last, last.value <= 0x20 { kept.removeLast() }
        return kept
    }

    /// The part between the slashes and the path; nil if there is none.
    private static func authority(
        _ rest: ArraySlice<Unicode.Scalar>, isSpecial: Bool, isFile: Bool
    ) -> ArraySlice<Unicode.Scalar>? {
        let isSlash = { (scalar: Unicode.Scalar) in scalar == "/" || isSpecial && scalar == "\\" }
        let hasTwo = rest.prefix(2).count(where: isSlash) == 2
        guard hasTwo || isSpecial && !isFile else { return nil }
        // Of a special scheme any number of slashes will do, but for files'.
        let authority = isSpecial && !isFile ? rest.drop(while: isSlash) : rest.dropFirst(2)
        return authority.prefix { !isSlash($0) && $0 != "?" && $0 != "#" }
    }

    private static func port(_ digits: ArraySlice<Unicode.Scalar>, of scheme: String) throws(Fault) -> UInt16? {
        guard digits.allSatisfy(isDigit) else { throw .noURL }
        guard !digits.isEmpty else { return nil }
        guard let port = UInt16(String(String.UnicodeScalarView(digits))) else { throw .noURL }
        return defaultPorts[scheme] == .some(port) ? nil : port
    }

    /// The labels of a domain whose escapes are decoded.
    private static func domain(_ host: ArraySlice<Unicode.Scalar>) throws(Fault) -> [String] {
        guard let text = unescaped(String(String.UnicodeScalarView(host))) else { throw .noURL }
        let labels = HostName.labels(of: text)
        guard labels.joined().unicodeScalars.allSatisfy({ !isForbidden($0) && $0 != "%" }) else { throw .noURL }
        return labels
    }

    /// The labels of a host of a scheme that is not known; it is left as it is.
    private static func opaque(_ host: ArraySlice<Unicode.Scalar>) throws(Fault) -> [String] {
        guard host.allSatisfy({ !isForbidden($0) && $0 != " " }) else { throw .noURL }
        return host.split(separator: ".", omittingEmptySubsequences: false).map { String(String.UnicodeScalarView($0)) }
    }

    /// Decodes percent escapes; nil if that is not text.
    private static func unescaped(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// True for a character that no host has: "forbidden host code point" of the standard, but for the space.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || "#/:<>?@[\\]^|".unicodeScalars.contains(scalar)
    }

    /// True for a number, decimal or hexadecimal: a host that ends in one is an IPv4 address, or malformed.
    private static func isNumber(_ label: String) -> Bool {
        label.utf8.allSatisfy(\.isDigit) || label.hasPrefix("0x") && label.utf8.dropFirst(2).allSatisfy(isHexadecimal)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.properties.isAlphabetic
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
