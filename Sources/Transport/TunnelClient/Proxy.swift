internal import Encodings
internal import HybridProtocol

/// An HTTP proxy, which is asked to connect to a server.
///
/// Source: RFC 9110 section 9.3.6 (`CONNECT`); RFC 7617 (the scheme Basic).
package struct Proxy: Sendable, CustomStringConvertible {
    /// A name in lower case, an IPv4 address, or an IPv6 address without brackets.
    let host: String
    /// 1…65535.
    let port: UInt16
    /// The name and the password that it asks for; nil if the user has given none.
    let credentials: Credentials?

    private static let scheme = "http"
    /// curl's port for a proxy that is given without one.
    private static let standardPort: UInt16 = 1080

    /// A name and a password. No description shows them.
    struct Credentials: Sendable, CustomStringConvertible, CustomReflectable {
        /// The value of the header `Proxy-Authorization`.
        let header: String

        var description: String { "hidden" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Reads an address in curl's form: `[http://][NAME:PASSWORD@]HOST[:PORT]`.
    ///
    /// - Parameters:
    ///   - text: the address. No error repeats it: it may have a password.
    ///   - source: the name of the variable or option that has it.
    /// - Throws: `proxyFailed`.
    init(parsing text: String, from source: String) throws(DataChannelError) {
        var rest = text[...]
        if let mark = rest.firstRange(of: "://") {
            guard rest[..<mark.lowerBound].lowercased() == Self.scheme else {
                throw DataChannelError(
                    .proxyFailed, reason: "\(source) has a proxy of an unsupported kind; http:// is supported")
            }
            rest = rest[mark.upperBound...]
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let malformed = DataChannelError(.proxyFailed, reason: "\(source) is not http://[NAME:PASSWORD@]HOST[:PORT]")
        if let mark = rest.lastIndex(of: "@") {
            guard let pair = Self.percentDecoded(rest[..<mark]) else { throw malformed }
            let colon = pair.contains(UInt8(ascii: ":")) ? [] : [UInt8(ascii: ":")]
            credentials = Credentials(header: "Basic \(Base64.encode(pair + colon))")
            rest = rest[rest.index(after: mark)...]
        } else {
            credentials = nil
        }
        guard let (host, port) = try? WebSocketURL.authority(rest, standardPort: Self.standardPort) else {
            throw malformed
        }
        (self.host, self.port) = (host, port)
    }

    /// `host:port`, as errors name it.
    package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The bytes of a percent-encoded text; nil for an incomplete escape.
    private static func percentDecoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = Hexadecimal.decode(String(decoding: rest.prefix(2), as: UTF8.self))?.first else {
                return nil
            }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
