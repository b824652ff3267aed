internal import HybridProtocol
internal import NIOCore

/// A `wss` or `ws` URL, strictly parsed: only the parts of an upgrade request, and nothing that could mean two things.
///
/// Source: RFC 6455 section 3 and RFC 3986, narrowed: no user information, no fragment, ASCII only.
struct WebSocketURL: Hashable, Sendable, CustomStringConvertible {
    /// True if TLS carries it.
    let isSecure: Bool
    /// A name in lower case, an IPv4 address, or an IPv6 address without brackets.
    let host: String
    /// 1…65535.
    let port: UInt16
    /// The path and query, beginning with a slash: as it stands in the request line.
    let target: String

    /// A contact ID of 4,096 bytes fits, in base64.
    static let longest = 8192
    private static let secureScheme = "wss"
    private static let plainScheme = "ws"
    private static let securePort: UInt16 = 443
    private static let plainPort: UInt16 = 80
    private static let longestHost = 253
    private static let longestLabel = 63

    /// Reads an absolute URL.
    ///
    /// - Throws: `invalidURL`.
    init(parsing text: some StringProtocol) throws(DataChannelError) {
        let bytes = text.utf8
        guard bytes.count <= Self.longest, bytes.allSatisfy({ $0.isURLCharacter }) else {
            throw Self.refusal("it is too long or has a character that no URL has")
        }
        guard let mark = text.firstRange(of: "://") else { throw Self.refusal("it has no scheme") }
        switch text[..<mark.lowerBound].lowercased() {
        case Self.secureScheme: self.isSecure = true
        case Self.plainScheme: self.isSecure = false
        default: throw Self.refusal("the scheme is not wss or ws")
        }
        let rest = text[mark.upperBound...]
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        (self.host, self.port) = try Self.authority(
            rest[..<authorityEnd], standardPort: isSecure ? Self.securePort : Self.plainPort)
        self.target = try Self.target(rest[authorityEnd...])
    }

    /// A URL on the same server with another path and query.
    ///
    /// - Throws: `invalidURL` if the path or query has a character that it must not have.
    func with(target: some StringProtocol) throws(DataChannelError) -> Self {
        Self(isSecure: isSecure, host: host, port: port, target: try Self.target(target))
    }

    private init(isSecure: Bool, host: String, port: UInt16, target: String) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
        self.target = target
    }

    /// `host` or `host:port`, as the Host header has it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? Self.securePort : Self.plainPort) ? name : "\(name):\(port)"
    }

    /// The scheme and the authority, as the Origin header has them.
    var origin: String { "\(isSecure ? Self.secureScheme : Self.plainScheme)://\(authority)" }

    /// The whole URL in its one canonical form.
    var description: String { origin + target }

    /// True if another URL is on the same server: of the same scheme, host and port.
    func hasServer(of other: Self) -> Bool { origin == other.origin }

    /// The address, if the host is one and not a name.
    var address: SocketAddress? { try? SocketAddress(ipAddress: host, port: Int(port)) }

    /// True if the host is this machine: 127.0.0.0/8, ::1 or `localhost`.
    var isLoopback: Bool {
        switch address {
        case .v4: host.hasPrefix("127.")
        case .v6: host == "::1"
        default: host == "localhost"
        }
    }

    /// The host and the port of `host[:port]`.
    ///
    /// - Throws: `invalidURL`.
    static func authority(
        _ text: some StringProtocol,
        standardPort: UInt16
    ) throws(DataChannelError) -> (String, UInt16) {
        guard !text.contains("@") else { throw refusal("it has user information") }
        let bracketEnd = text.lastIndex(of: "]")
        let colon = text.lastIndex(of: ":").flatMap { colon in bracketEnd.map { $0 < colon } ?? true ? colon : nil }
        let host = try host(text[..<(colon ?? text.endIndex)])
        guard let colon else { return (host, standardPort) }
        let digits = text[text.index(after: colon)...]
        // UInt16's own parser takes a leading plus sign.
        guard digits.utf8.allSatisfy({ $0.isDigit }), let port = UInt16(digits), port != 0 else {
            throw refusal("the port is not 1 to 65535")
        }
        return (host, port)
    }

    private static func host(_ text: some StringProtocol) throws(DataChannelError) -> String {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), !text.contains("%"),
                let address = try? SocketAddress(ipAddress: String(text.dropFirst().dropLast()), port: 0),
                case .v6 = address, let canonical = address.ipAddress
            else { throw refusal("the host is not an IPv6 address") }
            return canonical
        }
        let name = text.lowercased()
        if let address = try? SocketAddress(ipAddress: name, port: 0), case .v4 = address { return name }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...longestLabel).contains(label.utf8.count) && label.utf8.allSatisfy { $0.isHostCharacter }
        }
        // A name that ends in a number is read as an address by some resolvers: 127.1, 0x7f000001.
        guard isName, name.utf8.count <= longestHost, let last = labels.last, last.utf8.first?.isDigit != true else {
            throw refusal("the host is neither a name nor an address")
        }
        return name
    }

    private static func target(_ text: some StringProtocol) throws(DataChannelError) -> String {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0.isTargetCharacter }) else { throw refusal("the path has an invalid character") }
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
            guard bytes.dropFirst(index + 1).prefix(2).count(where: { $0.isHexadecimalDigit }) == 2 else {
                throw refusal("the path has an incomplete percent escape")
            }
        }
        return text.hasPrefix("/") ? String(text) : "/" + text
    }

    private static func refusal(_ reason: String) -> DataChannelError {
        DataChannelError(.invalidURL, reason: "not a tunnel's URL: \(reason)")
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    fileprivate var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }

    fileprivate var isHostCharacter: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// `pchar`, `/` and `?` of RFC 3986, and the percent sign of an escape.
    fileprivate var isTargetCharacter: Bool { isDigit || isLetter || "-._~!$&'()*+,;=:@/?%".utf8.contains(self) }

    fileprivate var isURLCharacter: Bool { isTargetCharacter || "#[]".utf8.contains(self) }
}

extension WebSocketURL {
    /// The URL of a `Location` header, resolved against this one.
    ///
    /// `http` and `https` stand for `ws` and `wss`, because services answer an upgrade request with the URL of a page.
    /// Relative references are resolved as RFC 3986 section 5.2 says, and a fragment is dropped.
    ///
    /// - Throws: `redirectRefused` if that is not a URL of a tunnel, or would leave TLS.
    func redirected(to location: String) throws(DataChannelError) -> WebSocketURL {
        guard location.utf8.count <= Self.longest else { throw Self.redirectRefusal("the new location is too long") }
        let reference = location.prefix { $0 != "#" }
        let next: WebSocketURL
        do throws(DataChannelError) {
            next = try resolve(reference)
        } catch {
            throw Self.redirectRefusal("the new location is \(error.reason)")
        }
        guard next.isSecure || !isSecure else { throw Self.redirectRefusal("the new location is without TLS") }
        return next
    }

    private func resolve(_ reference: Substring) throws(DataChannelError) -> WebSocketURL {
        if let absolute = Self.absolute(reference) { return try WebSocketURL(parsing: absolute) }
        if reference.hasPrefix("//") { return try WebSocketURL(parsing: (isSecure ? "wss:" : "ws:") + reference) }
        let path = target.prefix { $0 != "?" }
        if reference.isEmpty { return self }
        if reference.hasPrefix("?") { return try with(target: path + reference) }
        let newPath = reference.prefix { $0 != "?" }
        let query = reference[newPath.endIndex...]
        let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        let merged = newPath.hasPrefix("/") ? String(newPath) : String(directory + newPath)
        return try with(target: Self.withoutDotSegments(merged) + query)
    }

    /// The reference with the WebSocket's scheme in place of HTTP's, or `nil` if it has no scheme.
    private static func absolute(_ reference: Substring) -> String? {
        let beforePath = reference.prefix { $0 != "/" && $0 != "?" }
        guard let colon = beforePath.firstIndex(of: ":") else { return nil }
        let scheme = reference[..<colon].lowercased()
        let webSocketScheme = ["http": "ws", "https": "wss"][scheme] ?? scheme
        return webSocketScheme + reference[colon...]
    }

    /// RFC 3986 section 5.2.4, for a path that begins with a slash.
    private static func withoutDotSegments(_ path: String) -> String {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var kept: [Substring] = []
        for segment in segments {
            switch segment {
            case ".": break
            case "..": kept = kept.dropLast()
            default: kept.append(segment)
            }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    /// A redirect that is not followed.
    static func redirectRefusal(_ reason: String) -> DataChannelError {
        DataChannelError(.redirectRefused, reason: reason)
    }
}
