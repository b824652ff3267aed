/// A host and a port as they are written together: `127.0.0.1:8443`, `[::1]:8443`, `localhost:0`.
package struct HostAndPort: Equatable {
    /// A name or an address, without brackets.
    package let host: String
    /// nil where the text has none.
    package let port: UInt16?

    package init?(_ text: some StringProtocol) {
        var host = text[...]
        var port: UInt16?
        let bracket = host.lastIndex(of: "]")
        if let colon = host.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            let digits = host[host.index(after: colon)...]
            // UInt16's own parser takes a leading plus sign.
            guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let number = UInt16(digits)
            else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { ":[]".contains($0) }) {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { "/@?#".contains($0) || $0.isWhitespace }) else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// True if only this machine answers there.
    package var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isV4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
        return host == "localhost" || host == "::1" || isV4 && parts.first == "127"
    }
}
