import HybridProtocol
import NIOHTTP1

/// Checks that a request is the WebSocket upgrade of RFC 6455 section 4.2.1 with the subprotocol `fido.cable`, from a
/// page or program that may ask for it (HT-TUN-12).
///
/// Extensions that the peer offers, such as `permessage-deflate`, are not selected: the messages are ciphertext.
struct UpgradeRequest: Sendable {
    private static let version = "13"
    private static let keyLength = 24
    private static let keyPadding = "=="

    /// Names, beside the one in the `Host` header, that an `Origin` may carry, and the only ones under which
    /// authenticators can register. Lower case.
    let hostNames: Set<String>
    /// True if this service speaks TLS itself.
    let secure: Bool

    /// Checks everything but method and path.
    ///
    /// - Throws: ``HTTPRefusal`` with status 400 or 403.
    func check(_ head: HTTPRequestHead) throws(HTTPRefusal) {
        let headers = head.headers
        guard head.version == .http1_1 else { throw .badRequest("HTTP/1.1 is needed") }
        guard let host = Self.single("Host", in: headers).map(Self.hostName), !host.isEmpty else {
            throw .badRequest("one Host header is needed")
        }
        guard Self.tokens("Upgrade", in: headers).contains("websocket"),
            Self.tokens("Connection", in: headers).contains("upgrade")
        else {
            throw .badRequest("only WebSocket upgrades are served")
        }
        guard headers["Transfer-Encoding"].isEmpty, headers["Content-Length"].allSatisfy({ $0 == "0" }) else {
            throw .badRequest("the request must have no body")
        }
        guard Self.single("Sec-WebSocket-Version", in: headers) == Self.version else { throw .unsupportedVersion }
        guard Self.single("Sec-WebSocket-Key", in: headers).map(Self.isKey) == true else {
            throw .badRequest("one Sec-WebSocket-Key of 16 bytes in base64 is needed")
        }
        guard headers[canonicalForm: "Sec-WebSocket-Protocol"].contains(Substring(TunnelWebSocket.subprotocol)) else {
            throw .badRequest("the subprotocol fido.cable is needed")
        }
        try checkOrigin(headers["Origin"], host: host)
    }

    /// The name under which the service was asked, without the port, in lower case; an authenticator's proof must be
    /// for it.
    ///
    /// - Throws: ``HTTPRefusal`` with status 403 if it is none of the service's names: an authenticator that was asked
    ///   to register at another service must not become the listener of this one.
    func hostName(_ head: HTTPRequestHead) throws(HTTPRefusal) -> String {
        let name = Self.single("Host", in: head.headers).map(Self.hostName) ?? ""
        guard hostNames.contains(name) else { throw .wrongHost }
        return name
    }

    /// An `Origin` is optional. If there is one it must be `wss://` and the name of the `Host` header, or one of
    /// ``hostNames``; `ws://` will do where TLS is not spoken here. The ports are not compared: Chromium names none
    /// in the `Origin` whichever port it connects to.
    private func checkOrigin(_ origins: [String], host: String) throws(HTTPRefusal) {
        guard let origin = origins.first else { return }
        guard origins.count == 1, let name = originName(Self.lowercased(origin)) else { throw .wrongOrigin }
        guard name == host || hostNames.contains(name) else { throw .wrongOrigin }
    }

    private func originName(_ origin: String) -> String? {
        let schemes = secure ? ["wss://"] : ["wss://", "ws://"]
        guard let scheme = schemes.first(where: { origin.hasPrefix($0) }) else { return nil }
        return Self.hostName(String(origin.dropFirst(scheme.count)))
    }

    /// The name without the port, in lower case. An IPv6 address keeps its brackets.
    static func hostName(_ value: String) -> String {
        let value = lowercased(value)
        let afterAddress = value.lastIndex(of: "]") ?? value.startIndex
        guard let colon = value[afterAddress...].lastIndex(of: ":") else { return value }
        return String(value[..<colon])
    }

    /// True for 16 bytes in base64: 22 characters of its alphabet and two of padding.
    private static func isKey(_ value: String) -> Bool {
        guard value.utf8.count == keyLength, value.hasSuffix(keyPadding) else { return false }
        return value.dropLast(keyPadding.count).utf8.allSatisfy { character in
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }

    /// The text with A to Z in lower case and everything else as it is: to `lowercased()`, the Kelvin sign is a k.
    static func lowercased(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }

    private static func single(_ name: String, in headers: HTTPHeaders) -> String? {
        let values = headers[name]
        return values.count == 1 ? values.first : nil
    }

    private static func tokens(_ name: String, in headers: HTTPHeaders) -> Set<String> {
        Set(headers[canonicalForm: name].map { lowercased(String($0)) })
    }
}
